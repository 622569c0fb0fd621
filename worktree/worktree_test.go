package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/worktree"
)

func TestLocks(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	m := manager(r)
	w := create(t, m, "DSP-3", "x")
	if err := m.SetLock(ctx, w.Path, "run-9", 77); err != nil {
		t.Fatal(err)
	}
	if got := r.Git("worktree", "list", "--porcelain"); !strings.Contains(got, "locked dispatcher run run-9 pid 77") {
		t.Errorf("list:\n%s", got)
	}
	if _, err := r.Try("worktree", "remove", w.Path); err == nil {
		t.Error("git removed a locked worktree")
	}
	if err := m.SetLock(ctx, w.Path, "bad\nrun", 77); err == nil {
		t.Error("a run id with a newline was taken")
	}
	for _, path := range []string{r.Dir, t.TempDir(), filepath.Join(r.Dir, ".claude", "worktrees"), filepath.Join(r.Dir, ".claude", "worktrees", "..", "..", "x")} {
		if err := m.SetLock(ctx, path, "r", 1); !errors.Is(err, worktree.ErrOutside) {
			t.Errorf("SetLock(%s): err = %v", path, err)
		}
		if err := m.Unlock(ctx, path); !errors.Is(err, worktree.ErrOutside) {
			t.Errorf("Unlock(%s): err = %v", path, err)
		}
	}
	r.Write(".claude/worktrees/plain/x", "x")
	if err := m.SetLock(ctx, filepath.Join(m.Root(), "plain"), "r", 1); err == nil {
		t.Error("a plain folder was locked: that would be the main checkout's git folder")
	}
	if err := m.Unlock(ctx, filepath.Join(m.Root(), "gone")); err != nil {
		t.Errorf("unlocking what is no longer there: %v", err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	m := manager(r)
	create(t, m, "DSP-1", "x")
	goneAway := create(t, m, "DSP-2", "y")
	r.Git("worktree", "add", "-q", "--detach", filepath.Join(r.Dir, ".claude", "worktrees", "detached"))
	r.Git("worktree", "add", "-q", filepath.Join(filepath.Dir(r.Dir), "elsewhere"))
	if err := os.RemoveAll(goneAway.Path); err != nil {
		t.Fatal(err)
	}
	byGoGit, err := m.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(byGoGit) != 5 || !byGoGit[0].Main {
		t.Errorf("list = %+v", byGoGit)
	}
	// An extension that go-git does not know: git answers the same.
	r.Git("pack-refs", "--all")
	r.Git("config", "core.repositoryFormatVersion", "1")
	r.Git("config", "extensions.worktreeConfig", "true")
	byGit, err := m.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(byPath(byGit), byPath(byGoGit)); diff != "" {
		t.Errorf("git, then go-git: %s", diff)
	}
}

func byPath(all []worktree.Worktree) map[string]worktree.Worktree {
	m := map[string]worktree.Worktree{}
	for _, w := range all {
		m[w.Path] = w
	}
	return m
}

func TestEnsureExcludes(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	path := filepath.Join(r.Dir, ".git", "info", "exclude")
	write(t, path, "# mine\n*.swp\n/.secrets/\r\nlast without newline")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := worktree.EnsureExcludes(ctx, gittest.Client(), r.Dir); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	want := "# mine\n*.swp\n/.secrets/\r\nlast without newline\n.claude/worktrees/\n.claude/dispatcher/\n.dispatcher/board/\n.dispatcher/pulls/\n"
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("exclude = %q, %v", got, err)
	}
	for _, dir := range []string{".claude/worktrees/w", ".claude/dispatcher", ".dispatcher/board/issues", ".dispatcher/pulls", ".secrets"} {
		r.Write(dir+"/file", "x")
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("git shows our folders:\n%s", got)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
