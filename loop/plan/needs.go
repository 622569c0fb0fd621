package plan

import (
	"sort"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Needs lists what waits for a person, standing work first: questions, given
// up runs, what sits in Human Review, rows to confirm (screens.md, Board;
// dispatcher-system.md, Status text). Within a kind the oldest comes first.
func Needs(f *Facts, rows []state.Row) []state.Need {
	var out []state.Need
	x := newIndex(f)
	for i := range rows {
		if n, ok := needOf(x, &rows[i]); ok {
			out = append(out, n)
		}
	}
	sort.SliceStable(out, func(a, b int) bool {
		ka, kb := needRank(out[a].Kind), needRank(out[b].Kind)
		if ka != kb {
			return ka < kb
		}
		return out[a].Since.Before(out[b].Since)
	})
	return out
}

func needRank(k state.NeedKind) int {
	switch k {
	case state.NeedRequest:
		return 0
	case state.NeedInterrupted:
		return 1
	case state.NeedQuestion:
		return 2
	case state.NeedAttention:
		return 3
	case state.NeedReview:
		return 4
	case state.NeedStale:
		return 5
	case state.NeedConfirm:
		return 6
	}
	return 7
}

func needOf(x *index, r *state.Row) (state.Need, bool) {
	i := &r.Issue
	n := state.Need{Ref: i.Ref, Title: i.Title, Text: r.Waits, Since: i.StateSince}
	switch r.Hold {
	case HoldQuestion:
		n.Kind, n.Text = state.NeedQuestion, questionOf(i)
	case HoldAttention, HoldBudget, HoldOwner, HoldCircle, HoldUnreadable, HoldNoPull, HoldNoReply, HoldForeignPR, HoldUnknown:
		n.Kind = state.NeedAttention
	case HoldReview:
		n.Kind = state.NeedReview
	case HoldConfirm:
		n.Kind = state.NeedConfirm
	case HoldClaim:
		if c := i.Claim; c == nil || !c.Stale(x.Now, x.Settings.StaleWindow) {
			return state.Need{}, false
		}
		n.Kind, n.Since = state.NeedStale, i.Claim.Heard() // its worker lives: the loop never takes it by itself
	default:
		return state.Need{}, false
	}
	if pr := x.pull(i); pr != nil {
		n.PR = pr.Name
	}
	return n, true
}

// questionOf is the question of a parked row, in full.
func questionOf(i *board.Issue) string {
	if q, ok := board.OpenQuestion(i); ok {
		return q.Body
	}
	return "parked without a question; see its comments"
}
