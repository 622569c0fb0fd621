package worktree

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/internal/git"
)

// branchPlan is what a worktree will be made of.
type branchPlan struct {
	branch   string
	local    bool   // the branch exists here
	upstream string // the remote's commit of it, empty if it has none
	start    string // where a new branch begins
	tracking string // the remote-tracking ref, to be followed
}

// planBranch fetches what the issue needs and decides on the branch.
func (m *Manager) planBranch(ctx context.Context, req CreateRequest) (branchPlan, error) {
	configured := m.base
	if req.Base != "" {
		configured = req.Base
	}
	remote, err := m.git.Remote(ctx, m.repo)
	if err != nil {
		return branchPlan{}, err
	}
	base, err := m.git.DefaultBranch(ctx, m.repo, configured, remote)
	if err != nil {
		return branchPlan{}, err
	}
	if remote != "" {
		if err := m.fetch(ctx, remote, base, req); err != nil {
			return branchPlan{}, err
		}
	}
	plan, err := m.existing(ctx, remote, req)
	if err != nil || plan.branch != "" {
		return plan, err
	}
	from := "refs/heads/" + base
	if remote != "" {
		from = "refs/remotes/" + remote + "/" + base
	}
	plan.branch = req.Branch
	if plan.branch == "" {
		plan.branch = BranchName(req.Ref, req.Title)
	}
	plan.start, err = m.git.RevParse(ctx, m.repo, from)
	if errors.Is(err, git.ErrNotFound) {
		err = fmt.Errorf("the default branch %s is not there (%w): name another as `pulls.base` in dispatcher.config.json", base, err)
	}
	return plan, err
}

// fetch brings the default branch and the branches up to date, and
// nothing else.
func (m *Manager) fetch(ctx context.Context, remote, base string, req CreateRequest) error {
	id := identifier(req.Ref)
	specs := []string{
		git.TrackingRefspec(remote, base),
		git.TrackingRefspec(remote, BranchPrefix+id+"*"),
	}
	if req.Branch != "" && req.Branch != base && !BranchIs(req.Branch, req.Ref) {
		heads, err := m.git.RemoteHeads(ctx, m.repo, remote)
		if err != nil {
			return err
		}
		if heads[req.Branch] != "" {
			specs = append(specs, git.TrackingRefspec(remote, req.Branch))
		}
	}
	return m.git.Fetch(ctx, m.repo, remote, specs...)
}

// existing finds the branch of an issue that has one: the one asked for, else
// by identifier, the local before the remote's, the newest first.
func (m *Manager) existing(ctx context.Context, remote string, req CreateRequest) (branchPlan, error) {
	patterns := func(prefix string) []string {
		if req.Branch != "" {
			return []string{prefix + req.Branch}
		}
		id := prefix + BranchPrefix + identifier(req.Ref)
		return []string{id, id + "-*"}
	}
	locals, err := m.matching(ctx, req, patterns("refs/heads/"))
	if err != nil {
		return branchPlan{}, err
	}
	var remotes []git.Ref
	if remote != "" {
		if remotes, err = m.matching(ctx, req, patterns("refs/remotes/"+remote+"/")); err != nil {
			return branchPlan{}, err
		}
	}
	switch {
	case len(locals) > 0:
		plan := branchPlan{branch: locals[0].Name, local: true}
		for _, r := range remotes {
			if r.Name == plan.branch {
				plan.upstream = r.Commit
			}
		}
		return plan, nil
	case len(remotes) > 0:
		r := remotes[0]
		return branchPlan{branch: r.Name, upstream: r.Commit, start: r.Commit, tracking: r.Full}, nil
	}
	return branchPlan{}, nil
}

func (m *Manager) matching(ctx context.Context, req CreateRequest, patterns []string) ([]git.Ref, error) {
	refs, err := m.git.Refs(ctx, m.repo, patterns...)
	if err != nil {
		return nil, err
	}
	var found []git.Ref
	for _, r := range refs {
		if r.Name == req.Branch || req.Branch == "" && BranchIs(r.Name, req.Ref) {
			found = append(found, r)
		}
	}
	return found, nil
}
