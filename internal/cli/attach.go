package cli

import (
	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

func newAttachCmd(f *app.Factory) *cobra.Command {
	var m app.Manner
	cmd := &cobra.Command{
		Use:   "attach",
		Short: "Open the control room on the loop that runs over this repository",
		Long: `Open the control room on the loop that runs over this repository, here or
several times at once. Leaving only leaves: the loop and its workers go on.
When the loop is away the room says so and takes it up again when it is back.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Attach(cmd.Context(), m); err != nil {
				return failWith(err)
			}
			return nil
		},
	}
	mannerFlags(cmd, &m)
	return cmd
}
