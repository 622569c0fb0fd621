package plan

import (
	"fmt"
	"sort"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TopUp chooses what to start now: the reviewer queue first, then the
// developer tiers, board order within each, until a cap is reached or nothing
// is eligible (dispatcher-system.md, One firing 4). Only a running loop starts
// anything.
func TopUp(f *Facts) []state.Dispatch {
	if f.Mode != state.ModeRunning {
		return nil
	}
	x := newIndex(f)
	free := f.Settings.Caps.Total - f.liveAll()
	left := map[board.Kind]int{}
	for _, k := range board.Kinds() {
		left[k] = f.Settings.Caps.Of(k) - f.live(k)
	}
	var out []state.Dispatch
	for _, c := range candidates(f, x.judgeAll()) {
		if free <= 0 {
			break
		}
		if left[c.j.Kind] <= 0 || f.Skip[f.Rows[c.row].Ref] {
			continue
		}
		if f.Bar(c.j.Kind, c.j.Agent).Why != "" {
			continue
		}
		out = append(out, c.dispatch(f))
		left[c.j.Kind]--
		free--
	}
	return out
}

// candidate is an eligible row.
type candidate struct {
	row int
	j   *Judgement
}

func (c candidate) dispatch(f *Facts) state.Dispatch {
	return state.Dispatch{
		Issue: f.Rows[c.row], Kind: c.j.Kind, Agent: c.j.Agent, PR: c.j.PR, Tier: c.j.Tier, SetFirst: c.j.SetFirst,
		Why: queueName(c.j),
	}
}

// candidates are all eligible rows in the order in which they are worked: what
// the owner wants first, then by tier.
func candidates(f *Facts, js []Judgement) []candidate {
	var out []candidate
	for n := range js {
		if js[n].Hold == "" {
			out = append(out, candidate{row: n, j: &js[n]})
		}
	}
	sort.SliceStable(out, func(a, b int) bool {
		if fa, fb := f.First[f.Rows[out[a].row].Ref], f.First[f.Rows[out[b].row].Ref]; fa != fb {
			return fa
		}
		return out[a].j.Tier < out[b].j.Tier
	})
	return out
}

func queueName(j *Judgement) string {
	if j.Kind == board.KindReviewer {
		return "reviewer queue"
	}
	return fmt.Sprintf("developer tier %d", j.Tier)
}

// Rows are all rows with the reason for which each waits.
func Rows(f *Facts) []state.Row {
	x := newIndex(f)
	js := x.judgeAll()
	first := firstOfKind(f, js)
	out := make([]state.Row, len(f.Rows))
	for n := range f.Rows {
		row := &out[n]
		row.Issue = f.Rows[n]
		if r, ok := x.runs[row.Issue.Ref]; ok {
			row.Run = f.Runs[r].ID
		}
		if js[n].Hold != "" {
			row.Hold, row.Waits, row.Next = js[n].Hold, js[n].Waits, js[n].Hold == HoldTouched
			continue
		}
		if bar := f.Bar(js[n].Kind, js[n].Agent); bar.Why != "" && f.Mode == state.ModeRunning {
			row.Hold, row.Waits, row.Next = bar.Hold, bar.Why, !bar.Fault
			continue
		}
		row.Hold, row.Waits, row.Next = waiting(f, js[n].Kind, first[js[n].Kind] == n)
	}
	return out
}

// firstOfKind is the row that is worked next by each kind.
func firstOfKind(f *Facts, js []Judgement) map[board.Kind]int {
	first := map[board.Kind]int{}
	for _, c := range candidates(f, js) {
		if _, seen := first[c.j.Kind]; !seen {
			first[c.j.Kind] = c.row
		}
	}
	return first
}

// waiting says why an eligible row is not started yet, and whether it ever
// would be.
func waiting(f *Facts, k board.Kind, first bool) (hold, waits string, next bool) {
	busy, limit, all := f.live(k), f.Settings.Caps.Of(k), f.liveAll()
	switch {
	case limit <= 0 || f.Settings.Caps.Total <= 0:
		return HoldSlots, fmt.Sprintf("no %s may run: its cap is 0", k), false
	case f.Mode != state.ModeRunning:
		return HoldPaused, fmt.Sprintf("the loop is %s", f.Mode), true
	case first:
		return HoldNext, "next " + string(k), true
	case busy >= limit:
		return HoldSlots, fmt.Sprintf("%d of %d %ss busy", busy, limit, k), true
	case all >= f.Settings.Caps.Total:
		return HoldSlots, fmt.Sprintf("%d of %d workers busy", all, f.Settings.Caps.Total), true
	}
	return HoldSlots, fmt.Sprintf("waits for a free %s", k), true
}
