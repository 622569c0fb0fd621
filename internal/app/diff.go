package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// maxUntracked bounds a new file that is shown, in bytes.
const maxUntracked = 256 << 10

// Diff is the change of a pull request, or of the worktree of an issue against
// where it left its base, with what is not committed yet.
func (r *reader) Diff(ctx context.Context, q state.DiffQuery) (state.Diff, error) {
	switch {
	case q.PR != "" && q.Ref != "" || q.PR == "" && q.Ref == "":
		return state.Diff{}, errors.New("a diff is of a pull request or of an issue's worktree: name one of them")
	case q.PR != "":
		return r.pullDiff(ctx, q.PR)
	}
	trees, err := r.f.Worktrees(ctx)
	if err != nil {
		return state.Diff{}, err
	}
	all, err := trees.List(ctx)
	if err != nil {
		return state.Diff{}, err
	}
	for _, t := range all {
		if !t.Main && !t.Missing && strings.HasPrefix(t.Branch, plan.BranchPrefix(q.Ref)) {
			return r.treeDiff(ctx, q.Ref, t.Path, t.Branch)
		}
	}
	return r.issueDiff(ctx, q.Ref)
}

// issueDiff is the diff of an issue without a worktree: its pull request's.
func (r *reader) issueDiff(ctx context.Context, ref board.Ref) (state.Diff, error) {
	p, err := r.f.Board(ctx)
	if err != nil {
		return state.Diff{}, err
	}
	issue, err := p.Issue(ctx, ref)
	if err != nil {
		return state.Diff{}, err
	}
	store, err := r.f.Pulls(ctx)
	if err != nil {
		return state.Diff{}, err
	}
	list, err := store.List(ctx, true)
	if err != nil {
		return state.Diff{}, err
	}
	if pr := plan.PullOf(&issue, list); pr != nil {
		return r.pullDiff(ctx, pr.Name)
	}
	return state.Diff{}, fmt.Errorf("%s has neither a worktree nor a pull request yet", ref)
}

func (r *reader) pullDiff(ctx context.Context, name string) (state.Diff, error) {
	store, err := r.f.Pulls(ctx)
	if err != nil {
		return state.Diff{}, err
	}
	pr, err := store.Get(ctx, name)
	if err != nil {
		return state.Diff{}, err
	}
	text, err := store.Diff(ctx, pr.Name)
	if err != nil {
		return state.Diff{}, err
	}
	d := state.Diff{Title: fmt.Sprintf("%s %s", pr.Name, pr.Title), Base: pr.Base, Head: pr.HeadSHA}
	d.Files, d.Cut = parseDiff(text)
	return d, nil
}

func (r *reader) treeDiff(ctx context.Context, ref board.Ref, dir, branch string) (state.Diff, error) {
	repo, err := r.f.Repo(ctx)
	if err != nil {
		return state.Diff{}, err
	}
	g := r.f.Git()
	head, _, err := g.Head(ctx, dir)
	if err != nil {
		return state.Diff{}, err
	}
	base, err := g.MergeBase(ctx, dir, repo.Base, head)
	if repo.Remote != "" && err != nil {
		base, err = g.MergeBase(ctx, dir, repo.Remote+"/"+repo.Base, head)
	}
	if err != nil {
		return state.Diff{}, err
	}
	if base == "" {
		return state.Diff{}, fmt.Errorf("%s shares nothing with %s", branch, repo.Base)
	}
	text, err := g.DiffWorktree(ctx, dir, base)
	if err != nil {
		return state.Diff{}, err
	}
	d := state.Diff{Title: fmt.Sprintf("%s, worktree %s", ref, filepath.Base(dir)), Base: repo.Base, Head: head}
	d.Files, d.Cut = parseDiff(text)
	entries, err := g.Status(ctx, dir)
	if err != nil {
		return state.Diff{}, err
	}
	d.Dirty = len(entries) > 0
	for _, e := range entries {
		if e.Kind != '?' {
			continue
		}
		if len(d.Files) >= maxDiffFiles {
			d.Cut = true
			break
		}
		d.Files = append(d.Files, newFile(dir, e.Path))
	}
	return d, nil
}

// newFile is a file that git does not track yet, as a diff would show it. What
// is no plain file, is large or no text keeps its name alone.
func newFile(dir, path string) state.DiffFile {
	out := state.DiffFile{Path: path, Kind: "added"}
	full := filepath.Join(dir, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if err != nil || !info.Mode().IsRegular() {
		out.Cut = true
		return out
	}
	f, err := os.Open(full)
	if err != nil {
		out.Cut = true
		return out
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxUntracked+1))
	switch {
	case err != nil || len(data) > maxUntracked:
		out.Cut = true
		return out
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		out.Kind = "binary"
		return out
	}
	p := diffParser{files: []state.DiffFile{out}}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(data) == 0 {
		lines = nil
	}
	if len(lines) > 0 {
		p.hunk(fmt.Sprintf("@@ -0,0 +1,%d @@", len(lines)))
	}
	for _, l := range lines {
		p.line("+" + strings.TrimSuffix(l, "\r"))
	}
	return p.files[0]
}
