package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

func newStartCmd(f *app.Factory) *cobra.Command {
	var o app.StartOptions
	var dry, asJSON bool
	cmd := &cobra.Command{
		Use:   "start <milestone>...",
		Short: "Work the issues of the milestones until you stop it",
		Long: `Work the issues of the milestones: claim them, start an agent on each in a
worktree of its own, verify what comes back, have it reviewed, and stop where
you decide: answering a question, merging what is in Human Review.

In a terminal this is the control room; with --no-tui it prints one line a
firing. There Ctrl-C once drains (nothing new starts, what runs is finished),
twice aborts (workers are stopped, rows go back). Workers outlive the loop:
whatever ends it, the next start goes on with them.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completing(f, milestones),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dry {
				return runDryStart(cmd.Context(), f, args, asJSON)
			}
			o.Milestones = args
			return runStart(cmd, f, o)
		},
	}
	cmd.Flags().BoolVar(&o.NoTUI, "no-tui", false, "print one status line a firing instead of the control room")
	mannerFlags(cmd, &o.Manner)
	cmd.Flags().BoolVar(&o.UntilIdle, "until-idle", false, "end when nothing more can happen without you")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what the next firing would do, and do nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --dry-run: print it as JSON")
	cmd.Flags().BoolVar(&o.Heir, app.HeirFlag, false, "wait for the loop that hands over to this one")
	_ = cmd.Flags().MarkHidden(app.HeirFlag) // leaving a room passes it
	cmd.Flags().BoolVar(&o.Resume, "resume", false, "go on although the loop was paused")
	return cmd
}

// mannerFlags are how the control room is shown this once.
func mannerFlags(cmd *cobra.Command, m *app.Manner) {
	cmd.Flags().BoolVar(&m.Plain, "plain", false, "for screen readers: lines without borders, words for signs, each change a new line")
	cmd.Flags().BoolVar(&m.Slow, "slow", false, "for slow lines: four frames a second, nothing moves, clocks by the minute")
}

// runStart starts the loop and says how it ended.
func runStart(cmd *cobra.Command, f *app.Factory, o app.StartOptions) error {
	end, err := app.Start(cmd.Context(), f, o)
	if errors.Is(err, app.ErrPaused) {
		return failWith(err)
	}
	if err != nil {
		return err
	}
	switch {
	case end.Idle:
		fmt.Fprintln(f.IO.Err, "idle: nothing more can happen without you")
	case end.Drained:
		fmt.Fprintln(f.IO.Err, "drained")
	case end.Aborted:
		fmt.Fprintln(f.IO.Err, "aborted: every worker is stopped, the rows are back")
	case end.Left == 1:
		fmt.Fprintln(f.IO.Err, "left: 1 worker goes on; `dispatcher start` re-adopts it")
	case end.Left > 1:
		fmt.Fprintf(f.IO.Err, "left: %d workers go on; `dispatcher start` re-adopts them\n", end.Left)
	}
	return nil
}
