package git

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Commit is one commit as far as attribution and lists need it.
type Commit struct {
	ID      string
	Parents []string
	Author  Identity
	When    time.Time // committed
	Subject string
}

// Identity is a name and an address, as git writes them into a commit.
type Identity struct {
	Name  string
	Email string
}

func (i Identity) String() string { return i.Name + " <" + i.Email + ">" }

// Log lists the commits that to has and from lacks, newest first, at most max
// (0: all).
func (g *Git) Log(ctx context.Context, dir, from, to string, maxCount int) ([]Commit, error) {
	args := []string{"log", "--no-show-signature", "--no-mailmap", "-z", "--format=%H%x1f%P%x1f%an%x1f%ae%x1f%ct%x1f%s"}
	if maxCount > 0 {
		args = append(args, "--max-count="+strconv.Itoa(maxCount))
	}
	out, err := g.read(ctx, dir, append(args, "--end-of-options", to, "^"+from, "--")...)
	if err != nil {
		return nil, fmt.Errorf("list the commits from %.12s to %.12s: %w", from, to, err)
	}
	var commits []Commit
	for _, r := range splitZ(out) {
		f := strings.SplitN(r, "\x1f", 6)
		if len(f) != 6 {
			return nil, fmt.Errorf("list the commits from %.12s to %.12s: unknown record %.60q", from, to, r)
		}
		commits = append(commits, Commit{
			ID: f[0], Parents: strings.Fields(f[1]),
			Author: Identity{Name: f[2], Email: f[3]}, When: unixTime(f[4]), Subject: f[5],
		})
	}
	return commits, nil
}

// Authors lists who wrote the commits that head has and base lacks, merges of
// base left out, each once, in order of first commit.
func (g *Git) Authors(ctx context.Context, dir, base, head string) ([]Identity, error) {
	commits, err := g.Log(ctx, dir, base, head, 0)
	if err != nil {
		return nil, err
	}
	var authors []Identity
	seen := map[Identity]bool{}
	for i := len(commits) - 1; i >= 0; i-- {
		if a := commits[i].Author; !seen[a] {
			seen[a] = true
			authors = append(authors, a)
		}
	}
	return authors, nil
}

// BehindBy is how many commits of base head lacks.
func (g *Git) BehindBy(ctx context.Context, dir, base, head string) (int, error) {
	return g.Count(ctx, dir, base, "^"+head)
}

// Apart is how many commits of base head lacks, and how many of head base does.
func (g *Git) Apart(ctx context.Context, dir, base, head string) (behind, ahead int, err error) {
	line, err := g.readLine(ctx, dir, "rev-list", "--count", "--left-right", base+"..."+head)
	if err != nil {
		return 0, 0, fmt.Errorf("compare %.12s with %.12s: %w", base, head, err)
	}
	if _, err := fmt.Sscanf(line, "%d\t%d", &behind, &ahead); err != nil {
		return 0, 0, fmt.Errorf("compare %.12s with %.12s: %q: %w", base, head, line, err)
	}
	return behind, ahead, nil
}

// Count is the number of commits that the revisions select, as rev-list takes
// them.
func (g *Git) Count(ctx context.Context, dir string, revs ...string) (int, error) {
	line, err := g.readLine(ctx, dir, append([]string{"rev-list", "--count"}, revs...)...)
	if err != nil {
		return 0, fmt.Errorf("count the commits of %s: %w", strings.Join(revs, " "), err)
	}
	n, err := strconv.Atoi(line)
	if err != nil {
		return 0, fmt.Errorf("count the commits of %s: %w", strings.Join(revs, " "), err)
	}
	return n, nil
}

// OwnOfRepository is how many commits of a repository, named by its git folder,
// are on no branch of any remote of it: of HEAD, of its branches and of its
// stash.
func (g *Git) OwnOfRepository(ctx context.Context, gitDir string) (int, error) {
	args := []string{"--git-dir=" + gitDir, "rev-list", "--count", "--branches", "--tags"}
	for _, ref := range []string{"HEAD", "refs/stash"} {
		if _, err := g.read(ctx, "", "--git-dir="+gitDir, "rev-parse", "--verify", "--quiet", ref); err == nil {
			args = append(args, ref)
		}
	}
	line, err := g.readLine(ctx, "", append(args, "--not", "--remotes")...)
	if err != nil {
		return 0, fmt.Errorf("look for unpushed commits in %s: %w", gitDir, err)
	}
	n, err := strconv.Atoi(line)
	if err != nil {
		return 0, fmt.Errorf("look for unpushed commits in %s: %w", gitDir, err)
	}
	return n, nil
}

// Unpushed is how many commits of rev are on no branch of any remote.
func (g *Git) Unpushed(ctx context.Context, dir, rev string) (int, error) {
	return g.Count(ctx, dir, rev, "--not", "--remotes")
}

// IsAncestor says whether to contains from.
func (g *Git) IsAncestor(ctx context.Context, dir, from, to string) (bool, error) {
	_, err := g.read(ctx, dir, "merge-base", "--is-ancestor", from, to)
	if code, ok := exitCode(err); ok && code == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare %.12s with %.12s: %w", from, to, err)
	}
	return true, nil
}

// HasCommit says whether the repository holds a commit.
func (g *Git) HasCommit(ctx context.Context, dir, id string) bool {
	if ValidCommit(id) != nil {
		return false
	}
	_, err := g.read(ctx, dir, "cat-file", "-e", id+"^{commit}")
	return err == nil
}

// Diff is what head changed since it left base, as text.
func (g *Git) Diff(ctx context.Context, dir, base, head string) (string, error) {
	out, err := g.read(ctx, dir, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--end-of-options", base+"..."+head, "--")
	if err != nil {
		return "", fmt.Errorf("diff %.12s...%.12s: %w", base, head, err)
	}
	return string(out), nil
}

// DiffWorktree is what a worktree holds beside a commit, in its commits, its
// index and its tracked files, as text.
func (g *Git) DiffWorktree(ctx context.Context, dir, base string) (string, error) {
	out, err := g.read(ctx, dir, "-c", "core.fsmonitor=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--end-of-options", base, "--")
	if err != nil {
		return "", fmt.Errorf("diff the worktree %s: %w", dir, err)
	}
	return string(out), nil
}

// ChangedPaths lists the paths that head changed since it left base, renames
// as their new path and deletions included.
func (g *Git) ChangedPaths(ctx context.Context, dir, base, head string) ([]string, error) {
	out, err := g.read(ctx, dir, "diff", "--name-only", "-z", "--no-ext-diff", "--end-of-options", base+"..."+head, "--")
	if err != nil {
		return nil, fmt.Errorf("diff %.12s...%.12s: %w", base, head, err)
	}
	return splitZ(out), nil
}

// File is the content of a path in a commit. ErrNotFound.
func (g *Git) File(ctx context.Context, dir, commit, path string) ([]byte, error) {
	out, err := g.read(ctx, dir, "cat-file", "blob", commit+":"+path)
	if _, bad := exitCode(err); bad {
		return nil, fmt.Errorf("%s at %.12s: %w", path, commit, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("%s at %.12s: %w", path, commit, err)
	}
	return out, nil
}

func unixTime(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// MergeBase is where two commits parted; empty where they share nothing.
func (g *Git) MergeBase(ctx context.Context, dir, a, b string) (string, error) {
	id, err := g.readLine(ctx, dir, "merge-base", a, b)
	if code, ok := exitCode(err); ok && code == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("compare %.12s with %.12s: %w", a, b, err)
	}
	return id, nil
}

// MergedBy is the commit that brought head into base, and when: the first
// commit along base's own line that contains head, which is head itself where
// base was moved forward to it.
func (g *Git) MergedBy(ctx context.Context, dir, base, head string) (time.Time, string, error) {
	fail := func(err error) (time.Time, string, error) {
		return time.Time{}, "", fmt.Errorf("look for the merge of %.12s: %w", head, err)
	}
	out, err := g.read(ctx, dir, "rev-list", "--first-parent", "--reverse", base, "^"+head)
	if err != nil {
		return fail(err)
	}
	line := strings.Fields(string(out))
	// Once a commit contains head, all that follow it do.
	first := sort.Search(len(line), func(i int) bool {
		if err != nil {
			return false
		}
		var ok bool
		ok, err = g.IsAncestor(ctx, dir, head, line[i])
		return ok
	})
	if err != nil {
		return fail(err)
	}
	id := head
	if first < len(line) {
		parents, err := g.readLine(ctx, dir, "show", "--no-patch", "--format=%P", line[first], "--")
		if err != nil {
			return fail(err)
		}
		if parent, _, _ := strings.Cut(parents, " "); parent != head {
			id = line[first]
		}
	}
	at, err := g.readLine(ctx, dir, "show", "--no-patch", "--format=%ct", id, "--")
	if err != nil {
		return fail(err)
	}
	return unixTime(at), id, nil
}

// TreeOf is what a commit holds, as the id of its tree, and what it was made
// from.
func (g *Git) TreeOf(ctx context.Context, dir, id string) (tree string, parents []string, err error) {
	line, err := g.readLine(ctx, dir, "show", "--no-patch", "--no-show-signature", "--format=%T %P", id, "--")
	if err != nil {
		return "", nil, fmt.Errorf("look at %.12s: %w", id, err)
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", nil, fmt.Errorf("look at %.12s: git answered nothing", id)
	}
	return words[0], words[1:], nil
}
