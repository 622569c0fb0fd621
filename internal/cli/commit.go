package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newCommitCmd(f *app.Factory) *cobra.Command {
	var o struct {
		message, file string
		all           bool
	}
	cmd := &cobra.Command{
		Use:   "commit (-m <message> | -F <file>) [-a]",
		Short: "Commit what is staged as the developer identity",
		Long: `Commit what is staged in this worktree, as git commit does, under the
developer identity. The identity is given for this one commit; no configuration
changes.`,
		Args:    noArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := gitapp.CommitRequest{Message: o.message, All: o.all}
			switch o.file {
			case "":
			case "-":
				data, err := readInput(f, "-")
				if err != nil {
					return err
				}
				req.Message = string(data)
			default:
				req.File = inDir(f, o.file)
			}
			who, err := f.Identities(cmd.Context())
			if err != nil {
				return err
			}
			out, err := gitapp.Commit(cmd.Context(), f.Git(), f.Dir, who.Developer, req)
			if err != nil {
				return failWith(err)
			}
			_, err = io.WriteString(f.IO.Out, out)
			return err
		},
	}
	cmd.Flags().StringVarP(&o.message, "message", "m", "", "the message")
	cmd.Flags().StringVarP(&o.file, "file", "F", "", "the file that holds the message; - is standard input")
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "commit all changes to tracked files, as git commit -a")
	cmd.MarkFlagsMutuallyExclusive("message", "file")
	cmd.MarkFlagsOneRequired("message", "file")
	return cmd
}
