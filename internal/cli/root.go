// Package cli is the command line: one file per command, each turning flags
// into an options struct and that into a run function, and the one place where
// errors become exit codes. It holds no policy.
package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

// Exit codes (dispatcher-system.md, CLI).
const (
	exitOK    = 0
	exitFail  = 1 // status down; pr, review-sync, init and prune failures
	exitUsage = 2 // usage and board errors
)

// exitError carries the exit code that an error asks for.
type exitError struct {
	code int
	err  error // nil: say nothing more
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// failWith marks an error as one that exits 1 instead of 2.
func failWith(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitFail, err: err}
}

// silent ends the command with a code after it has said everything itself.
func silent(code int) error { return &exitError{code: code} }

// commands lists the constructors of all top-level commands.
func commands() []func(*app.Factory) *cobra.Command {
	return []func(*app.Factory) *cobra.Command{
		newVersionCmd,
		newSchemaCmd,
		newCommitCmd,
		newPRCmd,
		newTokenCmd,
		newIdentityCmd,
		newCredentialCmd,
		newReviewCmd,
		newPullsCmd,
		newPruneCmd,
		newStartCmd,
		newCtlCmd,
		newTakeOverCmd,
		newAttachCmd,
		newWhyCmd,
		newRunsCmd,
		newLogsCmd,
		newBoardCmd,
		newReviewSyncCmd,
		newScriptAgentCmd,
		newDemoCmd,
		newSuperviseCmd,
	}
}

// New builds the whole command tree over one factory.
func New(f *app.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:           "dispatcher",
		Short:         "A control room for a human-supervised loop of coding agents",
		Version:       f.Version, // adds --version
		SilenceErrors: true,
		SilenceUsage:  true,
		// Whatever a command is: a worker may run what its kind may.
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
	}
	root.SetVersionTemplate(versionLine(f) + "\n")
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetIn(f.IO.In)
	for _, c := range commands() {
		root.AddCommand(c(f))
	}
	return root
}

// Main runs the command line and answers the exit code.
func Main(ctx context.Context, f *app.Factory, args []string) int {
	root := New(f)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		if exit.err != nil {
			fmt.Fprintf(f.IO.Err, "dispatcher: %v\n", exit.err)
		}
		return exit.code
	}
	fmt.Fprintf(f.IO.Err, "dispatcher: %v\n", err)
	return exitUsage
}
