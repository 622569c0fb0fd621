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
	queue := candidates(f)
	free := f.Settings.Caps.Total - f.liveAll()
	left := map[board.Kind]int{}
	for _, k := range board.Kinds() {
		left[k] = f.Settings.Caps.Of(k) - f.live(k)
	}
	var out []state.Dispatch
	for _, d := range queue {
		if free <= 0 {
			break
		}
		if left[d.Kind] <= 0 {
			continue
		}
		out = append(out, d)
		left[d.Kind]--
		free--
	}
	return out
}

// candidates are all eligible rows in the order in which they are worked.
func candidates(f *Facts) []state.Dispatch {
	var out []state.Dispatch
	for i := range f.Rows {
		row := &f.Rows[i]
		j := Judge(f, row)
		if j.Hold != "" {
			continue
		}
		out = append(out, state.Dispatch{
			Issue: *row, Kind: j.Kind, Agent: j.Agent, PR: j.PR, Tier: j.Tier, SetFirst: j.SetFirst,
			Why: queueName(j),
		})
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].Tier < out[b].Tier })
	return out
}

func queueName(j Judgement) string {
	if j.Kind == board.KindReviewer {
		return "reviewer queue"
	}
	return fmt.Sprintf("developer tier %d", j.Tier)
}

// Rows are all rows with the reason for which each waits.
func Rows(f *Facts) []state.Row {
	out := make([]state.Row, len(f.Rows))
	first := firstOfKind(f)
	for i := range f.Rows {
		out[i] = rowOf(f, &f.Rows[i], first)
	}
	return out
}

// firstOfKind is the ref that is worked next by each kind.
func firstOfKind(f *Facts) map[board.Kind]board.Ref {
	first := map[board.Kind]board.Ref{}
	for _, d := range candidates(f) {
		if _, seen := first[d.Kind]; !seen {
			first[d.Kind] = d.Issue.Ref
		}
	}
	return first
}

func rowOf(f *Facts, i *board.Issue, first map[board.Kind]board.Ref) state.Row {
	row := state.Row{Issue: *i}
	j := Judge(f, i)
	if r, ok := f.RunOn(i.Ref); ok {
		row.Run = r.ID
	}
	if j.Hold != "" {
		row.Hold, row.Waits = j.Hold, j.Waits
		return row
	}
	row.Next = true
	row.Hold, row.Waits = waiting(f, i, j, first)
	return row
}

// waiting says why an eligible row is not started yet.
func waiting(f *Facts, i *board.Issue, j Judgement, first map[board.Kind]board.Ref) (string, string) {
	if f.Mode != state.ModeRunning {
		return HoldPaused, fmt.Sprintf("the loop is %s", f.Mode)
	}
	busy, limit := f.live(j.Kind), f.Settings.Caps.Of(j.Kind)
	switch {
	case first[j.Kind] == i.Ref:
		return HoldNext, "next " + string(j.Kind)
	case busy >= limit:
		return HoldSlots, fmt.Sprintf("%d of %d %ss busy", busy, limit, j.Kind)
	}
	return HoldSlots, fmt.Sprintf("waits for a free %s", j.Kind)
}
