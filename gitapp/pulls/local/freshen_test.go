package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// advance is one more commit on the base, pushed.
func (w *world) advance(file, content string) string {
	w.Helper()
	w.repo.Write(file, content)
	w.repo.Git("add", "-A")
	w.repo.Git("commit", "-q", "-m", "Go on with "+file)
	w.push(w.repo)
	return w.repo.Head()
}

// leave removes the worktree of a branch, as pruning does.
func (w *world) leave(wt *gittest.Repo) { w.repo.Git("worktree", "remove", "--force", wt.Dir) }

// headOf is where a branch stands, at the remote if there is one.
func (w *world) headOf(branch string) string {
	w.Helper()
	if w.remote != "" {
		return w.repo.At(w.remote).Git("rev-parse", branch)
	}
	return w.repo.Git("rev-parse", branch)
}

func TestFreshen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		wt := w.branch("task/dsp-3-x", "flag.txt", "one\n")
		pr := w.create("task/dsp-3-x")
		w.leave(wt)
		base := w.advance("other.txt", "x\n")
		if pr := w.get("1"); pr.Behind != 1 || pr.BaseSHA != base {
			t.Fatalf("behind by %d of %s", pr.Behind, pr.BaseSHA)
		}

		fresh, err := w.store.Freshen(ctx, "1", pr.HeadSHA)
		if err != nil {
			t.Fatal(err)
		}
		if fresh.Behind != 0 || fresh.Mergeable != board.MergeClean || len(fresh.Foreign) != 0 || fresh.HeadSHA != w.headOf("task/dsp-3-x") {
			t.Errorf("freshened: %+v", fresh)
		}
		w.repo.Git("cat-file", "-e", fresh.HeadSHA)
		if got := w.repo.Git("log", "-1", "--format=%P|%ae|%s", fresh.HeadSHA); got != pr.HeadSHA+" "+base+"|dev@x.invalid|Merge main into task/dsp-3-x" {
			t.Errorf("the merge commit is %s", got)
		}
		if got := w.repo.Git("status", "--porcelain"); got != "" {
			t.Errorf("the main checkout is dirty: %s", got)
		}
		only, err := w.store.MergeOnly(ctx, "1", pr.HeadSHA, fresh.HeadSHA)
		if err != nil || !only {
			t.Errorf("its own merge is no clean merge: %v, %v", only, err)
		}

		// Twice is once, and says so.
		if _, err := w.store.Freshen(ctx, "1", fresh.HeadSHA); !errors.Is(err, pulls.ErrUpToDate) {
			t.Errorf("again: %v", err)
		}
		// A second one on top of the first is still nothing but merges.
		w.advance("third.txt", "x\n")
		again, err := w.store.Freshen(ctx, "1", fresh.HeadSHA)
		if err != nil {
			t.Fatal(err)
		}
		if only, err := w.store.MergeOnly(ctx, "1", pr.HeadSHA, again.HeadSHA); err != nil || !only {
			t.Errorf("two clean merges: %v, %v", only, err)
		}
	})
}

// What stands against an update is found out and never taken for a conflict
// (failures, row 38: google-labs-code/jules-sdk PR#126 closed and redid every pull request).
func TestFreshenRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(w *world, wt *gittest.Repo)
		want    error
		says    string
	}{
		{"up to date", func(w *world, wt *gittest.Repo) { w.leave(wt) }, pulls.ErrUpToDate, "has all of main"},
		{"conflict", func(w *world, wt *gittest.Repo) { w.leave(wt); w.advance("flag.txt", "two\n") }, pulls.ErrConflict, "flag.txt"},
		{"head moved", func(w *world, wt *gittest.Repo) {
			w.advance("other.txt", "x\n")
			w.commit(wt, "more.txt", "x\n")
			w.leave(wt)
		}, pulls.ErrHeadMoved, "not"},
		{"branch deleted", func(w *world, wt *gittest.Repo) {
			w.advance("other.txt", "x\n")
			w.leave(wt)
			w.repo.Git("branch", "-D", "task/dsp-3-x")
			if w.remote != "" {
				w.repo.Git("push", "-q", "origin", ":task/dsp-3-x")
			}
		}, pulls.ErrBranchGone, "task/dsp-3-x"},
		{"worktree held", func(w *world, _ *gittest.Repo) { w.advance("other.txt", "x\n") }, pulls.ErrCheckedOut, "worktrees"},
		{"merged", func(w *world, wt *gittest.Repo) {
			w.leave(wt)
			if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner}); err != nil {
				w.Fatal(err)
			}
		}, pulls.ErrNotOpen, "merged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w *world) {
				wt := w.branch("task/dsp-3-x", "flag.txt", "one\n")
				pr := w.create("task/dsp-3-x")
				c.prepare(w, wt)
				var before string
				if c.want != pulls.ErrBranchGone { //nolint:errorlint // which case it is
					before = w.headOf("task/dsp-3-x")
				}
				_, err := w.store.Freshen(ctx, "1", pr.HeadSHA)
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				for _, other := range []error{pulls.ErrUpToDate, pulls.ErrConflict, pulls.ErrHeadMoved, pulls.ErrBranchGone, pulls.ErrCheckedOut, pulls.ErrNotOpen} {
					if other != c.want && errors.Is(err, other) { //nolint:errorlint // which sentinel it is
						t.Errorf("%v is also %v", err, other)
					}
				}
				if before != "" && w.headOf("task/dsp-3-x") != before {
					t.Error("the branch has moved")
				}
			})
		})
	}
}

// A push that the remote refuses is an error of its own, not a conflict and not
// a moved head.
func TestFreshenThatTheRemoteRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	wt := w.branch("task/dsp-3-x", "flag.txt", "one\n")
	pr := w.create("task/dsp-3-x")
	w.leave(wt)
	w.advance("other.txt", "x\n")
	hook := filepath.Join(w.remote, "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho no >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := w.store.Freshen(ctx, "1", pr.HeadSHA)
	if err == nil {
		t.Fatal("a refused push is no error")
	}
	for _, typed := range []error{pulls.ErrUpToDate, pulls.ErrConflict, pulls.ErrHeadMoved, pulls.ErrBranchGone, pulls.ErrCheckedOut, pulls.ErrNotOpen} {
		if errors.Is(err, typed) {
			t.Errorf("%v is taken for %v", err, typed)
		}
	}
	if w.headOf("task/dsp-3-x") != pr.HeadSHA {
		t.Error("the branch has moved")
	}
}

// What a person or an agent did by hand is told from git's own merge by the
// commits alone.
func TestMergeOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(w *world, wt *gittest.Repo)
		want bool
	}{
		{"nothing", func(*world, *gittest.Repo) {}, true},
		{"git's own merge", func(w *world, wt *gittest.Repo) {
			w.advance("other.txt", "x\n")
			wt.Git("merge", "-q", "--no-edit", w.base())
		}, true},
		{"git's own merge, twice", func(w *world, wt *gittest.Repo) {
			w.advance("other.txt", "x\n")
			wt.Git("merge", "-q", "--no-edit", w.base())
			w.advance("third.txt", "x\n")
			wt.Git("merge", "-q", "--no-edit", w.base())
		}, true},
		{"a conflict resolved by hand", func(w *world, wt *gittest.Repo) {
			w.advance("flag.txt", "two\n")
			_, _ = wt.Try("merge", "-q", "--no-edit", w.base())
			wt.Write("flag.txt", "one and two\n")
			wt.Git("commit", "-q", "-a", "--no-edit")
		}, false},
		{"something slipped into a clean merge", func(w *world, wt *gittest.Repo) {
			w.advance("other.txt", "x\n")
			wt.Git("merge", "-q", "--no-commit", "--no-ff", w.base())
			wt.Write("flag.txt", "three\n")
			wt.Git("commit", "-q", "-a", "--no-edit")
		}, false},
		{"a merge of something that is not on the base", func(w *world, wt *gittest.Repo) {
			w.repo.Git("checkout", "-q", "-b", "elsewhere")
			w.repo.Write("strange.txt", "x\n")
			w.repo.Git("add", "-A")
			w.repo.Git("commit", "-q", "-m", "Elsewhere")
			w.repo.Git("checkout", "-q", "main")
			wt.Git("merge", "-q", "--no-edit", "--no-ff", "elsewhere")
		}, false},
		{"a commit after a clean merge", func(w *world, wt *gittest.Repo) {
			w.advance("other.txt", "x\n")
			wt.Git("merge", "-q", "--no-edit", w.base())
			w.commit(wt, "more.txt", "x\n")
		}, false},
		{"a commit before a clean merge", func(w *world, wt *gittest.Repo) {
			w.commit(wt, "more.txt", "x\n")
			w.advance("other.txt", "x\n")
			wt.Git("merge", "-q", "--no-edit", w.base())
		}, false},
		{"rewritten", func(_ *world, wt *gittest.Repo) { wt.Git("commit", "-q", "--amend", "-m", "Another") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w *world) {
				wt := w.branch("task/dsp-3-x", "flag.txt", "one\n")
				pr := w.create("task/dsp-3-x")
				c.do(w, wt)
				w.push(wt, "--force")
				only, err := w.store.MergeOnly(ctx, "1", pr.HeadSHA, w.headOf("task/dsp-3-x"))
				if err != nil || only != c.want {
					t.Errorf("only merges: %v, %v; want %v", only, err, c.want)
				}
			})
		})
	}
	t.Run("a head that nobody holds", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, false)
		w.branch("task/dsp-3-x", "flag.txt", "one\n")
		pr := w.create("task/dsp-3-x")
		if only, err := w.store.MergeOnly(ctx, "1", strings.Repeat("a", 40), pr.HeadSHA); err != nil || only {
			t.Errorf("%v, %v", only, err)
		}
	})
}

func TestForeignAndLanding(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		wt := w.branch("task/dsp-3-x", "flag.txt", "one\n")
		pr := w.create("task/dsp-3-x")
		w.advance("flag.txt", "two\n")
		w.advance("other.txt", "x\n")
		landed, conflicts, err := w.store.Landing(ctx, "1", 1)
		if err != nil || len(landed) != 1 || landed[0].Subject != "Go on with other.txt" || strings.Join(conflicts, " ") != "flag.txt" {
			t.Errorf("landing: %v, %v, %v", landed, conflicts, err)
		}
		w.commit(wt, "more.txt", "x\n")
		if who, err := w.store.Foreign(ctx, "1", pr.HeadSHA, wt.Head()); err != nil || len(who) != 0 {
			t.Errorf("the developer's own commit: %v, %v", who, err)
		}
		wt.Write("mine.txt", "x\n")
		wt.Git("add", "-A")
		wt.Git("commit", "-q", "-m", "By a person")
		w.push(wt)
		if who, err := w.store.Foreign(ctx, "1", pr.HeadSHA, wt.Head()); err != nil || strings.Join(who, " ") != "Olive Owner <olive@example.com>" {
			t.Errorf("a person's commit: %v, %v", who, err)
		}
	})
}
