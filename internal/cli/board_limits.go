package cli

import (
	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

// newBoardLimitsCmd is `dispatcher board limits`: what is left of the hour
// where requests are counted.
func newBoardLimitsCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "Show what is left of the hour's requests on Linear and GitHub",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := f.Limits(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f, l)
			}
			return say(f, "%s", l.Text(f.Now()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
