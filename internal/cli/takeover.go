package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/loop/state"
)

func newTakeOverCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "take-over <ref>",
		Short: "Go on in a worker's session yourself, in this terminal",
		Long: `Go on in the session of the worker on an issue yourself, in this terminal: its
agent is ended, you work in its worktree as that worker, and the loop keeps the
claim meanwhile. When you leave, the loop goes on in the same session; what you
have finished by then it only verifies.`,
		Args:              exactArgs("an issue"),
		ValidArgsFunction: completingOnce(f, working),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, ref, err := boardRef(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			t, err := f.TakeOver(cmd.Context(), ref)
			if err != nil {
				return failWith(fmt.Errorf("take-over %s: %w", ref, err))
			}
			fmt.Fprintf(f.IO.Err, "%s is yours, in %s; leave the session to hand it back\n", ref, t.Dir)
			// Ctrl-C is for the session; we stay to hand it back.
			drop := make(chan os.Signal, 1)
			signal.Notify(drop, os.Interrupt, syscall.SIGQUIT)
			defer signal.Stop(drop)
			ran := t.Open(cmd.Context(), f.IO.In, f.IO.Out, f.IO.Err)
			if err := t.HandBack(cmd.Context()); err != nil {
				fmt.Fprintf(f.IO.Err, "%s was not handed back: %v; the next loop takes it back\n", ref, err)
			} else {
				fmt.Fprintf(f.IO.Err, "%s is handed back\n", ref)
			}
			if exit, ok := errors.AsType[*exec.ExitError](ran); ok {
				return fmt.Errorf("the session ended with exit code %d", exit.ExitCode())
			}
			return ran
		},
	}
}

// newCtlTakeOverCmds hand a session over without opening it here.
func newCtlTakeOverCmds(f *app.Factory) []*cobra.Command {
	return []*cobra.Command{
		newCtlWorkerCmd(f, ctlWorker{
			kind: state.CommandTakeOver, use: "take-over <ref>", short: "End the agent on an issue so that you can go on in its session",
			long: `End the agent on an issue so that you can go on in its session; ` + "`dispatcher take-over <ref>`" + `
opens it too. The claim is kept until ` + "`ctl hand-back`" + `, or until a session that was
opened with ` + "`dispatcher take-over`" + ` is left.`,
			did: "is yours when its agent has ended",
		}),
		newCtlWorkerCmd(f, ctlWorker{
			kind: state.CommandHandBack, use: "hand-back <ref>", short: "Let the loop go on in a session that you took over",
			did: "is handed back",
		}),
	}
}
