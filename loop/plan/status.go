package plan

import (
	"fmt"
	"sort"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Status is the text that ends a firing: exactly one of at a cap, out of work,
// blocked on the owner (dispatcher-system.md, Status text). Open pull requests
// are counted from the list of pull requests, never from Human Review rows.
func Status(f *Facts, rows []state.Row, needs []state.Need) string {
	head := statusHead(f, rows, needs)
	var also []string
	for _, n := range needs {
		if n.Kind == state.NeedQuestion {
			also = append(also, fmt.Sprintf("question on %s: %s", n.Ref, firstLine(n.Text)))
		}
	}
	for _, n := range needs {
		switch n.Kind {
		case state.NeedAttention:
			also = append(also, fmt.Sprintf("%s %s", n.Ref, firstLine(n.Text)))
		case state.NeedConfirm:
			also = append(also, fmt.Sprintf("%s waits for your confirmation", n.Ref))
		case state.NeedRequest, state.NeedInterrupted, state.NeedQuestion, state.NeedReview, state.NeedStale:
		}
	}
	for _, p := range AllPauses(f) {
		if !strings.Contains(head, p.Why) {
			also = append(also, p.Why)
		}
	}
	also = append(append(also, conflictTexts(f)...), refusedTexts(f)...)
	if len(also) == 0 {
		return head
	}
	return head + " · " + strings.Join(also, " · ")
}

func statusHead(f *Facts, rows []state.Row, needs []state.Need) string {
	running := runningText(f)
	open := 0
	for i := range f.Pulls {
		if f.Pulls[i].State == board.PullOpen {
			open++
		}
	}
	left := eligibleLeft(rows)
	if left > 0 && (f.Mode == state.ModePaused || f.Mode == state.ModeDraining) {
		return fmt.Sprintf("blocked on you: the loop is %s; %s%d waiting", f.Mode, withSemicolon(running), left)
	}
	if why := barredAll(rows); why != "" {
		return fmt.Sprintf("at a cap: %s%s; %d waiting", withSemicolon(running), why, left)
	}
	if why, n := faulty(rows); n > 0 && left == 0 {
		return fmt.Sprintf("blocked on you: %s%s; %d waiting", withSemicolon(running), why, n)
	}
	if left > 0 && f.liveAll() > 0 {
		return fmt.Sprintf("at a cap: %s; %d waiting", running, left)
	}
	onOwner := false
	for _, n := range needs {
		onOwner = onOwner || n.Kind == state.NeedQuestion || n.Kind == state.NeedReview || n.Kind == state.NeedAttention
	}
	if running == "" && onOwner {
		return fmt.Sprintf("blocked on you: %s open", count(open, "pull request"))
	}
	text := "out of work"
	if running != "" {
		text += ": " + running
	}
	if why := whyNothing(rows); why != "" {
		text += "; " + why
	}
	return text
}

// barredAll is the quota for which every eligible row waits.
func barredAll(rows []state.Row) string {
	why := ""
	for i := range rows {
		switch r := &rows[i]; {
		case !r.Next:
		case r.Hold != HoldQuota && r.Hold != HoldAway:
			return ""
		default:
			why = orElse(why, r.Waits)
		}
	}
	return why
}

// faulty is what a person must mend before the rows that wait for it can go on.
func faulty(rows []state.Row) (why string, n int) {
	for i := range rows {
		if r := &rows[i]; !r.Next && (r.Hold == HoldSetup || r.Hold == HoldAway && r.Run == "") {
			why, n = orElse(why, r.Waits), n+1
		}
	}
	return why, n
}

func withSemicolon(s string) string {
	if s == "" {
		return ""
	}
	return s + "; "
}

func runningText(f *Facts) string {
	var parts []string
	for _, k := range board.Kinds() {
		var refs []board.Ref
		for i := range f.Runs {
			if f.Runs[i].Kind == k && f.Runs[i].Alive() {
				refs = append(refs, f.Runs[i].Ref)
			}
		}
		if len(refs) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d (%s)", k, len(refs), f.Settings.Caps.Of(k), joinRefs(refs)))
		}
	}
	for i := range f.Runs {
		switch f.Runs[i].Phase {
		case state.PhaseVerifying:
			parts = append(parts, fmt.Sprintf("%s verifying", f.Runs[i].Ref))
		case state.PhaseRetrying:
			parts = append(parts, fmt.Sprintf("%s tries again at %s", f.Runs[i].Ref, f.Runs[i].NotBefore.UTC().Format("15:04:05Z")))
		case state.PhaseTakenOver:
			parts = append(parts, fmt.Sprintf("%s in your hands", f.Runs[i].Ref))
		case state.PhaseClaiming, state.PhaseClaimed, state.PhaseStarting, state.PhaseRunning, state.PhaseEnded:
		}
	}
	return strings.Join(parts, ", ")
}

func eligibleLeft(rows []state.Row) int {
	n := 0
	for i := range rows {
		if rows[i].Next {
			n++
		}
	}
	return n
}

// whyNothing counts the reasons for which rows wait.
func whyNothing(rows []state.Row) string {
	counts := map[string]int{}
	for i := range rows {
		if h := rows[i].Hold; h != "" && h != HoldClosed && h != HoldWorked {
			counts[h]++
		}
	}
	names := make([]string, 0, len(counts))
	for h := range counts {
		names = append(names, h)
	}
	sort.Strings(names)
	parts := make([]string, 0, len(names))
	for _, h := range names {
		parts = append(parts, fmt.Sprintf("%d %s", counts[h], holdWord(h)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "waiting: " + strings.Join(parts, ", ")
}

// holdWord is a reason as a word of the status line.
func holdWord(h string) string {
	switch h {
	case HoldReview:
		return "in review"
	case HoldConfirm:
		return "to confirm"
	case HoldAttention:
		return "need attention"
	case HoldNoRole:
		return "without a role"
	case HoldNoPull:
		return "without a pull request"
	case HoldForeignPR:
		return "with another's pull request"
	case HoldNoReply:
		return "without your reply"
	case HoldUnknown:
		return "for an unknown agent"
	case HoldHuman:
		return "with a person"
	case HoldAgent:
		return "with another agent"
	case HoldParent:
		return "part of others"
	case HoldClaim:
		return "in another session"
	case HoldTouched:
		return "that you just touched"
	case HoldSlots, HoldNext:
		return "ready to start"
	case HoldQuota:
		return "out of quota"
	case HoldBudget:
		return "over budget"
	case HoldSetup:
		return "for an agent that cannot work here"
	case HoldAway:
		return "for what does not answer"
	}
	return h
}

// Idle says whether nothing more can happen without a person: no worker, no
// pending verification, no armed retry, no eligible row, no pull request to
// bring up to date or to clean up, and no row that its owner has just touched
// (design.md, section 5, Ends by itself).
func Idle(f *Facts, rows []state.Row) bool {
	for ref := range f.Touched {
		if f.Rests(ref) {
			return false
		}
	}
	return len(f.Runs) == 0 && eligibleLeft(rows) == 0 && len(Freshen(f)) == 0 && len(Conflicts(f)) == 0
}

// Drained says whether a draining loop may end: what ran is settled.
func Drained(runs []state.Run) bool {
	for i := range runs {
		if runs[i].Phase != state.PhaseRetrying && runs[i].Phase != state.PhaseTakenOver {
			return false
		}
	}
	return true
}

// OpenPulls are the open pull requests, each with the first row that it
// belongs to.
func OpenPulls(f *Facts) []state.Pull {
	x := newIndex(f)
	owner := make([]board.Ref, len(f.Pulls))
	for n := range f.Rows {
		x.each(&f.Rows[n], func(p int) {
			if owner[p] == "" {
				owner[p] = f.Rows[n].Ref
			}
		})
	}
	var out []state.Pull
	for n := range f.Pulls {
		if f.Pulls[n].State == board.PullOpen {
			out = append(out, state.Pull{PR: f.Pulls[n], Ref: owner[n]})
		}
	}
	return out
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
