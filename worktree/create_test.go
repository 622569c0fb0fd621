package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/worktree"
)

var ctx = context.Background()

const (
	deadPID   = 4001 // never alive in these tests
	livingPID = 4002
)

func manager(r *gittest.Repo, change ...func(*worktree.Options)) *worktree.Manager {
	o := worktree.Options{
		Git: gittest.Client(), Repo: r.Dir,
		Alive:     func(pid int) bool { return pid == livingPID },
		WorkingIn: func(string) ([]int, bool) { return nil, true },
	}
	for _, c := range change {
		c(&o)
	}
	return worktree.Open(o)
}

func create(t *testing.T, m *worktree.Manager, ref, title string) worktree.Worktree {
	t.Helper()
	w, err := m.Create(ctx, worktree.CreateRequest{Ref: ref, Title: title, RunID: "run-1", PID: deadPID})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A new branch begins at what the remote has now (failures.md, 35), and the
// worktree is locked from birth.
func TestCreateFromFreshDefaultBranch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		branch  string
		prepare func(*gittest.Repo)
	}{
		{"main", "main", func(*gittest.Repo) {}},
		{"trunk", "trunk", func(r *gittest.Repo) { r.Git("branch", "main") }},
		{"no origin/HEAD", "master", func(r *gittest.Repo) { r.Git("remote", "set-head", "origin", "-d") }},
		{"main checkout elsewhere and dirty", "main", func(r *gittest.Repo) {
			r.Git("checkout", "-q", "-b", "mine")
			r.Write("README.md", "changed")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, remote := gittest.WithRemote(t, tc.branch)
			other := r.Clone(remote, "other")
			tip := other.Commit("Somebody else's")
			other.Git("push", "-q", "origin", tc.branch)
			tc.prepare(r)
			before := r.Git("status", "--porcelain")

			w := create(t, manager(r), "DSP-3", "Add a flag")
			want := worktree.Worktree{
				Path: filepath.Join(r.Dir, ".claude", "worktrees", "dsp-3-add-a-flag"), Branch: "task/dsp-3-add-a-flag", Head: tip,
				Made: true, Locked: true, Reason: "dispatcher run run-1 pid 4001",
			}
			if diff := cmp.Diff(want, w); diff != "" {
				t.Error(diff)
			}
			list := r.Git("worktree", "list", "--porcelain")
			if !strings.Contains(list, "locked dispatcher run run-1 pid 4001") {
				t.Errorf("not locked:\n%s", list)
			}
			if got := r.At(w.Path).Git("status", "--porcelain=v2", "--branch"); !strings.Contains(got, "branch.head task/dsp-3-add-a-flag") || strings.Contains(got, "upstream") {
				t.Errorf("status of the worktree:\n%s", got)
			}
			if after := r.Git("status", "--porcelain"); after != before {
				t.Errorf("the main checkout changed: %q, then %q", before, after)
			}
		})
	}
}

func TestCreateWithoutRemote(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("branch", "-m", "trunk")
	tip := r.Head()
	r.Git("checkout", "-q", "-b", "elsewhere")
	r.Commit("Not for the task")
	if w := create(t, manager(r), "#7", "修复"); w.Head != tip || w.Branch != "task/7-issue" {
		t.Errorf("w = %+v, want head %s", w, tip)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for name, tc := range map[string]struct {
		repo *gittest.Repo
		req  worktree.CreateRequest
		want string
	}{
		"a repository without commits": {gittest.Empty(t, "main"), worktree.CreateRequest{Ref: "DSP-1", RunID: "r"}, "make a first commit"},
		"a bad run id":                 {r, worktree.CreateRequest{Ref: "DSP-1", RunID: "a b\nc"}, "no run id"},
		"a bad branch":                 {r, worktree.CreateRequest{Ref: "DSP-1", RunID: "r", Branch: "--x"}, "invalid name"},
		"a base that is not there":     {r, worktree.CreateRequest{Ref: "DSP-1", RunID: "r", Base: "gone"}, "pulls.base"},
	} {
		_, err := manager(tc.repo).Create(ctx, tc.req)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
	r.Git("branch", "task")
	if _, err := manager(r).Create(ctx, worktree.CreateRequest{Ref: "DSP-1", Title: "x", RunID: "r"}); err == nil || !strings.Contains(err.Error(), "rename it") {
		t.Errorf("a branch called task: err = %v", err)
	}
}

// Work goes on where it is, found by the identifier and not by the title.
func TestCreateContinues(t *testing.T) {
	t.Parallel()

	t.Run("the remote's branch", func(t *testing.T) {
		t.Parallel()
		r, remote := gittest.WithRemote(t, "main")
		other := r.Clone(remote, "other")
		other.Git("checkout", "-q", "-b", "task/dsp-3-old-title")
		tip := other.Commit("Begun elsewhere")
		other.Git("push", "-q", "origin", "HEAD", "main:task/dsp-30-x", "main:task/dsp-3x")
		w := create(t, manager(r), "DSP-3", "New title")
		if w.Branch != "task/dsp-3-old-title" || w.Head != tip || !w.Existing {
			t.Errorf("w = %+v", w)
		}
		if got := r.At(w.Path).Git("rev-parse", "--abbrev-ref", "@{u}"); got != "origin/task/dsp-3-old-title" {
			t.Errorf("upstream = %s", got)
		}
	})
	t.Run("the local branch, moved on by the remote", func(t *testing.T) {
		t.Parallel()
		r, remote := gittest.WithRemote(t, "main")
		r.Git("branch", "task/dsp-3-x")
		r.Git("push", "-q", "origin", "task/dsp-3-x")
		other := r.Clone(remote, "other")
		other.Git("checkout", "-q", "task/dsp-3-x")
		tip := other.Commit("Freshened")
		other.Git("push", "-q")
		if w := create(t, manager(r), "dsp-3", "y"); w.Head != tip || !w.Existing || w.Branch != "task/dsp-3-x" {
			t.Errorf("w = %+v, want head %s", w, tip)
		}
	})
	t.Run("a local branch that diverged stays as it is", func(t *testing.T) {
		t.Parallel()
		r, remote := gittest.WithRemote(t, "main")
		other := r.Clone(remote, "other")
		other.Git("checkout", "-q", "-b", "task/dsp-3-x")
		other.Commit("Theirs")
		other.Git("push", "-q", "origin", "HEAD")
		r.Git("checkout", "-q", "-b", "task/dsp-3-x")
		tip := r.Commit("Ours")
		r.Git("checkout", "-q", "main")
		if w := create(t, manager(r), "DSP-3", "x"); w.Head != tip {
			t.Errorf("w = %+v, want head %s", w, tip)
		}
	})
	t.Run("a branch asked for by name", func(t *testing.T) {
		t.Parallel()
		r, remote := gittest.WithRemote(t, "main")
		other := r.Clone(remote, "other")
		other.Git("checkout", "-q", "-b", "olives-own")
		tip := other.Commit("Hers")
		other.Git("push", "-q", "origin", "HEAD")
		w, err := manager(r).Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "r", PID: deadPID, Branch: "olives-own"})
		if err != nil || w.Head != tip || w.Branch != "olives-own" || !w.Existing {
			t.Errorf("w = %+v, %v", w, err)
		}
	})
	t.Run("a deleted remote branch is not brought back", func(t *testing.T) {
		t.Parallel()
		r, _ := gittest.WithRemote(t, "main")
		r.Git("push", "-q", "origin", "main:task/dsp-3-x")
		r.Git("fetch", "-q")
		r.Git("push", "-q", "origin", ":task/dsp-3-x")
		r.Git("update-ref", "refs/remotes/origin/task/dsp-3-x", "main")
		if w := create(t, manager(r), "DSP-3", "y"); w.Existing || w.Branch != "task/dsp-3-y" {
			t.Errorf("w = %+v", w)
		}
	})
}

func TestCreateReusesWorktree(t *testing.T) {
	t.Parallel()
	r, _ := gittest.WithRemote(t, "main")
	m := manager(r)
	first := create(t, m, "DSP-3", "x")
	wt := r.At(first.Path)
	wt.Write("half.txt", "done")
	wt.Write("README.md", "changed")
	wt.Git("add", "half.txt")

	again, err := m.Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "another title", RunID: "run-2", PID: livingPID})
	if err != nil {
		t.Fatal(err)
	}
	if again.Path != first.Path || !again.Existing || again.Reason != "dispatcher run run-2 pid 4002" {
		t.Errorf("again = %+v", again)
	}
	if got := wt.Git("status", "--porcelain"); got != " M README.md\nA  half.txt" {
		t.Errorf("its work changed:\n%s", got)
	}
	if got := r.Git("worktree", "list", "--porcelain"); !strings.Contains(got, "locked dispatcher run run-2 pid 4002") {
		t.Errorf("not locked for the new run:\n%s", got)
	}

	_, err = m.Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "run-3", PID: deadPID})
	if !errors.Is(err, worktree.ErrInUse) {
		t.Errorf("taken from a living run: %v", err)
	}
	if err := m.Unlock(ctx, first.Path); err != nil {
		t.Fatal(err)
	}
	if err := m.Unlock(ctx, first.Path); err != nil {
		t.Errorf("second unlock: %v", err)
	}
	wt.Git("add", "-A")
	wt.Git("commit", "-q", "-m", "Work")
	wt.Write("README.md", "other")
	wt.Git("commit", "-q", "-am", "More")
	if _, err := wt.Try("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-i", "HEAD~1"); err != nil {
		t.Fatal(err)
	}
	if w := create(t, m, "DSP-3", "x"); w.Path != first.Path {
		t.Errorf("in the middle of a rebase: %+v", w)
	}
}

func TestCreateSaysWhoHasTheBranch(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("checkout", "-q", "-b", "task/dsp-3-x")
	_, err := manager(r).Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "r", Base: "main"})
	if !errors.Is(err, worktree.ErrInUse) || !strings.Contains(err.Error(), "checked out in "+r.Dir) {
		t.Errorf("err = %v", err)
	}
	r.Git("checkout", "-q", "main")
	w := create(t, manager(r), "DSP-3", "x")
	r.Git("worktree", "unlock", w.Path)
	r.Git("worktree", "lock", "--reason", "mine, on a disk", w.Path)
	_, err = manager(r).Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "r"})
	if !errors.Is(err, worktree.ErrInUse) || !strings.Contains(err.Error(), "mine, on a disk") {
		t.Errorf("err = %v", err)
	}
}

// Two at once, from two processes or one (failures.md, 33).
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	r, _ := gittest.WithRemote(t, "main")
	const n = 8
	got := make([]worktree.Worktree, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			m := manager(r)
			ref := []string{"DSP-1", "DSP-2", "DSP-3", "DSP-4"}[i%4]
			w, err := m.Create(ctx, worktree.CreateRequest{Ref: ref, Title: "x", RunID: "r", PID: deadPID})
			if err != nil {
				t.Error(err)
			}
			got[i] = w
			if _, err := m.Prune(ctx, worktree.PruneRequest{DryRun: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i := range 4 {
		if got[i].Path != got[i+4].Path || got[i].Path == "" {
			t.Errorf("one issue, two worktrees: %q and %q", got[i].Path, got[i+4].Path)
		}
	}
	if out, err := r.Try("fsck"); err != nil {
		t.Errorf("fsck: %v\n%s", err, out)
	}
}

// What a crash or a person left behind (failures.md, 33).
func TestCreateAfterAccidents(t *testing.T) {
	t.Parallel()

	t.Run("a folder that is not registered", func(t *testing.T) {
		t.Parallel()
		r := gittest.New(t)
		r.Write(".claude/worktrees/dsp-3-x/precious.txt", "work")
		w := create(t, manager(r), "DSP-3", "x")
		if filepath.Base(w.Path) != "dsp-3-x-2" {
			t.Errorf("path = %s", w.Path)
		}
		if r.Read(".claude/worktrees/dsp-3-x/precious.txt") != "work" {
			t.Error("the folder changed")
		}
	})
	t.Run("registered and locked but gone", func(t *testing.T) {
		t.Parallel()
		r := gittest.New(t)
		m := manager(r)
		first := create(t, m, "DSP-3", "x")
		tip := r.At(first.Path).Commit("Work")
		if err := os.RemoveAll(first.Path); err != nil {
			t.Fatal(err)
		}
		w := create(t, m, "DSP-3", "x")
		if w.Head != tip || w.Path != first.Path || !w.Existing || !w.Made {
			t.Errorf("w = %+v", w)
		}
		if err := os.RemoveAll(first.Path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.Dir, ".git", "worktrees", "dsp-3-x", "locked"), []byte(worktree.LockReason("r", livingPID)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "r2", PID: deadPID}); !errors.Is(err, worktree.ErrInUse) {
			t.Errorf("a living process has just made it: err = %v", err)
		}
	})
	t.Run("a hook that fails leaves nothing", func(t *testing.T) {
		t.Parallel()
		r := gittest.New(t)
		hook := filepath.Join(r.Dir, ".git", "hooks", "post-checkout")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\necho no >&2\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := manager(r).Create(ctx, worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "r", PID: deadPID}); err == nil {
			t.Fatal("it succeeded")
		}
		if got := r.Git("worktree", "list"); strings.Contains(got, "dsp-3") {
			t.Errorf("left behind:\n%s", got)
		}
		if got := r.Git("branch", "--list", "task/*"); got != "" {
			t.Errorf("left behind: %s", got)
		}
	})
}

// A killed git leaves a lock or half an index behind (failures.md, 34).
func TestCreateMendsTheIndex(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) (*gittest.Repo, string, string) {
		t.Helper()
		r := gittest.New(t)
		w := create(t, manager(r), "DSP-3", "x")
		r.At(w.Path).Write("new.txt", "work")
		return r, w.Path, filepath.Join(r.Dir, ".git", "worktrees", "dsp-3-x")
	}
	request := worktree.CreateRequest{Ref: "DSP-3", Title: "x", RunID: "r2", PID: deadPID}

	t.Run("lock of a dead process", func(t *testing.T) {
		t.Parallel()
		r, path, dir := setup(t)
		write(t, filepath.Join(dir, "index.lock"), "")
		if _, err := manager(r).Create(ctx, request); err != nil {
			t.Fatal(err)
		}
		r.At(path).Commit("It works")
	})
	t.Run("lock of a living process", func(t *testing.T) {
		t.Parallel()
		r, _, dir := setup(t)
		write(t, filepath.Join(dir, "index.lock"), "")
		m := manager(r, func(o *worktree.Options) {
			o.WorkingIn = func(string) ([]int, bool) { return []int{livingPID}, true }
		})
		if _, err := m.Create(ctx, request); !errors.Is(err, worktree.ErrInUse) || !strings.Contains(err.Error(), "remove that file") {
			t.Errorf("err = %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, "index.lock")); err != nil {
			t.Error("the lock is gone")
		}
	})
	t.Run("where nobody can tell, age decides", func(t *testing.T) {
		t.Parallel()
		r, _, dir := setup(t)
		write(t, filepath.Join(dir, "index.lock"), "")
		after := func(d time.Duration) *worktree.Manager {
			return manager(r, func(o *worktree.Options) {
				o.WorkingIn = func(string) ([]int, bool) { return nil, false }
				o.Now = func() time.Time { return time.Now().Add(d) }
			})
		}
		if _, err := after(time.Minute).Create(ctx, request); !errors.Is(err, worktree.ErrInUse) {
			t.Errorf("young: err = %v", err)
		}
		if _, err := after(time.Hour).Create(ctx, request); err != nil {
			t.Errorf("old: err = %v", err)
		}
	})
	t.Run("half an index", func(t *testing.T) {
		t.Parallel()
		r, path, dir := setup(t)
		write(t, filepath.Join(dir, "index"), "DIRC\x00\x00")
		if _, err := manager(r).Create(ctx, request); err != nil {
			t.Fatal(err)
		}
		if got := r.At(path).Git("status", "--porcelain"); got != "?? new.txt" {
			t.Errorf("status = %q", got)
		}
	})
}
