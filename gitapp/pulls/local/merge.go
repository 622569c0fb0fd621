package local

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git"
)

// mergeTries is how often a merge is built anew when the base moves meanwhile.
const mergeTries = 4

// Merge builds the merge commit without a checkout and moves the base branch
// to it (design.md, section 8). With a remote the commit is pushed to the base,
// expecting it where it was read, and the main checkout follows if it is on
// that branch and git can move it forward. Without one the branch moves by
// compare-and-swap, or, where it is checked out, forward with its checkout:
// *git.FilesInTheWayError lists what hinders that, and nothing is merged.
//
// It is refused for a draft (pulls.ErrDraft), on a conflict
// (pulls.ErrConflict), and on red checks unless forced (pulls.ErrRed). Merging
// what is merged is no error.
func (s *Store) Merge(ctx context.Context, req pulls.MergeRequest) (pulls.Merged, error) {
	var m pulls.Merged
	err := s.locked(ctx, lockMerge, func() error {
		for try := 1; ; try++ {
			var err error
			m, err = s.mergeOnce(ctx, req)
			if !errors.Is(err, git.ErrChanged) || try == mergeTries {
				return err
			}
		}
	})
	if err != nil {
		return pulls.Merged{}, fmt.Errorf("merge %s: %w", req.Name, err)
	}
	return m, nil
}

func (s *Store) mergeOnce(ctx context.Context, req pulls.MergeRequest) (pulls.Merged, error) {
	pr, err := s.Get(ctx, req.Name)
	if err != nil {
		return pulls.Merged{}, err
	}
	if pr.State == board.PullMerged {
		return pulls.Merged{PR: pr, Already: true}, nil
	}
	if err := unmoved(&pr, req.Head); err != nil {
		return pulls.Merged{}, err
	}
	if err := mayMerge(&pr, req.Force); err != nil {
		return pulls.Merged{}, err
	}
	base, err := s.baseOf(ctx, &pr)
	if err != nil {
		return pulls.Merged{}, err
	}
	commit, err := s.mergeCommit(ctx, &pr, base, req.By)
	if err != nil {
		return pulls.Merged{}, err
	}
	notes, err := s.moveBase(ctx, &pr, base, commit)
	if err != nil {
		return pulls.Merged{}, err
	}
	if pr.Checks == board.ChecksPending {
		notes = append(notes, "its checks had not all run at this head")
	}
	// The branch has moved: that is the merge, and it is recorded come what may.
	_, err = s.update(context.WithoutCancel(ctx), pr.Number, func(r *record) (bool, error) {
		r.State, r.HeadSHA, r.MergeSHA, r.MergedAt, r.MergedBy = board.PullMerged, pr.HeadSHA, commit, s.now(), req.By.Name
		return true, nil
	})
	if err != nil {
		return pulls.Merged{}, fmt.Errorf("%s has been merged into %s, but that could not be recorded: %w", pr.Name, pr.Base, err)
	}
	pr, err = s.Get(ctx, req.Name)
	return pulls.Merged{PR: pr, Notes: notes}, err
}

func mayMerge(pr *board.PullRequest, force bool) error {
	switch {
	case pr.State != board.PullOpen:
		return fmt.Errorf("it is %s and %w", pr.State, pulls.ErrNotOpen)
	case pr.Draft:
		return fmt.Errorf("it is %w: `dispatcher pr` on its branch marks it ready", pulls.ErrDraft)
	case pr.Checks == board.ChecksRed && !force:
		return fmt.Errorf("%w at %.12s (%s): `dispatcher pulls checks %s` shows them, --force merges anyway",
			pulls.ErrRed, pr.HeadSHA, redNames(pr.CheckRuns), strings.TrimPrefix(pr.Name, "#"))
	}
	return nil
}

func redNames(checks []board.Check) string {
	var names []string
	for _, c := range checks {
		if c.State == board.ChecksRed {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// mergeCommit makes the merge commit; no branch has it yet.
func (s *Store) mergeCommit(ctx context.Context, pr *board.PullRequest, base string, by gitapp.Identity) (string, error) {
	if !s.o.Git.HasCommit(ctx, s.o.Repo, pr.HeadSHA) {
		return "", fmt.Errorf("its head %.12s is not in this repository", pr.HeadSHA)
	}
	tree, conflicts, err := s.o.Git.MergeTree(ctx, s.o.Repo, base, pr.HeadSHA)
	if err != nil {
		return "", err
	}
	if len(conflicts) > 0 {
		return "", fmt.Errorf("%w with %s in %s: merge %s into %s and resolve it there, or leave it to the loop's cleaner",
			pulls.ErrConflict, pr.Base, some(conflicts), pr.Base, pr.Head)
	}
	return s.o.Git.CommitTree(ctx, s.o.Repo, tree, []string{base, pr.HeadSHA}, mergeMessage(pr), by)
}

func mergeMessage(pr *board.PullRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Merge pull request %s from %s\n\n%s\n", pr.Name, pr.Head, pr.Title)
	for i, ref := range pr.Issues {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "Fixes %s\n", ref)
	}
	return b.String()
}

// moveBase moves the base branch to the merge commit, if it still is where it
// was read.
func (s *Store) moveBase(ctx context.Context, pr *board.PullRequest, base, commit string) ([]string, error) {
	if s.o.Remote != "" {
		if err := s.o.Git.PushTo(ctx, s.o.Repo, s.o.Remote, commit, pr.Base, base); err != nil {
			return nil, err
		}
		return s.follow(ctx, pr.Base, commit), nil
	}
	at, err := s.checkedOut(ctx, pr.Base)
	if err != nil {
		return nil, err
	}
	if at == "" {
		return nil, s.o.Git.UpdateRef(ctx, s.o.Repo, "refs/heads/"+pr.Base, commit, base, "merge "+pr.Name)
	}
	err = s.o.Git.FastForward(ctx, at, commit)
	if err == nil {
		return nil, nil
	}
	if _, blocked := errors.AsType[*git.FilesInTheWayError](err); !blocked {
		if now, readErr := s.o.Git.RevParse(ctx, s.o.Repo, "refs/heads/"+pr.Base); readErr == nil && now != base {
			return nil, fmt.Errorf("%s: %w", pr.Base, git.ErrChanged)
		}
	}
	return nil, err
}

// checkedOut is where a branch is checked out; empty if nowhere.
func (s *Store) checkedOut(ctx context.Context, branch string) (string, error) {
	list, err := s.o.Git.Worktrees(ctx, s.o.Repo)
	if err != nil {
		return "", err
	}
	for _, w := range list {
		if w.Branch == branch {
			return w.Path, nil
		}
	}
	return "", nil
}

// follow moves the main checkout forward to what was pushed, if it is on that
// branch and git can, and says how far it is behind if not. The merge stands
// either way.
func (s *Store) follow(ctx context.Context, branch, commit string) []string {
	_, on, err := s.o.Git.Head(ctx, s.o.Repo)
	if err != nil {
		return []string{"the main checkout could not be read: " + git.Stderr(err)}
	}
	if on == branch {
		err := s.o.Git.FastForward(ctx, s.o.Repo, commit)
		if err == nil {
			return nil
		}
		why := git.Stderr(err)
		return []string{fmt.Sprintf("the main checkout stays %s: %s", s.behind(ctx, "HEAD", commit), why)}
	}
	local := "refs/heads/" + branch
	if _, err := s.o.Git.RevParse(ctx, s.o.Repo, local); err != nil {
		return nil
	}
	return []string{fmt.Sprintf("the main checkout is on %s; its %s is %s", orDetached(on), branch, s.behind(ctx, local, commit))}
}

func (s *Store) behind(ctx context.Context, from, commit string) string {
	n, err := s.o.Git.BehindBy(ctx, s.o.Repo, commit, from)
	if err != nil {
		return "behind"
	}
	if n == 1 {
		return "1 commit behind"
	}
	return fmt.Sprintf("%d commits behind", n)
}

func orDetached(branch string) string {
	if branch == "" {
		return "no branch"
	}
	return branch
}
