package plan

import (
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Stranded are the rows that a session left behind: their claim is stale, not
// ours, and nothing shows a sign of life.
type Stranded struct {
	// Review is taken over at once, whatever its milestone.
	Review []board.Issue
	// Let are settled by decisions: released as far as we can, and surfaced.
	Let []state.Decision
}

// Strays looks over the whole project (dispatcher-system.md, Maintenance,
// Stranded rows). A stale review with an open pull request is taken over; a
// stale In Progress row of our milestones is tier 1 of the normal queue and
// none of this scan's business; any other stale claim is shown, and released
// unless only another account can do that.
func Strays(f *Facts) Stranded {
	x := newIndex(f)
	scope := make(map[board.Ref]bool, len(f.Rows))
	for n := range f.Rows {
		scope[f.Rows[n].Ref] = true
	}
	var out Stranded
	for n := range f.Others {
		i := &f.Others[n]
		if !stranded(x, i) {
			continue
		}
		pr := x.pull(i)
		inProgress := i.Role == board.RoleInProgress
		if _, _, left := leftCleanUp(x, i); left {
			continue // LeftCleanUps puts it back
		}
		switch {
		case inProgress && i.Delegate == board.DelegateReviewer && pr != nil && pr.State == board.PullOpen:
			if !scope[i.Ref] {
				out.Review = append(out.Review, *i)
			}
		case inProgress && scope[i.Ref]:
		default:
			out.Let = append(out.Let, letGo(f, i)...)
		}
	}
	return out
}

// stranded says whether a row's claim is stale, not ours, and without a sign
// of life (design.md, section 6).
func stranded(x *index, i *board.Issue) bool {
	if i.Unreadable != "" || i.Closed || i.Claim == nil || !i.Delegate.Ours() {
		return false
	}
	if _, ours := x.runs[i.Ref]; ours {
		return false
	}
	if x.Rests(i.Ref) {
		return false
	}
	return i.Claim.Stale(x.Now, x.Settings.StaleWindow) && !x.Lives[i.Ref]
}

func letGo(f *Facts, i *board.Issue) []state.Decision {
	if who := i.Claim.Account; who != "" {
		return []state.Decision{{Op: state.OpNotice, Ref: i.Ref, Text: fmt.Sprintf("%s (%s) was left behind by session %s, %dm ago; its claim stands under the account %s, who alone can delete it",
			i.Ref, i.State, i.Claim.Session, i.Claim.Age(f.Now), who)}}
	}
	return []state.Decision{
		{Op: state.OpRelease, Ref: i.Ref, From: i.Role, Text: i.Claim.Session, Why: "stranded"},
		{Op: state.OpNotice, Ref: i.Ref, Text: fmt.Sprintf("%s (%s) was left behind by session %s, %dm ago; its claim is released",
			i.Ref, i.State, i.Claim.Session, i.Claim.Age(f.Now))},
	}
}

// SignOfLife says what the board itself shows of a claim's worker: a comment of
// its kind inside the stale window. A living supervisor is the loop's to ask
// for.
func SignOfLife(f *Facts, i *board.Issue) bool {
	if i.Claim == nil {
		return false
	}
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		if f.Now.Sub(c.At) > f.Settings.StaleWindow {
			return false
		}
		if c.Role == board.ActorOfKind(i.Claim.Kind) && c.At.After(i.Claim.Heard()) {
			return true
		}
	}
	return false
}
