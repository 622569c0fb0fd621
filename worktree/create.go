package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/internal/git"
)

// CreateRequest asks for the worktree of an issue.
type CreateRequest struct {
	Ref   string
	Title string
	RunID string // the run it is locked for
	PID   int    // the process it is locked for
	// Branch, if known, is the branch to go on with (that of a pull request);
	// empty finds the issue's own by its identifier.
	Branch string
	// Base overrides the configured default branch.
	Base string
	// Setup says that a worktree which is made has to be set up before it is
	// used: until SetUp is called for it, Create answers SetupDue.
	Setup bool
}

// Create makes the worktree, locked for the run. Work goes on where it
// is: a worktree of ours that has the branch checked out, clean or not,
// is used as it stands; else an existing branch, the remote's or the local
// one, is checked out; else a new branch begins at the freshly fetched default
// branch. ErrInUse says who has the branch or the worktree.
func (m *Manager) Create(ctx context.Context, req CreateRequest) (Worktree, error) {
	fail := func(err error) (Worktree, error) {
		return Worktree{}, fmt.Errorf("create the worktree of %s: %w", req.Ref, err)
	}
	if !runID.MatchString(req.RunID) {
		return fail(fmt.Errorf("%.80q is no run id", req.RunID))
	}
	if req.Branch != "" {
		if err := git.ValidBranch(req.Branch); err != nil {
			return fail(err)
		}
	}
	if err := m.git.RequireCommit(ctx, m.repo); err != nil {
		return fail(err)
	}
	common, err := m.commonDir(ctx)
	if err != nil {
		return fail(err)
	}
	if err := ensureExcludes(ctx, common); err != nil {
		return fail(err)
	}
	var w Worktree
	err = m.exclusive(ctx, func() error {
		plan, err := m.planBranch(ctx, req)
		if err != nil {
			return err
		}
		list, err := m.git.Worktrees(ctx, m.repo)
		if err != nil {
			return err
		}
		w, list, err = m.reuse(ctx, req, plan, list)
		if err == nil && w.Path == "" {
			w, err = m.add(ctx, req, plan, list)
			if err == nil && req.Setup {
				err = m.markSetup(ctx, w.Path)
			}
		}
		if err == nil && req.Setup {
			w.SetupDue, err = m.setupIsDue(ctx, w.Path)
		}
		return err
	})
	if err != nil {
		return fail(err)
	}
	return w, nil
}

// Reach asks the remote for its branches: nil when it answers, and where there
// is none.
func (m *Manager) Reach(ctx context.Context) error {
	remote, err := m.git.Remote(ctx, m.repo)
	if err != nil || remote == "" {
		return err
	}
	_, err = m.git.RemoteHeads(ctx, m.repo, remote)
	return err
}

// add makes the worktree anew.
func (m *Manager) add(ctx context.Context, req CreateRequest, plan branchPlan, list []git.Worktree) (Worktree, error) {
	path, err := m.freePath(DirName(req.Ref, req.Title), list)
	if err != nil {
		return Worktree{}, err
	}
	add := git.AddRequest{Path: path, Reason: LockReason(req.RunID, req.PID)}
	switch {
	case plan.local:
		add.Branch = plan.branch
	case plan.tracking != "":
		add.NewBranch, add.Start, add.Track = plan.branch, plan.tracking, true
	default:
		add.NewBranch, add.Start = plan.branch, plan.start
	}
	if err := m.git.AddWorktree(ctx, m.repo, add); err != nil {
		m.clearFailed(ctx, add, plan)
		return Worktree{}, m.explainAdd(ctx, plan.branch, err)
	}
	w := Worktree{
		Path: path, Branch: plan.branch, Locked: true, Reason: add.Reason,
		Existing: plan.local || plan.tracking != "", Made: true, Head: plan.start,
	}
	if !plan.local {
		return w, nil
	}
	return m.catchUp(ctx, w, plan)
}

// freePath answers a path below Root that neither a file nor an entry of git's
// registry has: what lies there is somebody's until prune has looked at it.
func (m *Manager) freePath(name string, list []git.Worktree) (string, error) {
	if err := os.MkdirAll(m.Root(), 0o755); err != nil {
		return "", fmt.Errorf("make the folder of the worktrees: %w", err)
	}
	taken := map[string]bool{}
	for _, w := range list {
		taken[resolved(w.Path)] = true
	}
	for n := 1; ; n++ {
		path := filepath.Join(m.Root(), name)
		if n > 1 {
			path += "-" + strconv.Itoa(n)
		}
		_, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) && !taken[resolved(path)] {
			return path, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("look for a free folder: %w", err)
		}
	}
}

// clearFailed removes what a failed add left behind: a hook may fail when all
// else is done. There is no work in it yet.
func (m *Manager) clearFailed(ctx context.Context, add git.AddRequest, plan branchPlan) {
	ctx = context.WithoutCancel(ctx)
	list, err := m.git.Worktrees(ctx, m.repo)
	if err != nil {
		return
	}
	for _, w := range list {
		if resolved(w.Path) != resolved(add.Path) {
			continue
		}
		if w.Locked {
			_ = m.git.UnlockWorktree(ctx, m.repo, w.Path)
		}
		_ = m.git.RemoveWorktree(ctx, m.repo, w.Path, true)
		if add.NewBranch != "" && w.Branch == add.NewBranch && plan.tracking == "" {
			_ = m.git.DeleteBranch(ctx, m.repo, add.NewBranch, plan.start)
		}
	}
}

// explainAdd says who is in the way, where git only says that somebody is.
func (m *Manager) explainAdd(ctx context.Context, branch string, err error) error {
	list, listErr := m.git.Worktrees(ctx, m.repo)
	if listErr != nil {
		return err
	}
	for _, w := range list {
		if w.Branch == branch {
			return fmt.Errorf("the branch %s is checked out in %s: %w: switch that checkout to another branch", branch, w.Path, ErrInUse)
		}
	}
	if strings.Contains(git.Stderr(err), "refs/heads/task'") {
		return fmt.Errorf("a branch called task is in the way of %s: rename it (`git branch -m task other`): %w", branch, err)
	}
	return err
}

// catchUp moves a worktree forward to what the remote has of its branch, where
// that follows and nothing is in the way, and reads where it stands.
func (m *Manager) catchUp(ctx context.Context, w Worktree, plan branchPlan) (Worktree, error) {
	head, branch, err := m.git.Head(ctx, w.Path)
	if err != nil {
		return Worktree{}, err
	}
	w.Head = head
	if plan.upstream == "" || plan.upstream == head || branch != plan.branch {
		return w, nil
	}
	follows, err := m.git.IsAncestor(ctx, w.Path, head, plan.upstream)
	if err != nil || !follows {
		return w, err
	}
	// Work that lies in the way stays where it is; the worker merges.
	if err := m.git.FastForward(ctx, w.Path, plan.upstream); err == nil {
		w.Head = plan.upstream
	}
	return w, nil
}
