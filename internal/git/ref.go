package git

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// RevParse is the commit that a revision names, as its full id. ErrNotFound.
func (g *Git) RevParse(ctx context.Context, dir, rev string) (string, error) {
	id, err := g.readLine(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if code, ok := exitCode(err); ok && code == 1 {
		return "", fmt.Errorf("commit %.80q: %w", rev, ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("resolve %.80q: %w", rev, err)
	}
	return id, nil
}

// Head is where a worktree stands: its commit, and its branch, empty where
// HEAD is detached. ErrNoCommits for a branch not yet born.
func (g *Git) Head(ctx context.Context, dir string) (commit, branch string, err error) {
	ref, err := g.readLine(ctx, dir, "symbolic-ref", "-q", "HEAD")
	if code, ok := exitCode(err); err != nil && (!ok || code != 1) {
		return "", "", fmt.Errorf("read HEAD of %s: %w", dir, err)
	}
	branch = strings.TrimPrefix(ref, "refs/heads/")
	commit, err = g.RevParse(ctx, dir, "HEAD")
	if err != nil {
		if nocommit := g.RequireCommit(ctx, dir); nocommit != nil {
			err = nocommit
		}
		return "", branch, fmt.Errorf("read HEAD of %s: %w", dir, err)
	}
	return commit, branch, nil
}

// Ref is one branch and where it stands.
type Ref struct {
	Name   string // short for refs below refs/heads and refs/remotes/<remote>
	Full   string
	Commit string
	When   time.Time // of the commit
}

// Refs lists the refs that match one of the patterns, as for-each-ref takes
// them, newest commit first.
func (g *Git) Refs(ctx context.Context, dir string, patterns ...string) ([]Ref, error) {
	args := append([]string{
		"for-each-ref", "--sort=refname", "--sort=-committerdate",
		"--format=%(refname)%00%(objectname)%00%(committerdate:unix)", "--",
	}, patterns...)
	out, err := g.read(ctx, dir, args...)
	if err != nil {
		return nil, fmt.Errorf("list the refs of %s: %w", dir, err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\x00")
		if len(f) != 3 {
			continue
		}
		full := strings.Clone(f[0]) // as for the heads of a remote
		refs = append(refs, Ref{Name: shortRef(full), Full: full, Commit: strings.Clone(f[1]), When: unixTime(f[2])})
	}
	return refs, nil
}

func shortRef(full string) string {
	if name, ok := strings.CutPrefix(full, "refs/heads/"); ok {
		return name
	}
	if rest, ok := strings.CutPrefix(full, "refs/remotes/"); ok {
		if _, name, ok := strings.Cut(rest, "/"); ok {
			return name
		}
	}
	return full
}

// RemoteHeads asks the remote where its branches stand now, by name.
func (g *Git) RemoteHeads(ctx context.Context, dir, remote string) (map[string]string, error) {
	out, err := g.read(ctx, dir, "ls-remote", "--heads", "--", remote)
	if err != nil {
		return nil, fmt.Errorf("ask the remote %s for its branches: %w", remote, asUnreachable(remote, err))
	}
	heads := map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, ref, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if name, isHead := strings.CutPrefix(ref, "refs/heads/"); ok && isHead {
			// Whoever keeps one of them must not keep the whole answer with it.
			heads[strings.Clone(name)] = strings.Clone(id)
		}
	}
	return heads, nil
}

// fetchTries is how often a fetch is made that another one got in the way of:
// a worker's, which shares our refs, or one that a killed loop left running.
const fetchTries = 5

// Fetch updates the remote-tracking refs that the refspecs name and nothing
// else; those that a glob covers and the remote no longer has go away. Of two
// fetches that move one ref at once git fails one; that one is made again.
func (g *Git) Fetch(ctx context.Context, dir, remote string, refspecs ...string) error {
	args := append([]string{
		"fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", remote,
	}, refspecs...)
	for try := 1; ; try++ {
		_, err := g.write(ctx, dir, args...)
		switch {
		case err == nil:
			return nil
		case try < fetchTries && strings.Contains(Stderr(err), "cannot lock ref"):
			continue
		}
		return fmt.Errorf("fetch from %s: %w", remote, asUnreachable(remote, err))
	}
}

// TrackingRefspec is the refspec that updates one branch's remote-tracking
// ref. The name may hold one asterisk.
func TrackingRefspec(remote, branch string) string {
	return "+refs/heads/" + branch + ":refs/remotes/" + remote + "/" + branch
}

// PushTo pushes a commit to a branch of the remote, if that branch is still at
// expect (empty: does not exist yet). ErrChanged when it is not.
func (g *Git) PushTo(ctx context.Context, dir, remote, commit, branch, expect string) error {
	_, err := g.writeWithHooks(ctx, dir, "push", "--quiet", "--porcelain",
		"--force-with-lease=refs/heads/"+branch+":"+expect, "--", remote, commit+":refs/heads/"+branch)
	if err == nil {
		return nil
	}
	text := Stderr(err)
	if strings.Contains(text, "stale info") || strings.Contains(text, "fetch first") {
		return fmt.Errorf("push to %s of %s: %w", branch, remote, ErrChanged)
	}
	// Porcelain puts the reason of a rejected ref on standard output.
	if now, askErr := g.RemoteHeads(ctx, dir, remote); askErr == nil && now[branch] != expect {
		return fmt.Errorf("push to %s of %s: %w", branch, remote, ErrChanged)
	}
	return fmt.Errorf("push to %s of %s: %w", branch, remote, err)
}

// UpdateRef moves a ref if it still is where old says. ErrChanged when not.
func (g *Git) UpdateRef(ctx context.Context, dir, ref, to, old, why string) error {
	_, err := g.write(ctx, dir, "update-ref", "-m", why, "--", ref, to, old)
	if err == nil {
		return nil
	}
	if now, readErr := g.RevParse(ctx, dir, ref); readErr == nil && now != old {
		return fmt.Errorf("move %s: %w", ref, ErrChanged)
	}
	return fmt.Errorf("move %s: %w", ref, err)
}
