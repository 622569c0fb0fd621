// Package looptest is what the simulated worlds around a loop share: the board
// behind a gate that may fail or kill, the policy that stands before every
// backend, and the tasks and alarms of a loop that its world drives.
//
// It decides nothing: what fails, what dies and what happens next is the
// world's. It is imported by tests only.
package looptest

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest/memory"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// Policy is a backend as an actor has it, with a merge known by the pull
// requests that pulls answers.
func Policy(b board.Backend, a board.Actor, pulls func() []board.PullRequest) *board.Policy {
	return board.NewPolicy(b, a, board.PolicyOptions{Merged: func(_ context.Context, i board.Issue) (bool, error) {
		return plan.EndedByMerge(&i, plan.PullOf(&i, pulls())), nil
	}})
}

// StaleWindow is how old the stamp of an advisory claim may be in every world.
const StaleWindow = memory.StaleWindow

// ConfirmLabel holds a row for its owner's word.
const ConfirmLabel = memory.ConfirmLabel

// Settings are the ordinary ones, with two slots for developers and two for
// reviewers.
func Settings() plan.Settings {
	return plan.Settings{
		StaleWindow: StaleWindow, Caps: plan.Caps{Developers: 2, Reviewers: 2, Cleaners: 1, Total: 5},
		Retry:        plan.Retry{MaxAttempts: 2, First: 10 * time.Second, Max: 5 * time.Minute},
		VerifyWindow: time.Hour, ConfirmLabel: ConfirmLabel, DefaultBase: "main",
		Agents: map[string]bool{"developer": true, "reviewer": true, "cleaner": true},
		Stall:  plan.Stall{After: 10 * time.Minute, ToolAfter: 30 * time.Minute, Grace: time.Minute},
	}
}
