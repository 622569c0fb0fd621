package config

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mainDir maps a folder of a linked git worktree to the same folder of the
// main checkout, by reading the files that git leaves in a worktree; any other
// folder stays as it is. The second value is the top of the main checkout, or
// empty outside a repository. A worktree of a bare repository has no main
// checkout and stays as it is, too.
func mainDir(dir string) (mapped, top string, err error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", err
	}
	for at := real; ; at = filepath.Dir(at) {
		dotGit := filepath.Join(at, ".git")
		info, err := os.Stat(dotGit)
		switch {
		case err == nil && info.IsDir():
			return real, at, nil
		case err == nil:
			return fromLinked(real, at, dotGit)
		case !errors.Is(err, fs.ErrNotExist) && !notDir(err):
			return "", "", err
		}
		if at == filepath.Dir(at) {
			return real, "", nil
		}
	}
}

// fromLinked maps dir, which lies in the checkout at tree with a .git file.
func fromLinked(dir, tree, dotGit string) (mapped, top string, err error) {
	common, err := commonDir(tree, dotGit)
	if err != nil {
		return "", "", err
	}
	if common == "" {
		return dir, tree, nil
	}
	main, err := checkoutOf(common)
	if err != nil || main == "" {
		return dir, tree, err
	}
	rel, err := filepath.Rel(tree, dir)
	if err != nil {
		return "", "", err
	}
	return filepath.Join(main, rel), main, nil
}

// commonDir is the git directory that a linked worktree shares with its main
// checkout; empty when the .git file is a submodule's or belongs to a separate
// git directory, whose checkout is a main one.
func commonDir(tree, dotGit string) (string, error) {
	text, err := os.ReadFile(dotGit)
	if err != nil {
		return "", err
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if !ok {
		return "", fmt.Errorf("%s is neither a git directory nor points to one", dotGit)
	}
	gitdir = absolute(tree, strings.TrimSpace(gitdir))
	text, err = os.ReadFile(filepath.Join(gitdir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := os.Stat(gitdir); statErr != nil {
			return "", fmt.Errorf("%s points to a git directory that is gone; `git worktree repair` in the main checkout mends it: %w", dotGit, statErr)
		}
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute(gitdir, strings.TrimSpace(string(text))))
}

// checkoutOf is the folder that a common git directory is checked out in, or
// empty when it is bare.
func checkoutOf(common string) (string, error) {
	text, err := os.ReadFile(filepath.Join(common, "config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	core := coreKeys(text)
	if w := core["worktree"]; w != "" {
		return filepath.EvalSymlinks(absolute(common, w))
	}
	if core["bare"] == "true" || filepath.Base(common) != ".git" {
		return "", nil
	}
	return filepath.Dir(common), nil
}

// coreKeys reads the [core] section of a git configuration as far as git
// itself writes it: one `key = value` a line.
func coreKeys(text []byte) map[string]string {
	keys, section := map[string]string{}, ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] "))
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && section == "core" {
			keys[strings.ToLower(strings.TrimSpace(key))] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return keys
}

func absolute(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// notDir says that a path leads through something that is not a folder, as in
// a checkout whose folder is a file on another branch.
func notDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
