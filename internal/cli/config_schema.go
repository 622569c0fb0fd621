package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/config"
)

// newSchemaCmd prints the JSON schema of dispatcher.config.json, for editors
// and for scripts that write the file.
func newSchemaCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:    "__schema",
		Short:  "Print the JSON schema of " + config.FileName,
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := f.IO.Out.Write(config.JSONSchema()); err != nil {
				return fmt.Errorf("print the schema: %w", err)
			}
			return nil
		},
	}
}
