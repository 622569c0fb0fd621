package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

func newVersionCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(f.IO.Out, versionLine(f))
			return err
		},
	}
}

func versionLine(f *app.Factory) string {
	return fmt.Sprintf("dispatcher %s %s/%s %s", f.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
