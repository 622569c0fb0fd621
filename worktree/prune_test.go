package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/worktree"
)

// pushed makes a worktree of ours, unlocked, with one commit that is pushed:
// the most that pruning may remove.
func pushed(t *testing.T, r *gittest.Repo, m *worktree.Manager, ref string) *gittest.Repo {
	t.Helper()
	w := create(t, m, ref, "x")
	if err := m.Unlock(ctx, w.Path); err != nil {
		t.Fatal(err)
	}
	wt := r.At(w.Path)
	wt.Write("work-"+ref+".txt", "done\n")
	wt.Commit("Work")
	wt.Git("push", "-q", "-u", "origin", "HEAD")
	return wt
}

func prune(t *testing.T, m *worktree.Manager) worktree.Pruned {
	t.Helper()
	done, err := m.Prune(ctx, worktree.PruneRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// whyKept is the reason that a pruning gives for keeping a folder; the test
// fails where it was not kept.
func whyKept(t *testing.T, done worktree.Pruned, path string) string {
	t.Helper()
	for _, o := range done.Kept {
		if o.Path == path {
			if !exists(path) {
				t.Errorf("%s is called kept and is gone", path)
			}
			return o.Why
		}
	}
	t.Errorf("%s was not kept: %+v", path, done)
	return ""
}

// Each state in which somebody's work was destroyed elsewhere (failures.md,
// 29), on a worktree that could otherwise be removed.
func TestPruneKeepsWork(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(t *testing.T, wt *gittest.Repo)
		why     string
	}{
		"changed":         {func(_ *testing.T, wt *gittest.Repo) { wt.Write("README.md", "new") }, "uncommitted"},
		"staged":          {func(_ *testing.T, wt *gittest.Repo) { wt.Write("README.md", "new"); wt.Git("add", "-A") }, "uncommitted"},
		"deleted":         {func(_ *testing.T, wt *gittest.Repo) { wt.Git("rm", "-q", "README.md") }, "uncommitted"},
		"mode":            {func(t *testing.T, wt *gittest.Repo) { chmod(t, wt, "README.md") }, "uncommitted"},
		"untracked":       {func(_ *testing.T, wt *gittest.Repo) { wt.Write("new dir/new.txt", "x") }, "untracked"},
		"intent to add":   {func(_ *testing.T, wt *gittest.Repo) { wt.Write("n", "x"); wt.Git("add", "-N", "n") }, "uncommitted"},
		"unpushed":        {func(_ *testing.T, wt *gittest.Repo) { wt.Commit("More") }, "1 unpushed"},
		"no upstream":     {func(_ *testing.T, wt *gittest.Repo) { wt.Git("checkout", "-q", "-b", "fresh"); wt.Commit("More") }, "1 unpushed"},
		"upstream gone":   {func(_ *testing.T, wt *gittest.Repo) { wt.Git("push", "-q", "origin", ":task/dsp-3-x") }, "1 unpushed"},
		"detached commit": {func(_ *testing.T, wt *gittest.Repo) { wt.Git("checkout", "-q", "--detach"); wt.Commit("Lost") }, "on no branch"},
		"conflict": {func(t *testing.T, wt *gittest.Repo) {
			wt.Git("checkout", "-q", "-b", "side", "HEAD~1")
			wt.Write("work-DSP-3.txt", "other\n")
			wt.Commit("Side")
			if _, err := wt.Try("merge", "task/dsp-3-x"); err == nil {
				t.Fatal("no conflict")
			}
		}, "middle of a merge"},
		"clean merge not committed": {func(_ *testing.T, wt *gittest.Repo) {
			wt.Git("checkout", "-q", "-b", "side", "HEAD~1")
			wt.Git("merge", "-q", "--no-ff", "--no-commit", "task/dsp-3-x")
		}, "middle of a merge"},
		"rebase": {func(t *testing.T, wt *gittest.Repo) {
			if out, err := wt.Try("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-i", "HEAD~1"); err != nil {
				t.Fatal(out)
			}
		}, "middle of a rebase"},
		"bisect": {func(_ *testing.T, wt *gittest.Repo) { wt.Git("bisect", "start") }, "middle of a bisect"},
		"assume-unchanged": {func(_ *testing.T, wt *gittest.Repo) {
			wt.Git("update-index", "--assume-unchanged", "README.md")
			wt.Write("README.md", "hidden")
		}, "uncommitted"},
		"untracked files hidden by configuration": {func(_ *testing.T, wt *gittest.Repo) {
			wt.Git("config", "status.showUntrackedFiles", "no")
			wt.Write("new.txt", "x")
		}, "untracked"},
		"a repository in it": {func(_ *testing.T, wt *gittest.Repo) {
			wt.Git("init", "-q", "nested")
			wt.Write("nested/a", "x")
		}, "untracked"},
		"half an index": {func(t *testing.T, wt *gittest.Repo) {
			write(t, filepath.Join(wt.Git("rev-parse", "--absolute-git-dir"), "index"), "DIRC")
		}, "cannot be judged"},
		"no .git file": {func(t *testing.T, wt *gittest.Repo) {
			if err := os.Remove(filepath.Join(wt.Dir, ".git")); err != nil {
				t.Fatal(err)
			}
		}, "worktree repair"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := gittest.WithRemote(t, "main")
			m := manager(r)
			wt := pushed(t, r, m, "DSP-3")
			tc.prepare(t, wt)
			// Locked by a process that died, as after a crash.
			if name != "no .git file" {
				if err := m.SetLock(ctx, wt.Dir, "r", deadPID); err != nil {
					t.Fatal(err)
				}
			}
			if why := whyKept(t, prune(t, m), wt.Dir); !strings.Contains(why, tc.why) {
				t.Errorf("kept because %q, want %q", why, tc.why)
			}
		})
	}
}

func chmod(t *testing.T, wt *gittest.Repo, file string) {
	t.Helper()
	if err := os.Chmod(filepath.Join(wt.Dir, file), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestPruneRemoves(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, r, wt *gittest.Repo, m *worktree.Manager){
		"pushed": func(*testing.T, *gittest.Repo, *gittest.Repo, *worktree.Manager) {},
		"nothing of its own, no upstream": func(_ *testing.T, _, wt *gittest.Repo, _ *worktree.Manager) {
			wt.Git("checkout", "-q", "-b", "fresh", "origin/main")
			wt.Git("branch", "--unset-upstream")
		},
		"detached at a pushed commit": func(_ *testing.T, _, wt *gittest.Repo, _ *worktree.Manager) {
			wt.Git("checkout", "-q", "--detach")
		},
		"lock of a dead process": func(t *testing.T, _, wt *gittest.Repo, m *worktree.Manager) {
			if err := m.SetLock(ctx, wt.Dir, "r", deadPID); err != nil {
				t.Fatal(err)
			}
		},
		"ignored files only": func(_ *testing.T, r, wt *gittest.Repo, _ *worktree.Manager) {
			write(t, filepath.Join(r.Dir, ".git", "info", "exclude"), "node_modules/\n.claude/\n")
			wt.Write("node_modules/x/index.js", "x")
		},
		"a stash, which lives in the repository": func(_ *testing.T, _, wt *gittest.Repo, _ *worktree.Manager) {
			wt.Write("README.md", "stashed")
			wt.Git("stash")
		},
		"touched but the same": func(t *testing.T, _, wt *gittest.Repo, _ *worktree.Manager) {
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(filepath.Join(wt.Dir, "README.md"), later, later); err != nil {
				t.Fatal(err)
			}
		},
		"git's lock of a dead process": func(t *testing.T, _, wt *gittest.Repo, _ *worktree.Manager) {
			write(t, filepath.Join(wt.Git("rev-parse", "--absolute-git-dir"), "index.lock"), "")
		},
		"folder gone": func(t *testing.T, _, wt *gittest.Repo, m *worktree.Manager) {
			if err := m.SetLock(ctx, wt.Dir, "r", deadPID); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(wt.Dir); err != nil {
				t.Fatal(err)
			}
		},
		"assume-unchanged but unchanged": func(_ *testing.T, _, wt *gittest.Repo, _ *worktree.Manager) {
			wt.Git("update-index", "--assume-unchanged", "README.md")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := gittest.WithRemote(t, "main")
			m := manager(r)
			wt := pushed(t, r, m, "DSP-3")
			prepare(t, r, wt, m)
			dry, err := m.Prune(ctx, worktree.PruneRequest{DryRun: true})
			if err != nil || len(dry.Removed) != 1 {
				t.Fatalf("dry run: %+v, %v", dry, err)
			}
			if !strings.Contains(r.Git("worktree", "list"), "dsp-3") {
				t.Fatal("the dry run removed it")
			}
			done := prune(t, m)
			if len(done.Removed) != 1 || done.Removed[0].Path != wt.Dir || exists(wt.Dir) {
				t.Errorf("done = %+v", done)
			}
			if strings.Contains(r.Git("worktree", "list"), "dsp-3") {
				t.Error("git still lists it")
			}
			if name == "pushed" && r.Git("branch", "--list", "task/dsp-3-x") == "" {
				t.Error("the branch went with it")
			}
			if again := prune(t, m); len(again.Removed) != 0 {
				t.Errorf("twice: %+v", again)
			}
		})
	}
}

func TestPruneLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	r, _ := gittest.WithRemote(t, "main")
	m := manager(r)
	elsewhere := filepath.Join(filepath.Dir(r.Dir), "elsewhere")
	r.Git("worktree", "add", "-q", elsewhere)
	living := pushed(t, r, m, "DSP-4")
	if err := m.SetLock(ctx, living.Dir, "r", livingPID); err != nil {
		t.Fatal(err)
	}
	person := pushed(t, r, m, "DSP-5")
	r.Git("worktree", "lock", "--reason", "on my disk", person.Dir)

	// Also when run from within a linked worktree.
	done := prune(t, m)
	if len(done.Removed) != 0 {
		t.Errorf("removed: %+v", done.Removed)
	}
	for path, want := range map[string]string{
		r.Dir: "main checkout", elsewhere: "not below", living.Dir: "living process 4002", person.Dir: "on my disk",
	} {
		if why := whyKept(t, done, path); !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", path, why, want)
		}
	}
}

// Without a remote, pushed is what the default branch or an open pull request
// has (design.md, section 9).
func TestPruneWithoutRemote(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	m := manager(r)
	w := create(t, m, "DSP-3", "x")
	if err := m.Unlock(ctx, w.Path); err != nil {
		t.Fatal(err)
	}
	head := r.At(w.Path).Commit("Work")
	if why := whyKept(t, prune(t, m), w.Path); !strings.Contains(why, "1 unpushed") {
		t.Errorf("why = %q", why)
	}
	dry, err := m.Prune(ctx, worktree.PruneRequest{DryRun: true, Heads: []string{head, strings.Repeat("a", 40)}})
	if err != nil || len(dry.Removed) != 1 {
		t.Errorf("with an open pull request: %+v, %v", dry, err)
	}
	r.Git("merge", "-q", "--no-ff", "-m", "Merge", w.Branch)
	if done := prune(t, m); len(done.Removed) != 1 {
		t.Errorf("merged: %+v", done)
	}
	two := create(t, m, "DSP-4", "y")
	r.Git("branch", "master")
	if err := m.Unlock(ctx, two.Path); err != nil {
		t.Fatal(err)
	}
	if why := whyKept(t, prune(t, m), two.Path); !strings.Contains(why, "pulls.base") {
		t.Errorf("an unknown default branch: %q", why)
	}
}

// Line ends that git itself calls changed right after a checkout must not keep
// a worktree for ever, and a real change among them must (failures.md, 37).
func TestPruneOddLineEnds(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"autocrlf", "attributes after the fact"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r, _ := gittest.WithRemote(t, "main")
			r.Write("crlf.txt", "one\r\ntwo\r\n")
			r.Write("lf.txt", "one\ntwo\n")
			r.Commit("Mixed")
			if how == "autocrlf" {
				r.Git("config", "core.autocrlf", "true")
			} else {
				r.Write(".gitattributes", "*.txt text\n")
				r.Git("add", ".gitattributes")
				r.Git("commit", "-q", "-m", "Attributes")
			}
			r.Git("push", "-q")
			m := manager(r)
			w := create(t, m, "DSP-3", "x")
			if err := m.Unlock(ctx, w.Path); err != nil {
				t.Fatal(err)
			}
			// Git looks at content only where the file's time says so.
			later := time.Now().Add(time.Hour)
			for _, f := range []string{"crlf.txt", "lf.txt"} {
				if err := os.Chtimes(filepath.Join(w.Path, f), later, later); err != nil {
					t.Fatal(err)
				}
			}
			status := r.At(w.Path).Git("status", "--porcelain")
			if how != "autocrlf" && status == "" {
				t.Fatal("git calls it clean: the case is not made")
			}
			changed := create(t, m, "DSP-4", "y")
			if err := m.Unlock(ctx, changed.Path); err != nil {
				t.Fatal(err)
			}
			r.At(changed.Path).Write("crlf.txt", "one\r\nTWO\r\n")
			done := prune(t, m)
			if exists(w.Path) {
				t.Errorf("kept: %s (git status: %q)", whyKept(t, done, w.Path), status)
			}
			if why := whyKept(t, done, changed.Path); !strings.Contains(why, "uncommitted") {
				t.Errorf("why = %q", why)
			}
		})
	}
}

// interceptor does something right before git runs a command.
type interceptor struct {
	proc.Exec
	before func(args []string)
}

func (i interceptor) Run(ctx context.Context, c proc.Cmd) (proc.Result, error) {
	i.before(c.Args)
	return i.Exec.Run(ctx, c)
}

// Work that appears after the look is saved by git's own refusal, and the
// removal that was tried in vain is the one thing that is an error.
func TestPruneReportsWhatIsStillListed(t *testing.T) {
	t.Parallel()
	r, _ := gittest.WithRemote(t, "main")
	wt := pushed(t, r, manager(r), "DSP-3")
	other := pushed(t, r, manager(r), "DSP-4")
	m := manager(r, func(o *worktree.Options) {
		o.Git = git.New(git.Options{Environ: gittest.Env(), Runner: interceptor{before: func(args []string) {
			if slices.Equal(args, []string{"worktree", "remove", "--", wt.Dir}) {
				wt.Write("late.txt", "x")
			}
		}}})
	})
	done, err := m.Prune(ctx, worktree.PruneRequest{})
	if !errors.Is(err, worktree.ErrStillListed) || !strings.Contains(err.Error(), wt.Dir) {
		t.Errorf("err = %v", err)
	}
	if len(done.Failed) != 1 || done.Failed[0].Path != wt.Dir || !exists(filepath.Join(wt.Dir, "late.txt")) {
		t.Errorf("done = %+v", done)
	}
	if exists(other.Dir) {
		t.Error("one failure kept the others")
	}
}

func TestPruneNeedsMainCheckout(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	r.Git("clone", "-q", "--bare", r.Dir, bare)
	_, err := manager(r.At(bare)).Prune(ctx, worktree.PruneRequest{})
	if !errors.Is(err, worktree.ErrNoMain) {
		t.Errorf("err = %v", err)
	}
}
