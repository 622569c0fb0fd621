package cli

import (
	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/workers"
)

// newSuperviseCmd is the process that looks after one run, started by the
// launcher and by nobody else.
func newSuperviseCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:    workers.SuperviseCommand + " <run folder>",
		Short:  "Look after one run",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return failWith(f.Supervise(cmd.Context(), args[0]))
		},
	}
}
