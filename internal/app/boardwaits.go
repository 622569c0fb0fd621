package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// BoardWaits says why a row is not worked, in words: the running loop's own
// reason where it has one, else what the rules say of the rows that were read.
// It is empty for a row that is worked, or could be, or is done.
func (f *Factory) BoardWaits(ctx context.Context, rows []board.Issue) (func(*board.Issue) string, error) {
	facts, err := f.facts(ctx, rows)
	if err != nil {
		return nil, err
	}
	said, running := loopWaits(f.config.StateDir(f.Getenv))
	judged := map[board.Ref]string{}
	for _, r := range plan.Rows(facts) {
		if !r.Next {
			judged[r.Issue.Ref] = r.Waits
		}
	}
	return func(i *board.Issue) string {
		if w, ok := said[string(i.Ref)]; ok && running && !i.Closed {
			return w
		}
		return judged[i.Ref]
	}, nil
}

// facts are what the rules need to judge rows without a loop.
func (f *Factory) facts(ctx context.Context, rows []board.Issue) (*plan.Facts, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	facts := &plan.Facts{Now: f.Now(), Mode: state.ModeRunning, Rows: rows, Settings: planSettings(cfg, cfg.Pulls.Base)}
	if _, err := os.Stat(pullsDir(cfg)); err == nil {
		store, err := f.Pulls(ctx)
		if err != nil {
			return nil, err
		}
		if facts.Pulls, err = store.List(ctx, true); err != nil {
			return nil, err
		}
	}
	if err := lastingFacts(facts, cfg.StateDir(f.Getenv)); err != nil {
		return nil, err
	}
	facts.Runs, err = journaledRuns(cfg.StateDir(f.Getenv))
	return facts, err
}

// lastingFacts are what a loop has left behind that bars a start: the owner's
// pause, usage limits, and what was spent.
func lastingFacts(facts *plan.Facts, stateDir string) error {
	r, costs, err := journal.PeekRuntime(stateDir)
	if err != nil {
		return err
	}
	if r.Desired == string(state.ModePaused) {
		facts.Mode = state.ModePaused
	}
	facts.Limited = r.Limits
	spends := make([]plan.Spend, 0, len(costs))
	for _, c := range costs {
		spends = append(spends, plan.Spend{Ref: c.Ref, At: c.At, USD: c.USD})
	}
	facts.Spent = plan.Sum(facts.Now, spends)
	return nil
}

// journaledRuns are the runs of a loop that lives or lived here. A journal that
// cannot be read has none: the next start says so.
func journaledRuns(stateDir string) ([]state.Run, error) {
	if _, err := os.Stat(stateDir); err != nil {
		return nil, nil //nolint:nilerr // without a state folder no loop ever lived here
	}
	host, _ := os.Hostname() // an unnamed host is a host too
	runs, err := journal.Peek(stateDir, host)
	if _, newer := errors.AsType[*statefile.NewerVersionError](err); newer {
		return nil, err
	}
	return runs, nil
}

// loopWaits are the reasons that the last firing wrote, while its loop lives.
func loopWaits(stateDir string) (map[string]string, bool) {
	data, err := os.ReadFile(filepath.Join(stateDir, "runtime.json"))
	if err != nil {
		return nil, false
	}
	var r struct {
		PID   int               `json:"pid"`
		Waits map[string]string `json:"waits"`
	}
	if json.Unmarshal(data, &r) != nil || r.PID != 0 && !proc.Alive(r.PID, "") {
		return nil, false
	}
	return r.Waits, true
}
