package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/app"
)

// prOptions are what `dispatcher pr` takes.
type prOptions struct {
	title, base, head string
	repo              string
	body              string
	hasTitle, hasBody bool
	draft, json       bool
}

func newPRCmd(f *app.Factory) *cobra.Command {
	var o prOptions
	var body bodyFlags
	cmd := &cobra.Command{
		Use:   "pr --title <title> [--body <text> | --body-file <file>]",
		Short: "Open a pull request as the developer identity",
		Long: `Open a pull request from this worktree's branch as the developer identity, and
link it to the issues that its body names in "Fixes <REF>" lines.

A draft of the same branch is marked ready (and its title and body replaced
where given), unless --draft is given too.`,
		Args:    noArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.body, o.hasBody, err = body.read(f, cmd); err != nil {
				return err
			}
			o.hasTitle = cmd.Flags().Changed("title")
			return runPR(cmd.Context(), f, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.title, "title", "", "the title, one line")
	body.add(cmd, "the body, in Markdown, with a line that says Fixes <REF>")
	fl.StringVar(&o.base, "base", "", "the branch to merge into (default the repository's default branch)")
	fl.StringVar(&o.head, "head", "", "the branch to merge (default the current one)")
	fl.StringVar(&o.repo, "repo", "", "another repository than the configured one, as owner/name; on GitHub only")
	fl.BoolVar(&o.draft, "draft", false, "open it as a draft")
	fl.BoolVar(&o.json, "json", false, "print the pull request as JSON")
	return cmd
}

func runPR(ctx context.Context, f *app.Factory, o prOptions) error {
	actor, err := f.Actor()
	if err != nil {
		return err
	}
	f.Repository = o.repo
	store, err := f.Pulls(ctx)
	if err != nil {
		return err
	}
	if o.head == "" {
		if o.head, err = currentBranch(ctx, f); err != nil {
			return failWith(err)
		}
	}
	pr, marked, err := markReady(ctx, store, o)
	if err == nil && !marked {
		pr, err = store.Create(ctx, pulls.CreateRequest{Title: o.title, Body: o.body, Base: o.base, Head: o.head, Draft: o.draft})
	}
	if err != nil {
		return failWith(err)
	}
	linkIssues(ctx, f, actor, &pr)
	warnOfCommits(ctx, f, &pr)
	if o.json {
		return printJSON(f, pr)
	}
	return printOpened(f, &pr, marked)
}

func currentBranch(ctx context.Context, f *app.Factory) (string, error) {
	_, branch, err := f.Git().Head(ctx, f.Dir)
	if err != nil {
		return "", err
	}
	if branch == "" {
		return "", errors.New("this worktree is on no branch: check one out, or name it with --head")
	}
	return branch, nil
}

// markReady takes the branch's draft out of draft, if it has one and no draft
// is asked for.
func markReady(ctx context.Context, store pulls.Forge, o prOptions) (board.PullRequest, bool, error) {
	old, err := store.ByHead(ctx, o.head)
	if errors.Is(err, pulls.ErrNotFound) || err == nil && (!old.Draft || o.draft) {
		return board.PullRequest{}, false, nil
	}
	if err != nil {
		return board.PullRequest{}, false, err
	}
	ready := false
	edit := pulls.Edit{Draft: &ready}
	if o.hasTitle {
		edit.Title = &o.title
	}
	if o.hasBody {
		edit.Body = &o.body
	}
	pr, err := store.Update(ctx, old.Name, edit)
	return pr, true, err
}

// linkIssues links the pull request to the rows that its body names. That a
// link is missing is said; it does not undo the pull request.
func linkIssues(ctx context.Context, f *app.Factory, actor board.Actor, pr *board.PullRequest) {
	if actor.Worker() && !slices.ContainsFunc(pr.Issues, func(r board.Ref) bool { return strings.EqualFold(string(r), string(actor.Ref)) }) {
		note(f, "warning: the body has no line `Fixes %s`", actor.Ref)
	}
	if len(pr.Issues) == 0 {
		return
	}
	policy, err := f.Board(ctx)
	if err != nil {
		note(f, "warning: %s is not linked to its issue: %v", pr.Name, err)
		return
	}
	for _, named := range pr.Issues {
		ref, err := policy.ParseRef(string(named))
		if err != nil {
			continue // an issue of another board, as a legacy #12 may be
		}
		if err := policy.LinkPR(ctx, ref, pr.Name); err != nil {
			note(f, "warning: %v", err)
		}
	}
}

// warnOfCommits says which commits are not the developer's, and which are not
// part of the pull request because they are only here.
func warnOfCommits(ctx context.Context, f *app.Factory, pr *board.PullRequest) {
	if len(pr.Foreign) > 0 {
		note(f, "warning: not all commits are by %s but by %s: commit with `dispatcher commit`", pr.Author, shown(strings.Join(pr.Foreign, ", ")))
	}
	g := f.Git()
	if tip, err := g.RevParse(ctx, f.Dir, "refs/heads/"+pr.Head); err == nil && tip != pr.HeadSHA {
		if n, err := g.BehindBy(ctx, f.Dir, tip, pr.HeadSHA); err == nil && n > 0 {
			note(f, "warning: %d commits of %s are not pushed and not part of %s", n, pr.Head, pr.Name)
		}
	}
}

func printOpened(f *app.Factory, pr *board.PullRequest, marked bool) error {
	name := pr.Name
	if pr.URL != "" {
		name = pr.URL
	}
	how := ""
	switch {
	case marked:
		how = " (marked ready for review)"
	case pr.Draft:
		how = " (draft)"
	}
	_, err := fmt.Fprintf(f.IO.Out, "%s%s\nopened by: %s\n", name, how, shown(pr.Author))
	return err
}
