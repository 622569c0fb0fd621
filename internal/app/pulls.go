package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/reviewsync"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/worktree"
)

// Identities are who the agents are in git and on pull requests.
func (f *Factory) Identities(ctx context.Context) (gitapp.Identities, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return gitapp.Identities{}, err
	}
	return identitiesOf(cfg), nil
}

func identitiesOf(cfg *config.Config) gitapp.Identities {
	if cfg.Pulls.Kind == config.PullsGitHub && cfg.GitHubApps != nil {
		return gitapp.Identities{
			Developer: appOf(AppDeveloper, &cfg.GitHubApps.Developer).Identity(),
			Reviewer:  appOf(AppReviewer, &cfg.GitHubApps.Reviewer).Identity(),
		}
	}
	n := cfg.Native
	return gitapp.Native(n.DeveloperName, n.DeveloperEmail, n.ReviewerName)
}

// Owner is the person whose repository this is, as git knows them.
func (f *Factory) Owner(ctx context.Context) (gitapp.Identity, error) {
	repo, err := f.Repo(ctx)
	if err != nil {
		return gitapp.Identity{}, err
	}
	// What git itself would sign a merge with: the environment before the
	// configuration.
	who := gitapp.Identity{Name: f.Getenv("GIT_COMMITTER_NAME"), Email: f.Getenv("GIT_COMMITTER_EMAIL")}
	if who.Name == "" {
		if who.Name, err = f.Git().Config(ctx, repo.Root, "user.name"); err != nil {
			return who, err
		}
	}
	if who.Email == "" {
		if who.Email, err = f.Git().Config(ctx, repo.Root, "user.email"); err != nil {
			return who, err
		}
	}
	if who.Name == "" || who.Email == "" {
		return who, errors.New("git does not know who you are: `git config --global user.name \"Your Name\"` and `git config --global user.email you@example.com`")
	}
	return who, nil
}

// pullParts is what the factory keeps of the pull requests.
type pullParts struct {
	pullsMu sync.Mutex
	pulls   pulls.Forge
}

// Pulls are the repository's pull requests, here or on GitHub. They are opened
// once; a failure is not kept.
func (f *Factory) Pulls(ctx context.Context) (pulls.Forge, error) {
	f.pullsMu.Lock()
	defer f.pullsMu.Unlock()
	if f.pulls != nil {
		return f.pulls, nil
	}
	store, err := f.openPulls(ctx)
	if err != nil {
		return nil, err
	}
	f.pulls = store
	return store, nil
}

func (f *Factory) openPulls(ctx context.Context) (pulls.Forge, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	repo, err := f.Repo(ctx)
	if err != nil {
		return nil, err
	}
	who, err := f.Identities(ctx)
	if err != nil {
		return nil, err
	}
	if cfg.Pulls.Kind == config.PullsGitHub {
		return f.openGitHub(ctx, cfg, repo, who)
	}
	if f.Repository != "" {
		return nil, fmt.Errorf("another repository (%s) can be named only where pull requests live on GitHub (pulls.kind)", f.Repository)
	}
	return local.Open(local.Options{
		Git: f.Git(), Dir: pullsDir(cfg), Repo: repo.Root, Base: repo.Base, Remote: repo.Remote,
		Developer: who.Developer, Reviewer: who.Reviewer, Checks: checkSpecs(cfg), Environ: f.Environ(), Now: f.Now,
	}), nil
}

// checkSpecs are the configured checks.
func checkSpecs(cfg *config.Config) []local.CheckSpec {
	checks := make([]local.CheckSpec, 0, len(cfg.Pulls.Checks))
	for _, c := range cfg.Pulls.Checks {
		checks = append(checks, local.CheckSpec{
			Name: c.Name, Command: c.Command, Timeout: time.Duration(c.TimeoutSeconds) * time.Second,
		})
	}
	return checks
}

// pullsDir is where the records lie: beside the native board, else in a folder
// of their own (design.md, sections 8 and 10).
func pullsDir(cfg *config.Config) string {
	if cfg.Platform != config.PlatformNative {
		return filepath.Join(cfg.Root, ".dispatcher", "pulls")
	}
	return filepath.Join(cfg.NativeDir(), "pulls")
}

// pullOfIssueMerged says whether the pull request of a row is merged: what a
// board policy asks before an agent moves it.
func (f *Factory) pullOfIssueMerged(ctx context.Context, issue board.Issue) (bool, error) {
	store, err := f.Pulls(ctx)
	if err != nil {
		return false, err
	}
	if quick, remote := store.(pulls.Finder); remote {
		pr, err := pullInTwo(ctx, quick, &issue)
		return plan.EndedByMerge(&issue, pr), err
	}
	all, err := store.List(ctx, true)
	_, broken := errors.AsType[*local.BrokenError](err)
	if err != nil && !broken {
		return false, err
	}
	pr := plan.PullOf(&issue, all)
	if pr != nil && pr.Author == local.UnreadableAuthor {
		return false, err
	}
	// A merge from before its owner reopened the row says nothing of the work now.
	return plan.EndedByMerge(&issue, pr), nil
}

// pullInTwo is the pull request of a row, in a request where it is open and
// ours, else in two: one that is open comes before one that ended, and need
// neither be linked nor be on the row's branch.
func pullInTwo(ctx context.Context, from pulls.Finder, issue *board.Issue) (*board.PullRequest, error) {
	found, err := from.Find(ctx, worktree.BranchName(string(issue.Ref), issue.Title), issue.PRs)
	if err != nil {
		return nil, err
	}
	if pr := plan.PullOf(issue, found); pr != nil && pr.State == board.PullOpen && pr.ByAgent {
		return pr, nil
	}
	more, err := from.Outlines(ctx)
	if err != nil {
		return nil, err
	}
	return plan.PullOf(issue, append(found, more...)), nil
}

// IssueOf is a row of a pull request and what says that it is.
type IssueOf struct {
	Issue board.Issue
	Via   plan.Via
}

// namesRows is a board that is asked for the rows alone that a pull request may
// belong to: reading all that are closed costs a request for every forty of them
// on Linear, and for every hundred on GitHub.
type namesRows interface {
	IssuesOf(ctx context.Context, pr board.PullRequest) ([]board.Issue, error)
}

// IssuesOf are the rows that a pull request belongs to or names, closed ones
// included, each with what says so.
func (f *Factory) IssuesOf(ctx context.Context, pr board.PullRequest) ([]IssueOf, error) {
	policy, err := f.Board(ctx)
	if err != nil {
		return nil, err
	}
	var rows []board.Issue
	if f.remote != nil {
		rows, err = f.remote.IssuesOf(ctx, pr)
	} else {
		rows, err = policy.Poll(ctx, board.Query{AllMilestones: true, Closed: true})
	}
	if err != nil {
		return nil, err
	}
	var of []IssueOf
	for i := range rows {
		via := plan.Named(&rows[i], &pr)
		if via == "" && f.remote != nil {
			via = plan.ViaLink // kept by the board: to the pull request, or to a GitHub issue that it fixes
		}
		if via != "" {
			of = append(of, IssueOf{Issue: rows[i], Via: via})
		}
	}
	return of, nil
}

// rowsOf are the rows that a pull request belongs to, and who writes to them
// when it is merged or sent back; those that it only speaks of are not written to.
func (f *Factory) rowsOf(ctx context.Context, pr board.PullRequest) (*board.Policy, []board.Issue, error) {
	policy, err := f.Board(ctx)
	if err != nil {
		return nil, nil, err
	}
	of, err := f.IssuesOf(ctx, pr)
	if err != nil {
		return nil, nil, err
	}
	var rows []board.Issue
	for i := range of {
		if plan.Belongs(&of[i].Issue, &pr) != "" {
			rows = append(rows, of[i].Issue)
		}
	}
	return policy.As(board.Actor{Kind: board.ActorAutomation}), rows, nil
}

// ClosedRow is a row that is Done.
type ClosedRow struct {
	Ref board.Ref
	// Left says why it was not let go, as reviewsync.Result's.
	Left string
}

// CloseIssues sets every row of a merged pull request to Done and releases it,
// as the board's automation (design.md, section 8, Who writes Done); twice is
// once. It answers the rows that are Done now.
func (f *Factory) CloseIssues(ctx context.Context, pr board.PullRequest) ([]ClosedRow, error) {
	automation, rows, err := f.rowsOf(ctx, pr)
	if err != nil {
		return nil, err
	}
	var (
		done []ClosedRow
		errs []error
	)
	for i := range rows {
		row := &rows[i]
		left, err := closeRow(ctx, automation, row)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		done = append(done, ClosedRow{row.Ref, left})
	}
	return done, errors.Join(errs...)
}

func closeRow(ctx context.Context, automation *board.Policy, row *board.Issue) (left string, err error) {
	if row.Closed && row.Claim == nil && row.Delegate == board.DelegateNone {
		return "", nil
	}
	if !row.Closed {
		if err := automation.SetState(ctx, row.Ref, board.RoleDone); err != nil {
			return "", err
		}
	}
	return board.ClaimLeft(automation.Release(ctx, row.Ref, ""))
}

// SendBack does for a local pull request what review sync does for one on
// GitHub: the rows that wait for the owner's answer go to Changes Requested.
func (f *Factory) SendBack(ctx context.Context, pr board.PullRequest) ([]reviewsync.Result, error) {
	automation, rows, err := f.rowsOf(ctx, pr)
	if err != nil {
		return nil, err
	}
	return reviewsync.SendBack(ctx, automation, rows)
}
