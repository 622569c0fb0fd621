package app

import (
	"context"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/loop/state"
)

// earlierShown is how many runs of earlier loops a new one shows.
const earlierShown = 8

// earlier are the newest runs that ended under earlier loops on this checkout,
// oldest first, so that a person who comes back can read what happened. They are
// for the eyes alone: what cannot be read is left out.
func (f *Factory) earlier(ctx context.Context, journalled []state.Run) []state.Worker {
	runs, err := f.ListRuns(ctx)
	if err != nil {
		return nil
	}
	l, err := f.Runs(ctx)
	if err != nil {
		return nil
	}
	var out []state.Worker
	for i := range runs {
		r := &runs[i]
		known := func(j state.Run) bool { return j.ID == r.Run }
		if r.Ended.IsZero() || slices.ContainsFunc(journalled, known) {
			continue
		}
		seen, err := l.Observe(ctx, r.Run)
		if err != nil {
			continue
		}
		st := status(seen)
		w := state.Worker{
			Run: state.Run{
				ID: r.Run, Ref: r.Ref, Kind: r.Kind, Session: r.Session, Attempt: r.Try,
				StartedAt: r.Started, EndedAt: r.Ended,
			},
			LastSign: st.LastSign, CostUSD: r.CostUSD, Tokens: r.Tokens, Tail: st.Tail, Lines: st.Lines,
		}
		w.Outcome, w.Run.Failure = endedAs(r.Outcome)
		if out = append(out, w); len(out) == earlierShown {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// endedAs turns how a run ended into what is shown of it; failure is empty where
// it did what was asked.
func endedAs(outcome string) (shown, failure string) {
	if s, ok := strings.CutPrefix(outcome, "VERDICT: "); ok {
		return s, ""
	}
	if s, ok := strings.CutPrefix(outcome, "STATUS: "); ok {
		shown = strings.ToLower(s)
		if s == "COMPLETE" {
			return shown, ""
		}
		return shown, shown
	}
	return outcome, outcome
}
