package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

// newBoardLimitsCmd is `dispatcher board limits`: what is left of the hour on a
// board that counts requests.
func newBoardLimitsCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "Show what is left of the hour's requests on Linear",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := f.BoardLimits(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f, l)
			}
			text := fmt.Sprintf("%d of %d requests are left of this hour, %d points; all of it is back at %s",
				l.Requests, l.Limit, l.Points, l.Reset.UTC().Format("15:04:05Z"))
			if l.Until.After(f.Now()) {
				text = fmt.Sprintf("nothing is asked before %s: Linear's hourly limit was reached", l.Until.UTC().Format("15:04:05Z"))
			}
			return say(f, "%s", text)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
