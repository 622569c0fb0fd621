package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

// newReviewSyncCmd is `dispatcher review-sync`, which a workflow on GitHub runs
// when a review is submitted (dispatcher-system.md, Review sync).
func newReviewSyncCmd(f *app.Factory) *cobra.Command {
	var event string
	cmd := &cobra.Command{
		Use:   "review-sync",
		Short: "Send a row back when its owner asks for changes on GitHub",
		Long: `Send a row back to Changes Requested when its owner asks for changes on its
pull request. A workflow on pull_request_review (submitted) runs it; the event
is read from GITHUB_EVENT_PATH, the board's key from LINEAR_API_KEY. What is
not for the board exits 0 and says why; a board that cannot be read or written
exits 1.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if event == "" {
				event = f.Getenv("GITHUB_EVENT_PATH")
			}
			return failWith(runReviewSync(cmd.Context(), f, event))
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the event's file (default GITHUB_EVENT_PATH)")
	return cmd
}

func runReviewSync(ctx context.Context, f *app.Factory, event string) error {
	if event == "" {
		return errors.New("review-sync: GITHUB_EVENT_PATH is not set; run it in a workflow on pull_request_review, or name a file with --event")
	}
	reason, done, err := f.ReviewSync(ctx, event)
	if reason != "" {
		return say(f, "%s", reason)
	}
	for _, r := range done {
		line := "%s: left where it is"
		if r.Sent {
			line = "%s: changes-requested"
		}
		if err := say(f, line, r.Ref); err != nil {
			return err
		}
		noteLeft(f, r.Ref, r.Left)
	}
	if err == nil && len(done) == 0 {
		return say(f, "no-issue")
	}
	return err
}
