package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newPullsMergeCmd(f *app.Factory) *cobra.Command {
	var force bool
	cmd := onPull(f, "merge", "Merge a pull request, and set its issues to Done", func(cmd *cobra.Command, name string) error {
		return runMerge(cmd.Context(), f, name, force)
	})
	cmd.Long = `Merge a pull request into its base with a merge commit, without touching a
checkout; then the main checkout follows if it is on that branch and nothing is
in the way. Its issues become Done. Merging what is merged does no harm.

A conflict, a draft and red checks are refused; --force merges in spite of the
checks.`
	cmd.Flags().BoolVar(&force, "force", false, "merge although checks are red")
	return cmd
}

func runMerge(ctx context.Context, f *app.Factory, name string, force bool) error {
	store, err := f.Pulls(ctx)
	if err != nil {
		return err
	}
	// Asked first: a person without a name in git must not find out after the
	// merge.
	owner, err := f.Owner(ctx)
	if err != nil {
		return failWith(err)
	}
	merged, err := store.Merge(ctx, pulls.MergeRequest{Name: name, Force: force, By: owner})
	if err != nil {
		return failWith(err)
	}
	pr := &merged.PR
	word := "merged"
	if merged.Already {
		word = "already merged"
	}
	if _, err := fmt.Fprintf(f.IO.Out, "%s: %s into %s as %s\n", pr.Name, word, pr.Base, short(pr.MergeSHA)); err != nil {
		return err
	}
	for _, n := range merged.Notes {
		note(f, "%s", shown(n))
	}
	done, err := f.CloseIssues(ctx, *pr)
	for _, row := range done {
		if _, printErr := fmt.Fprintf(f.IO.Out, "%s: done\n", row.Ref); printErr != nil {
			return printErr
		}
		noteLeft(f, row.Ref, row.Left)
	}
	if err != nil {
		return failWith(fmt.Errorf("%s is merged, but %w: %w", pr.Name, errBoardLater, err))
	}
	return nil
}

// noteLeft says on standard error that a row was moved and not let go, and why.
func noteLeft(f *app.Factory, ref board.Ref, why string) {
	if why != "" {
		note(f, "%s is not let go: %s", ref, why)
	}
}

func newPullsRequestChangesCmd(f *app.Factory) *cobra.Command {
	var body bodyFlags
	cmd := onPull(f, "request-changes", "Ask for changes, and send the issues back to Changes Requested", nil)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, given, err := body.read(f, cmd)
		if err != nil {
			return err
		}
		if !given {
			return errors.New("say what should change: --body <text> or --body-file <file>")
		}
		return runRequestChanges(cmd.Context(), f, args[0], text)
	}
	body.add(cmd, "what should change, in Markdown")
	return cmd
}

func runRequestChanges(ctx context.Context, f *app.Factory, name, text string) error {
	store, err := f.Pulls(ctx)
	if err != nil {
		return err
	}
	by := "owner"
	if owner, err := f.Owner(ctx); err == nil {
		by = owner.Name
	}
	review, err := store.RequestChanges(ctx, pulls.ChangesRequest{Name: name, By: by, Body: text})
	if err != nil {
		return failWith(err)
	}
	pr, err := store.Get(ctx, name)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f.IO.Out, "%s: changes requested at %s (review %s)\n", pr.Name, short(review.Commit), review.ID); err != nil {
		return err
	}
	rows, err := f.SendBack(ctx, pr)
	for _, r := range rows {
		if r.Sent {
			if _, printErr := fmt.Fprintf(f.IO.Out, "%s: %s\n", r.Ref, board.RoleChangesRequested.Word()); printErr != nil {
				return printErr
			}
			noteLeft(f, r.Ref, r.Left)
			continue
		}
		note(f, "%s stays where it is: it is neither in Human Review nor under review; the loop carries the request", r.Ref)
	}
	if err != nil {
		return failWith(fmt.Errorf("the request is recorded on %s, but the board could not be written (move the row with `dispatcher board state`): %w", pr.Name, err))
	}
	return nil
}
