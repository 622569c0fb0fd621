package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/app"
)

// reviewOptions are what `dispatcher review` takes.
type reviewOptions struct {
	name, commit       string
	bodyFile, findings string
	json               bool
}

func newReviewCmd(f *app.Factory) *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review <pr> --commit <sha> --body-file <file> [--findings <json>]",
		Short: "Post a review as the reviewer identity",
		Long: `Post one review on a pull request as the reviewer identity: always a comment,
never an approval. --findings takes a JSON array, or a file that holds one:

  [{"path": "a.go", "line": 3, "severity": "blocking", "body": "why"}]

A path must be one that the pull request changes; line counts from 1 in the new
file, 0 is the file as a whole; severity is blocking or nit.`,
		Args:              exactArgs("a pull request"),
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
		ValidArgsFunction: completingOnce(f, openPulls),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runReview(cmd, f, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.commit, "commit", "", "the commit that was reviewed")
	fl.StringVar(&o.bodyFile, "body-file", "", "the file that holds the review, Markdown; - is standard input")
	fl.StringVar(&o.findings, "findings", "", "findings as a JSON array, or the file that holds one")
	fl.BoolVar(&o.json, "json", false, "print the review as JSON")
	_ = cmd.MarkFlagRequired("commit")
	_ = cmd.MarkFlagRequired("body-file")
	return cmd
}

func runReview(cmd *cobra.Command, f *app.Factory, o reviewOptions) error {
	body, err := readInput(f, o.bodyFile)
	if err != nil {
		return err
	}
	findings, err := readFindings(f, o.findings)
	if err != nil {
		return err
	}
	store, err := f.Pulls(cmd.Context())
	if err != nil {
		return err
	}
	review, err := store.Review(cmd.Context(), pulls.ReviewRequest{
		Name: o.name, Commit: o.commit, Body: string(body), Findings: findings,
	})
	if err != nil {
		return failWith(err)
	}
	if o.json {
		return printJSON(f, review)
	}
	blocking := 0
	for _, x := range review.Findings {
		if x.Severity == board.SeverityBlocking {
			blocking++
		}
	}
	_, err = fmt.Fprintf(f.IO.Out, "review %s by %s at %s: %d findings, %d blocking\n",
		review.ID, shown(review.Author), short(review.Commit), len(review.Findings), blocking)
	return err
}

// readFindings reads --findings: JSON itself, or a file of it.
func readFindings(f *app.Factory, arg string) ([]board.Finding, error) {
	if arg == "" {
		return nil, nil
	}
	data := []byte(arg)
	if t := strings.TrimSpace(arg); !strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "{") {
		var err error
		if data, err = readInput(f, arg); err != nil {
			return nil, err
		}
	}
	return pulls.ParseFindings(data)
}
