package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Entry is one path that differs from HEAD.
type Entry struct {
	Kind      byte   // '1' changed, '2' renamed, 'u' unmerged, '?' untracked
	XY        string // index and worktree against HEAD and index; "??" for untracked
	Submodule string // "N..." or "S<c><m><u>"
	ModeIndex string
	ModeTree  string // in the worktree
	Path      string
}

// Status is everything that a worktree holds beside its commit: changed,
// staged, unmerged and untracked files, and what submodules hold. It believes
// no file system monitor.
func (g *Git) Status(ctx context.Context, dir string) ([]Entry, error) {
	out, err := g.read(ctx, dir, "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "-z",
		"--untracked-files=all", "--ignore-submodules=none", "--no-renames")
	if err != nil {
		return nil, fmt.Errorf("status of %s: %w", dir, err)
	}
	entries, err := parseStatus(out)
	if err != nil {
		return nil, fmt.Errorf("status of %s: %w", dir, err)
	}
	return entries, nil
}

// parseStatus reads porcelain v2 with -z. A record it does not know is an
// error: a wrong "clean" would delete somebody's work.
func parseStatus(out []byte) ([]Entry, error) {
	var entries []Entry
	records := splitZ(out)
	for i := 0; i < len(records); i++ {
		r := records[i]
		if len(r) < 2 {
			return nil, fmt.Errorf("unknown record %.40q", r)
		}
		var e Entry
		var ok bool
		switch r[0] {
		case '1':
			e, ok = changed(r, 9)
		case '2':
			e, ok = changed(r, 10)
			i++ // the former path follows
		case 'u':
			e, ok = unmerged(r)
		case '?':
			e, ok = Entry{Kind: '?', XY: "??", Path: r[2:]}, r[1] == ' ' && len(r) > 2
		case '#':
			continue
		}
		if !ok {
			return nil, fmt.Errorf("unknown record %.40q", r)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// changed reads `1 XY sub mH mI mW hH hI path` and, with one more field, the
// record of a rename.
func changed(r string, fields int) (Entry, bool) {
	f := strings.SplitN(r, " ", fields)
	if len(f) != fields || len(f[1]) != 2 || f[fields-1] == "" {
		return Entry{}, false
	}
	return Entry{Kind: r[0], XY: f[1], Submodule: f[2], ModeIndex: f[4], ModeTree: f[5], Path: f[fields-1]}, true
}

// unmerged reads `u XY sub m1 m2 m3 mW h1 h2 h3 path`.
func unmerged(r string) (Entry, bool) {
	f := strings.SplitN(r, " ", 11)
	if len(f) != 11 || len(f[1]) != 2 || f[10] == "" {
		return Entry{}, false
	}
	return Entry{Kind: 'u', XY: f[1], Submodule: f[2], ModeTree: f[6], Path: f[10]}, true
}

// Hidden lists the paths whose changes git has been told not to look for
// (assume-unchanged, skip-worktree): status says nothing of them.
func (g *Git) Hidden(ctx context.Context, dir string) ([]string, error) {
	out, err := g.read(ctx, dir, "ls-files", "-v", "-z")
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	var hidden []string
	for _, r := range splitZ(out) {
		tag, path, ok := strings.Cut(r, " ")
		if ok && (tag == "S" || tag != strings.ToUpper(tag)) {
			hidden = append(hidden, path)
		}
	}
	return hidden, nil
}

// Gitlinks lists the paths at which a worktree's index has another
// repository: submodules, checked out or not.
func (g *Git) Gitlinks(ctx context.Context, dir string) ([]string, error) {
	out, err := g.read(ctx, dir, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	var links []string
	for _, r := range splitZ(out) {
		info, path, ok := strings.Cut(r, "\t")
		if ok && strings.HasPrefix(info, "160000 ") {
			links = append(links, path)
		}
	}
	return links, nil
}

// AsCheckedOut says whether the files at these paths hold exactly the bytes
// that a checkout of the index would write, end-of-line conversion and filters
// included: then there is nobody's work in them, whatever status says.
func (g *Git) AsCheckedOut(ctx context.Context, dir string, paths []string) (bool, error) {
	for _, p := range paths {
		disk, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return false, nil //nolint:nilerr // what cannot be read is not as it was checked out
		}
		out, err := g.read(ctx, dir, "cat-file", "--filters", ":"+p)
		if err != nil {
			return false, fmt.Errorf("compare %s with its commit: %w", p, err)
		}
		if !bytes.Equal(disk, out) {
			return false, nil
		}
	}
	return true, nil
}
