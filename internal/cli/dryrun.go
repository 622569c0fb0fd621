package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/internal/app"
)

// runDryStart prints what the next firing would do, and writes nothing.
func runDryStart(ctx context.Context, f *app.Factory, milestones []string, asJSON bool) error {
	rows, err := f.DryRun(ctx, milestones)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(f, rows)
	}
	for _, row := range rows {
		text := orDash(row.Waits)
		if !strings.HasPrefix(text, "waits ") {
			text = "waits: " + text
		}
		if row.Update != "" {
			text = row.Update + " would be brought up to date"
		}
		switch {
		case row.Start != "":
			text = fmt.Sprintf("would start a %s (%s)", row.Start, row.Queue)
		case row.Done:
			text = "would be set to done: its pull request is merged"
		}
		if err := say(f, "%s  %s", orDash(string(row.Ref)), text); err != nil {
			return err
		}
	}
	return nil
}
