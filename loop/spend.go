package loop

import (
	"context"

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
func (f *firing) barred(k board.Kind, agent string) bool {
	return f.facts.Bar(k, agent).Why != ""
}
