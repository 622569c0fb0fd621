package cli

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// dryRow is one row of `start --dry-run --json`.
type dryRow struct {
	Ref   board.Ref  `json:"ref"`
	Start board.Kind `json:"start,omitempty"` // which worker would be started on it
	Done  bool       `json:"done,omitempty"`  // its pull request is merged: it would be closed
	Waits string     `json:"waits,omitempty"` // why not
}

// runDryStart prints what the next firing would do, and writes nothing.
func runDryStart(ctx context.Context, f *app.Factory, milestones []string, asJSON bool) error {
	next, err := f.DryRun(ctx, milestones)
	if err != nil {
		return err
	}
	starts := map[board.Ref]board.Kind{}
	whys := map[board.Ref]string{}
	for _, d := range next.Start {
		starts[d.Issue.Ref], whys[d.Issue.Ref] = d.Kind, d.Why
	}
	done := map[board.Ref]bool{}
	for _, d := range next.Done {
		done[d.Ref] = true
	}
	out := []dryRow{}
	for i := range next.Rows {
		r := &next.Rows[i]
		row := dryRow{Ref: r.Issue.Ref, Start: starts[r.Issue.Ref], Done: done[r.Issue.Ref]}
		if row.Start == "" && !row.Done {
			row.Waits = r.Waits
		}
		if r.Hold != plan.HoldClosed {
			out = append(out, row)
		}
	}
	if asJSON {
		return printJSON(f, out)
	}
	for _, row := range out {
		text := "waits: " + orDash(row.Waits)
		switch {
		case row.Start != "":
			text = fmt.Sprintf("would start a %s (%s)", row.Start, whys[row.Ref])
		case row.Done:
			text = "would be set to done: its pull request is merged"
		}
		if err := say(f, "%s  %s", row.Ref, text); err != nil {
			return err
		}
	}
	return nil
}
