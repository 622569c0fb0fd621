package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newWhyCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why <ref>",
		Short: "Say why an issue is worked or not: every rule that was asked, and its answer",
		Args:  exactArgs("an issue"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhy(cmd.Context(), f, args[0], asJSON)
		},
		ValidArgsFunction: completingOnce(f, refs),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return cmd
}

// whyJSON is the answer of `why --json`.
type whyJSON struct {
	Ref      board.Ref    `json:"ref"`
	State    string       `json:"state"`
	Eligible bool         `json:"eligible"`
	Answers  []app.Answer `json:"answers"`
}

func runWhy(ctx context.Context, f *app.Factory, arg string, asJSON bool) error {
	_, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	issue, answers, err := f.Why(ctx, ref)
	if err != nil {
		return err
	}
	held := answers[len(answers)-1].Held
	if asJSON {
		return printJSON(f, whyJSON{Ref: issue.Ref, State: issue.State, Eligible: !held, Answers: answers})
	}
	if err := say(f, "%s %s · %s", issue.Ref, issue.Title, issue.State); err != nil {
		return err
	}
	for _, a := range answers {
		mark := "✓"
		if a.Held {
			mark = "✗"
		}
		if err := say(f, "%s %s  %s  (%s)", mark, a.Ask, a.Says, a.Source); err != nil {
			return err
		}
	}
	return nil
}
