package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// Git refuses to remove a worktree with a submodule, clean or not, and calls
// its unpushed commits nothing (failures.md, 30).
func TestPruneSubmodules(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(sub, wt *gittest.Repo)
		why     string // empty: removed
	}{
		"clean":     {func(_, _ *gittest.Repo) {}, ""},
		"changed":   {func(sub, _ *gittest.Repo) { sub.Write("lib.txt", "new") }, "uncommitted"},
		"untracked": {func(sub, _ *gittest.Repo) { sub.Write("new.txt", "new") }, "uncommitted"},
		"own commits, recorded and pushed above": {func(sub, wt *gittest.Repo) {
			sub.Commit("Only here")
			wt.Commit("Bump")
			wt.Git("push", "-q")
		}, "1 unpushed commits in the submodule"},
		"own commits on another branch": {func(sub, _ *gittest.Repo) {
			sub.Git("checkout", "-q", "-b", "side")
			sub.Commit("Only here")
			sub.Git("checkout", "-q", "--detach", "HEAD~1")
		}, "1 unpushed commits in the submodule"},
		"a stash": {func(sub, _ *gittest.Repo) {
			sub.Write("lib.txt", "new")
			sub.Git("stash")
		}, "unpushed commits in the submodule"},
		"taken out again": {func(sub, wt *gittest.Repo) {
			sub.Commit("Only here")
			wt.Git("submodule", "deinit", "-f", "lib")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lib := gittest.New(t)
			lib.Write("lib.txt", "lib\n")
			lib.Commit("Library")
			r, _ := gittest.WithRemote(t, "main")
			r.Git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.Dir, "lib")
			r.Commit("Use it")
			r.Git("push", "-q")
			m := manager(r)
			wt := pushed(t, r, m, "DSP-3")
			wt.Git("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
			sub := wt.At(filepath.Join(wt.Dir, "lib"))
			sub.Git("config", "user.name", "n")
			sub.Git("config", "user.email", "e@x")
			tc.prepare(sub, wt)
			done := prune(t, m)
			if tc.why == "" && name == "clean" {
				if exists(wt.Dir) || len(done.Removed) != 1 {
					t.Errorf("done = %+v", done)
				}
				return
			}
			want := tc.why
			if name == "taken out again" {
				want = "unpushed commits in the submodule"
			}
			if why := whyKept(t, done, wt.Dir); !strings.Contains(why, want) {
				t.Errorf("kept because %q, want %q", why, want)
			}
		})
	}
}

// Folders that git does not know go only when nothing in them would be lost
// (failures.md, 33).
func TestPruneUnknownFolders(t *testing.T) {
	t.Parallel()
	r, _ := gittest.WithRemote(t, "main")
	r.Write(".gitignore", "node_modules/\n")
	if err := os.Symlink("README.md", filepath.Join(r.Dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	r.Commit("Ignore")
	r.Git("push", "-q")
	m := manager(r)
	root := filepath.Join(r.Dir, ".claude", "worktrees")
	unregister := func(ref string) *gittest.Repo {
		wt := pushed(t, r, m, ref)
		dir := wt.Git("rev-parse", "--absolute-git-dir")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		return wt
	}
	same := unregister("DSP-1")
	same.Write("node_modules/x/y.js", "x")
	changed := unregister("DSP-2")
	changed.Write("README.md", "somebody's words")
	fresh := unregister("DSP-3")
	fresh.Write("new.txt", "x")
	r.Write(".claude/worktrees/notes/todo.md", "mine")
	r.Git("init", "-q", filepath.Join(root, "clone"))
	if err := os.MkdirAll(filepath.Join(root, "empty", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "a file"), "x")
	outside := t.TempDir()
	write(t, filepath.Join(outside, "precious"), "x")
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	grouped := filepath.Join(root, "group", "w")
	r.Git("worktree", "add", "-q", "-b", "grouped", grouped, "origin/main")
	r.At(grouped).Write("new.txt", "x")

	done := prune(t, m)
	for _, path := range []string{same.Dir, filepath.Join(root, "empty")} {
		if exists(path) {
			t.Errorf("%s was kept: %s", path, whyKept(t, done, path))
		}
	}
	for path, want := range map[string]string{
		changed.Dir:                  "README.md",
		fresh.Dir:                    "new.txt",
		filepath.Join(root, "notes"): "todo.md",
		filepath.Join(root, "clone"): "repository of its own",
		grouped:                      "untracked",
	} {
		if why := whyKept(t, done, path); !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", path, why, want)
		}
	}
	for _, path := range []string{filepath.Join(root, "a file"), filepath.Join(outside, "precious"), filepath.Join(root, "link")} {
		if !exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
}
