package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/internal/proc"
)

func TestMergeConflict(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.branch("task/dsp-3-x", "README.md", "theirs\n")
		w.create("task/dsp-3-x")
		w.repo.Write("README.md", "ours\n")
		tip := w.repo.Commit("Ours")
		w.push(w.repo)
		if pr := w.get("1"); pr.Mergeable != board.MergeConflict {
			t.Errorf("mergeable = %s", pr.Mergeable)
		}
		_, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", Force: true, By: owner})
		if !errors.Is(err, pulls.ErrConflict) || !strings.Contains(err.Error(), "README.md") {
			t.Errorf("err = %v", err)
		}
		if w.base() != tip || w.get("1").State != board.PullOpen {
			t.Error("something was merged")
		}
	})
}

// With a remote the merge is the remote's; the main checkout follows if it
// can, and what it keeps is said.
func TestMergeWithRemoteAndMainCheckout(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(r *gittest.Repo)
		note    string // empty: it follows
	}{
		"clean":                 {func(*gittest.Repo) {}, ""},
		"dirty elsewhere":       {func(r *gittest.Repo) { r.Write("README.md", "mine\n") }, ""},
		"dirty in the way":      {func(r *gittest.Repo) { r.Write("flag.txt", "mine\n") }, "stays 2 commits behind: "},
		"on another branch":     {func(r *gittest.Repo) { r.Git("checkout", "-q", "-b", "mine") }, "is on mine; its main is 2 commits behind"},
		"detached":              {func(r *gittest.Repo) { r.Git("checkout", "-q", "--detach") }, "is on no branch; its main is 2 commits behind"},
		"with its own commits":  {func(r *gittest.Repo) { r.Commit("Not pushed") }, "stays 2 commits behind"},
		"behind by one already": {func(r *gittest.Repo) { r.Git("reset", "-q", "--hard", "HEAD~0") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.branch("task/dsp-3-x", "flag.txt", "one\n")
			w.create("task/dsp-3-x")
			tc.prepare(w.repo)
			head, status := w.repo.Head(), w.repo.Git("status", "--porcelain")
			merged, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
			if err != nil {
				t.Fatal(err)
			}
			if w.base() != merged.PR.MergeSHA {
				t.Errorf("the remote has %s", w.base())
			}
			if after := w.repo.Git("status", "--porcelain"); after != status {
				t.Errorf("status was %q, is %q", status, after)
			}
			if tc.note == "" {
				if w.repo.Head() != w.base() || len(merged.Notes) != 0 {
					t.Errorf("it did not follow: %v", merged.Notes)
				}
				return
			}
			if w.repo.Head() != head || len(merged.Notes) != 1 || !strings.Contains(merged.Notes[0], tc.note) {
				t.Errorf("notes = %q", merged.Notes)
			}
		})
	}
}

func TestMergeWithoutRemote(t *testing.T) {
	t.Parallel()

	t.Run("files in the way", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, false)
		w.branch("task/dsp-3-x", "flag.txt", "one\n")
		w.create("task/dsp-3-x")
		tip := w.repo.Head()
		w.repo.Write("flag.txt", "mine\n")
		_, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
		way, ok := errors.AsType[*git.FilesInTheWayError](err)
		if !ok || !slices.Equal(way.Files, []string{"flag.txt"}) {
			t.Errorf("err = %v", err)
		}
		if w.base() != tip || w.repo.Read("flag.txt") != "mine\n" || w.get("1").State != board.PullOpen {
			t.Error("something changed")
		}
	})
	t.Run("not checked out", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, false)
		w.branch("task/dsp-3-x", "flag.txt", "one\n")
		w.create("task/dsp-3-x")
		w.repo.Git("checkout", "-q", "-b", "mine")
		w.repo.Write("flag.txt", "mine\n")
		merged, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
		if err != nil || w.base() != merged.PR.MergeSHA || w.repo.Read("flag.txt") != "mine\n" {
			t.Errorf("merged = %+v, %v", merged, err)
		}
	})
	t.Run("checked out in a linked worktree", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, false)
		w.branch("task/dsp-3-x", "flag.txt", "one\n")
		w.create("task/dsp-3-x")
		w.repo.Git("checkout", "-q", "-b", "mine")
		linked := filepath.Join(filepath.Dir(w.repo.Dir), "linked")
		w.repo.Git("worktree", "add", "-q", linked, "main")
		if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner}); err != nil {
			t.Fatal(err)
		}
		if got := w.repo.At(linked).Git("status", "--porcelain"); got != "" || !exists(filepath.Join(linked, "flag.txt")) {
			t.Errorf("its checkout did not follow: %q", got)
		}
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// hook does something once, right before git runs a command.
type hook struct {
	proc.Exec
	once *sync.Once
	word string
	do   func()
}

func (h hook) Run(ctx context.Context, c proc.Cmd) (proc.Result, error) {
	if slices.Contains(c.Args, h.word) {
		h.once.Do(h.do)
	}
	return h.Exec.Run(ctx, c)
}

// The base may move between the reading of it and the write: nothing is lost
// and the merge is built anew.
func TestMergeRaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, word string
		remote     bool
		elsewhere  bool // the main checkout is on another branch
	}{
		{name: "push", word: "push", remote: true},
		{name: "update-ref", word: "update-ref", elsewhere: true},
		{name: "fast-forward", word: "--ff-only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.remote)
			w.branch("task/dsp-3-x", "flag.txt", "one\n")
			w.create("task/dsp-3-x")
			if tc.elsewhere {
				w.repo.Git("checkout", "-q", "-b", "mine")
			}
			var theirs string
			move := func() {
				tree := w.repo.Git("rev-parse", "main^{tree}")
				theirs = w.repo.Git("commit-tree", "-p", "main", "-m", "Theirs", tree)
				if tc.remote {
					w.repo.Git("push", "-q", "origin", theirs+":main")
					return
				}
				w.repo.Git("update-ref", "refs/heads/main", theirs)
			}
			w.opts.Git = git.New(git.Options{Environ: gittest.Env(), Runner: hook{once: new(sync.Once), word: tc.word, do: move}})
			merged, err := local.Open(w.opts).Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
			if err != nil {
				t.Fatal(err)
			}
			if got := w.repo.Git("log", "-1", "--format=%P", w.base()); got != theirs+" "+merged.PR.HeadSHA {
				t.Errorf("parents = %s, want %s first", got, theirs)
			}
		})
	}
}

// Killed after the push and before the record: the next look finds the merge.
func TestMergeNotRecorded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.branch("task/dsp-3-x", "flag.txt", "one\n")
		w.create("task/dsp-3-x")
		path := filepath.Join(w.opts.Dir, "1.json")
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
		if err != nil || !again.Already || again.PR.MergeSHA != merged.PR.MergeSHA {
			t.Errorf("again = %+v, %v", again, err)
		}
	})
}

func TestMergeAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	for _, n := range []string{"a", "b", "c"} {
		w.branch("task/"+n, n+".txt", n)
		w.create("task/" + n)
	}
	var group sync.WaitGroup
	for _, name := range []string{"1", "2", "3", "1", "2", "3"} {
		group.Go(func() {
			if _, err := local.Open(w.opts).Merge(ctx, pulls.MergeRequest{Name: name, By: owner}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	group.Wait()
	if got := w.repo.At(w.remote).Git("rev-list", "--count", "--merges", "main"); got != "3" {
		t.Errorf("%s merges", got)
	}
}
