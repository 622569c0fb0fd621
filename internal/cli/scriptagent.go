package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/workers/script"
)

// newScriptAgentCmd is the scripted agent, started by a supervisor in place of
// the real command.
func newScriptAgentCmd(f *app.Factory) *cobra.Command {
	var session, resume string
	var askFor []string
	cmd := &cobra.Command{
		Use:    script.CommandName + " <script file>",
		Short:  "Play a script file as an agent",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
			defer signal.Stop(signals)
			opt := script.Options{
				Script: args[0], Session: session, AskFor: askFor,
				In: f.IO.In, Out: f.IO.Out, Err: f.IO.Err,
				Env: f.Environ(), Dir: f.Dir, Signals: signals, Now: f.Now,
			}
			if resume != "" {
				opt.Session, opt.Resume = resume, true
			}
			if code := script.Run(cmd.Context(), opt); code != exitOK {
				return silent(code)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&session, script.FlagSession, "", "start this session")
	cmd.Flags().StringVar(&resume, script.FlagResume, "", "go on with this session")
	cmd.Flags().StringArrayVar(&askFor, script.FlagAskFor, nil, "ask before a command that this rule means")
	cmd.MarkFlagsOneRequired(script.FlagSession, script.FlagResume)
	cmd.MarkFlagsMutuallyExclusive(script.FlagSession, script.FlagResume)
	return cmd
}
