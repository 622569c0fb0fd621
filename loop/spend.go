package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// count gathers what was spent: the runs that ended, from the ledger, and what
// the running ones have cost so far. Where there is a limit, nothing is
// dispatched without knowing.
func (f *firing) count(context.Context) error {
	if f.e.d.Ledger == nil {
		return nil
	}
	costs, err := f.e.d.Ledger.Costs()
	if err != nil {
		if f.facts.Settings.Limits != (plan.Limits{}) {
			return err
		}
		f.say("", true, "%v", err)
	}
	now := f.e.o.Now()
	spends := make([]plan.Spend, 0, len(costs)+len(f.book.runs))
	for _, c := range costs {
		spends = append(spends, plan.Spend{Ref: c.Ref, At: c.At, USD: c.USD})
	}
	for i := range f.book.runs {
		if r := &f.book.runs[i]; r.Phase == state.PhaseRunning && f.spent[r.ID] > 0 {
			spends = append(spends, plan.Spend{Ref: r.Ref, At: now, USD: f.spent[r.ID]})
		}
	}
	f.facts.Spent = plan.Sum(now, spends)
	f.costToday = f.facts.Spent.Today
	return nil
}

// overBudget gives the row of an armed retry back that its issue's limit bars:
// it waits for its owner, with its figure and without a claim.
func (f *firing) overBudget(ctx context.Context, r state.Run, issue board.Issue) error {
	return f.letRest(ctx, r, plan.GiveBack(&r, &issue))
}

// barred says whether nothing may start on an agent now.
func (f *firing) barred(agent string) bool {
	why, _ := f.facts.Barred(agent)
	return why != ""
}

// limited notes a usage limit that a run has met, before the run is settled:
// nobody else starts on that account before it resets (failures.md, 8).
func (f *firing) limited(r state.Run, until time.Time) error {
	if !until.After(f.e.o.Now()) {
		return nil
	}
	kind := f.facts.Settings.KindOf(r.Agent)
	if f.e.runtime.limits(f.e.o.Now())[kind].Before(until) {
		f.notify(r.Ref, fmt.Sprintf("the usage limit of %s is reached; nothing starts on it before %s", kind, until.UTC().Format("2006-01-02 15:04Z")))
	}
	return f.e.runtime.limited(kind, until)
}
