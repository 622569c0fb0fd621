package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/backside4charter/dispatcher/internal/git"
)

// errHolds ends a walk at the first thing that is somebody's.
var errHolds = errors.New("holds work")

// holdsWork says what in a folder that git does not know might be somebody's
// work: a file whose content is in no commit and that no rule ignores, or a
// repository. It is empty when deleting the folder loses nothing.
func (m *Manager) holdsWork(ctx context.Context, dir string) string {
	var files []string
	why := ""
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err //nolint:wrapcheck // wrapped below
		}
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".git" && d.Type().IsRegular():
			return nil // the link of a worktree that was one of ours
		case d.Name() == ".git":
			why = fmt.Sprintf("%q is a repository of its own", filepath.ToSlash(filepath.Dir(rel)))
			return errHolds
		case d.IsDir():
			return nil
		}
		files = append(files, rel)
		return nil
	})
	if errors.Is(err, errHolds) {
		return why
	}
	if err != nil {
		return "it cannot be read: " + err.Error()
	}
	odd, err := m.uncommitted(ctx, dir, files)
	if err != nil {
		return "it cannot be judged: " + git.Stderr(err)
	}
	if len(odd) > 0 {
		return "these files are in no commit: " + some(odd)
	}
	return ""
}

// uncommitted lists the files, relative to dir, whose content is in no commit
// and that would not be ignored in the main checkout.
func (m *Manager) uncommitted(ctx context.Context, dir string, files []string) ([]string, error) {
	ignored, err := m.git.Ignored(ctx, m.repo, files)
	if err != nil {
		return nil, err
	}
	var odd, plain, full, links []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f))
		info, err := os.Lstat(path)
		switch {
		case ignored[f]:
		case err != nil || !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink || strings.ContainsAny(path, "\r\n"):
			odd = append(odd, f) // a pipe, a name that git cannot be told: not worth a guess
		case info.Mode().Type() == fs.ModeSymlink:
			links = append(links, f)
		default:
			plain, full = append(plain, f), append(full, path)
		}
	}
	if len(odd) > 0 {
		return odd, nil
	}
	ids, err := m.git.HashFiles(ctx, m.repo, full)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		id, err := m.hashLink(ctx, filepath.Join(dir, filepath.FromSlash(l)))
		if err != nil {
			return nil, err
		}
		plain, ids = append(plain, l), append(ids, id)
	}
	committed, err := m.git.Committed(ctx, m.repo, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if !committed[id] {
			odd = append(odd, plain[i])
		}
	}
	return odd, nil
}

// hashLink is the id of a symbolic link as a blob: git keeps where it points.
func (m *Manager) hashLink(ctx context.Context, path string) (string, error) {
	target, err := os.Readlink(path)
	if err != nil {
		return "", fmt.Errorf("read a link: %w", err)
	}
	return m.git.HashBytes(ctx, m.repo, []byte(filepath.ToSlash(target)))
}
