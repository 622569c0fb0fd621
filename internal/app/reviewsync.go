package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/ghapi"
	"github.com/backside4charter/dispatcher/internal/reviewsync"
)

// ReviewSync carries out dispatcher-system.md, Review sync, for a delivery of
// GitHub's in a file. It answers why nothing was to be done, or what became of
// each row of the pull request.
func (f *Factory) ReviewSync(ctx context.Context, path string) (reason string, done []reviewsync.Result, err error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return "", nil, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Dir, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", nil, fmt.Errorf("read the event: %w", err)
	}
	defer file.Close()
	e, err := reviewsync.ReadEvent(file)
	if err != nil {
		return "", nil, err
	}
	if reason := e.Passes(botsOf(cfg), trusts(cfg)); reason != "" {
		return reason, nil, nil
	}
	pr := board.PullRequest{
		Number: e.PullRequest.Number, Name: fmt.Sprintf("#%d", e.PullRequest.Number), URL: e.PullRequest.URL,
		Title: e.PullRequest.Title, Body: e.PullRequest.Body, Head: e.PullRequest.Head.Ref, State: board.PullOpen,
	}
	automation, rows, err := f.rowsNamed(ctx, pr)
	if err != nil {
		return "", nil, err
	}
	done, err = reviewsync.SendBack(ctx, automation, rows)
	return "", done, err
}

// botsOf are the accounts whose reviews are the agents': those that are listed,
// and the two Apps.
func botsOf(cfg *config.Config) []int64 {
	if cfg.GitHubApps == nil {
		return cfg.BotUserIDs
	}
	return append(slices.Clone(cfg.BotUserIDs), cfg.GitHubApps.Developer.BotUserID, cfg.GitHubApps.Reviewer.BotUserID)
}

// trusts says whose word on a pull request counts: of those that trust.authors
// names, else of GitHub's owners, members and collaborators (design.md,
// sections 8 and 14).
func trusts(cfg *config.Config) func(login, association string) bool {
	return func(login, association string) bool {
		if named := cfg.Trust.Authors; len(named) > 0 {
			return slices.ContainsFunc(named, func(n string) bool { return strings.EqualFold(n, login) })
		}
		return ghapi.Insider(association)
	}
}

// rowsNamed are the rows of a pull request of which only the forge's own words
// are known. Linear is asked for its links; the rows of other boards are compared.
func (f *Factory) rowsNamed(ctx context.Context, pr board.PullRequest) (*board.Policy, []board.Issue, error) {
	policy, err := f.Board(ctx)
	if err != nil {
		return nil, nil, err
	}
	if f.linear == nil {
		pr.Issues = pulls.Fixes(pr.Body)
		return f.rowsOf(ctx, pr)
	}
	rows, err := f.linear.IssuesOf(ctx, pr)
	return policy.As(board.Actor{Kind: board.ActorAutomation}), rows, err
}
