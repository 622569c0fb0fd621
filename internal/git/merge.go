package git

import (
	"context"
	"fmt"
	"strings"
)

// MergeTree merges two commits without a checkout and answers the tree, and
// the paths in conflict; with a conflict the tree is of no use.
func (g *Git) MergeTree(ctx context.Context, dir, ours, theirs string) (tree string, conflicts []string, err error) {
	out, err := g.exec(ctx, call{dir: dir, write: true, args: []string{
		"merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs,
	}})
	code, bad := exitCode(err)
	if err != nil && (!bad || code != 1) {
		return "", nil, fmt.Errorf("merge %.12s and %.12s: %w", ours, theirs, err)
	}
	records := splitZ(out)
	if len(records) == 0 {
		return "", nil, fmt.Errorf("merge %.12s and %.12s: git answered nothing", ours, theirs)
	}
	return records[0], records[1:], nil // none of them are paths when it exited well
}

// CommitTree makes a commit of a tree, with an identity of its own, and moves
// no branch.
func (g *Git) CommitTree(ctx context.Context, dir, tree string, parents []string, message string, by Identity) (string, error) {
	args := []string{"-c", "user.name=" + by.Name, "-c", "user.email=" + by.Email, "commit-tree", "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := g.exec(ctx, call{dir: dir, write: true, args: append(args, tree), stdin: []byte(message)})
	if err != nil {
		return "", fmt.Errorf("make a commit: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// FilesInTheWayError says that a checkout cannot move on because of what lies
// in it.
type FilesInTheWayError struct {
	Dir   string
	Files []string
}

func (e *FilesInTheWayError) Error() string {
	return fmt.Sprintf("%s has changes in the way: %s: commit, stash or move them", e.Dir, strings.Join(e.Files, ", "))
}

// FastForward moves a checkout's branch, index and files forward to a commit,
// and does nothing else: *FilesInTheWayError when local changes would be
// overwritten, another error when the commit does not follow.
func (g *Git) FastForward(ctx context.Context, dir, commit string) error {
	_, err := g.writeWithHooks(ctx, dir, "merge", "--ff-only", "--quiet", commit)
	if err == nil {
		return nil
	}
	if files := inTheWay(Stderr(err)); len(files) > 0 {
		return &FilesInTheWayError{Dir: dir, Files: files}
	}
	return fmt.Errorf("move %s forward to %.12s: %w", dir, commit, err)
}

// inTheWay reads the files that git lists, one an indented line, when it would
// overwrite them.
func inTheWay(stderr string) []string {
	if !strings.Contains(stderr, "would be overwritten by merge") && !strings.Contains(stderr, "would be removed by merge") &&
		!strings.Contains(stderr, "would lose untracked files") {
		return nil
	}
	var files []string
	for line := range strings.Lines(stderr) {
		if f, ok := strings.CutPrefix(line, "\t"); ok {
			files = append(files, strings.TrimSpace(f))
		}
	}
	return files
}

// Commit commits in a worktree as an identity, for this one command; args are
// those of git commit. Hooks run as ever.
func (g *Git) Commit(ctx context.Context, dir string, by Identity, args ...string) (string, error) {
	full := append([]string{"-c", "user.name=" + by.Name, "-c", "user.email=" + by.Email, "commit"}, args...)
	out, err := g.writeWithHooks(ctx, dir, full...)
	if err != nil {
		// What is missing ("nothing to commit") git says on standard output.
		if text := strings.TrimSpace(string(out)); text != "" {
			return "", fmt.Errorf("commit in %s: %s (%w)", dir, text, err)
		}
		return "", fmt.Errorf("commit in %s: %w", dir, err)
	}
	return string(out), nil
}
