package cli

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newPullsCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pulls",
		Short: "Read and settle the repository's pull requests",
		Long: `Read and settle the repository's pull requests, which are kept beside the board
or live on GitHub. #3 and 3 name the same one. A branch's head, what it conflicts
with and how far it is behind are read live.`,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
	}
	cmd.AddCommand(
		newPullsListCmd(f), newPullsViewCmd(f), newPullsDiffCmd(f), newPullsChecksCmd(f),
		newPullsMergeCmd(f), newPullsRequestChangesCmd(f),
	)
	return cmd
}

// openPulls are the open pull requests, for the shell.
func openPulls(ctx context.Context, f *app.Factory) []cobra.Completion {
	store, err := f.Pulls(ctx)
	if err != nil {
		return nil
	}
	prs, err := store.List(ctx, false)
	if err != nil {
		return nil
	}
	out := make([]cobra.Completion, 0, len(prs))
	for i := range prs {
		out = append(out, choice(strconv.Itoa(prs[i].Number), prs[i].Title))
	}
	return out
}

func newPullsListCmd(f *app.Factory) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the open pull requests as tab-separated values",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := f.Pulls(cmd.Context())
			if err != nil {
				return err
			}
			prs, err := store.List(cmd.Context(), all)
			if prs == nil {
				prs = []board.PullRequest{}
			}
			// Broken records do not hide the others; the error follows them.
			if len(prs) > 0 || err == nil {
				if printErr := printPulls(cmd.Context(), f, prs, asJSON); printErr != nil {
					return printErr
				}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "merged and closed ones too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an array of objects")
	return cmd
}

// verdicts are what the last reviews came to. Where one reads as a PASS the
// board is asked, once for all: an agent may have asked for changes without a
// blocking finding. A board that cannot be read changes nothing.
func verdicts(ctx context.Context, f *app.Factory, prs []board.PullRequest) []board.Verdict {
	out := make([]board.Verdict, len(prs))
	ask := false
	for i := range prs {
		out[i] = prs[i].Verdict(nil)
		ask = ask || out[i].Pass && prs[i].State == board.PullOpen
	}
	if !ask {
		return out
	}
	b, err := f.Board(ctx)
	if err != nil {
		return out
	}
	rows, err := b.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		return out
	}
	for i := range rows {
		for n := range prs {
			if out[n].Pass && slices.Contains(prs[n].Issues, rows[i].Ref) {
				out[n] = prs[n].Verdict(&rows[i])
			}
		}
	}
	return out
}

func printPulls(ctx context.Context, f *app.Factory, prs []board.PullRequest, asJSON bool) error {
	if asJSON {
		return printJSON(f, prs)
	}
	rows, said := make([][]string, 0, len(prs)), verdicts(ctx, f, prs)
	for i := range prs {
		p := &prs[i]
		rows = append(rows, []string{
			p.Name, stateOf(p), p.Head, p.Base, short(p.HeadSHA), string(p.Checks), string(p.Mergeable),
			strconv.Itoa(p.Behind), joinRefs(p.Issues), p.Author, p.Title, said[i].Text,
		})
	}
	return table(f,
		[]string{"pr", "state", "head", "base", "sha", "checks", "mergeable", "behind", "issues", "author", "title", "review"}, rows)
}

func stateOf(p *board.PullRequest) string {
	if p.State == board.PullOpen && p.Draft {
		return "draft"
	}
	return string(p.State)
}

// onPull is a command that reads one pull request.
func onPull(f *app.Factory, name, summary string, run func(cmd *cobra.Command, pr string) error) *cobra.Command {
	return &cobra.Command{
		Use:               name + " <pr>",
		Short:             summary,
		Args:              exactArgs("a pull request"),
		ValidArgsFunction: completingOnce(f, openPulls),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd, args[0])
		},
	}
}

func newPullsViewCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := onPull(f, "view", "Show a pull request with its reviews", func(cmd *cobra.Command, name string) error {
		store, err := f.Pulls(cmd.Context())
		if err != nil {
			return err
		}
		pr, err := store.Get(cmd.Context(), name)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(f, pr)
		}
		_, err = io.WriteString(f.IO.Out, shown(viewPull(&pr, verdicts(cmd.Context(), f, []board.PullRequest{pr})[0])))
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return cmd
}

func newPullsDiffCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := onPull(f, "diff", "Show what a pull request changes", func(cmd *cobra.Command, name string) error {
		store, err := f.Pulls(cmd.Context())
		if err != nil {
			return err
		}
		text, err := store.Diff(cmd.Context(), name)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(f, struct {
				Diff string `json:"diff"`
			}{text})
		}
		if f.IO.OutTTY {
			text = shown(text) // in a pipe it stays a patch that applies
		}
		_, err = io.WriteString(f.IO.Out, text)
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return cmd
}
