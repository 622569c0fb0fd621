package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// Process is a process known by more than its id, so that another one that was
// given the same id is never taken for it.
type Process struct {
	PID   int
	Start string // as proc.StartTime
}

// Identify names living processes; those that are gone by now are left out.
func Identify(pids []int) []Process {
	var found []Process
	for _, p := range pids {
		if start, err := proc.StartTime(p); err == nil && p > 1 {
			found = append(found, Process{p, start})
		}
	}
	return found
}

// Alive says whether the process still lives.
func (p Process) Alive() bool { return proc.Alive(p.PID, p.Start) }

// EndAll asks the processes that find names to end, kills those that do not,
// and looks again until none is left.
func EndAll(ctx context.Context, find func() []Process) (int, error) {
	const polite, rounds = 2 * time.Second, 50
	found := find()
	ended := map[Process]bool{}
	for _, p := range found {
		ended[p] = true
		_ = proc.Terminate(p.PID) // it may be gone already, or will be killed
	}
	soft, cancel := context.WithTimeout(ctx, polite)
	_ = waitGone(soft, found)
	cancel()
	for range rounds {
		found = find()
		if len(found) == 0 {
			return len(ended), nil
		}
		for _, p := range found {
			ended[p] = true
			if p.Alive() {
				_ = proc.KillTree(p.PID) // what is left is seen in the next round
			}
		}
		hard, cancel := context.WithTimeout(ctx, polite)
		err := waitGone(hard, found)
		cancel()
		if ctx.Err() != nil {
			return len(ended), err
		}
	}
	return len(ended), errors.New("processes come back faster than they are killed")
}

// waitGone waits until none of the processes lives.
func waitGone(ctx context.Context, ps []Process) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if !slices.ContainsFunc(ps, Process.Alive) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for processes to end: %w", ctx.Err())
		case <-time.After(wait):
		}
	}
}
