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
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

var (
	ctx   = context.Background()
	who   = gitapp.Native("dev", "dev@x.invalid", "rev")
	owner = gitapp.Identity{Name: "Olive Owner", Email: "olive@example.com"}
	noon  = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)
)

// world is a repository with its store.
type world struct {
	*testing.T
	repo   *gittest.Repo
	remote string // empty: none
	store  *local.Store
	opts   local.Options
}

// each runs a test with a remote and without one.
func each(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	for _, remote := range []bool{true, false} {
		name := map[bool]string{true: "with a remote", false: "without a remote"}[remote]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, newWorld(t, remote))
		})
	}
}

func newWorld(t *testing.T, remote bool, change ...func(*local.Options)) *world {
	t.Helper()
	w := &world{T: t}
	if remote {
		w.repo, w.remote = gittest.WithRemote(t, "main")
	} else {
		w.repo = gittest.New(t)
	}
	w.opts = local.Options{
		Git: gittest.Client(), Dir: filepath.Join(filepath.Dir(w.repo.Dir), "board", "pulls"), Repo: w.repo.Dir, Base: "main",
		Developer: who.Developer, Reviewer: who.Reviewer, Now: func() time.Time { return noon },
	}
	if remote {
		w.opts.Remote = "origin"
	}
	for _, c := range change {
		c(&w.opts)
	}
	w.store = local.Open(w.opts)
	return w
}

// branch makes a branch with one commit by the developer, in a worktree, and
// pushes it.
func (w *world) branch(name, file, content string) *gittest.Repo {
	w.Helper()
	wt := w.repo.At(filepath.Join(w.repo.Dir, ".claude", "worktrees", strings.ReplaceAll(name, "/", "-")))
	w.repo.Git("worktree", "add", "-q", "--no-track", "-b", name, wt.Dir, "main")
	w.commit(wt, file, content)
	return wt
}

func (w *world) commit(wt *gittest.Repo, file, content string) string {
	w.Helper()
	wt.Write(file, content)
	wt.Git("add", "-A")
	wt.Git("-c", "user.name=dev", "-c", "user.email=dev@x.invalid", "commit", "-q", "-m", "Write "+file)
	w.push(wt)
	return wt.Head()
}

func (w *world) push(wt *gittest.Repo, args ...string) {
	w.Helper()
	if w.remote != "" {
		wt.Git(append([]string{"push", "-q", "origin", "HEAD"}, args...)...)
	}
}

func (w *world) create(head string) board.PullRequest {
	w.Helper()
	pr, err := w.store.Create(ctx, pulls.CreateRequest{Title: "Add a flag", Body: "Why\n\nFixes DSP-3\n", Head: head})
	if err != nil {
		w.Fatal(err)
	}
	return pr
}

func (w *world) get(name string) board.PullRequest {
	w.Helper()
	pr, err := w.store.Get(ctx, name)
	if err != nil {
		w.Fatal(err)
	}
	return pr
}

// base is where the default branch stands, at the remote if there is one.
func (w *world) base() string {
	w.Helper()
	if w.remote != "" {
		return w.repo.At(w.remote).Git("rev-parse", "main")
	}
	return w.repo.Git("rev-parse", "main")
}

func TestLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		wt := w.branch("task/dsp-3-x", "flag.txt", "one\n")
		pr := w.create("task/dsp-3-x")
		want := board.PullRequest{
			Number: 1, Name: "#1", Title: "Add a flag", Body: "Why\n\nFixes DSP-3\n", State: board.PullOpen, Author: "dev", ByAgent: true,
			Base: "main", Head: "task/dsp-3-x", HeadSHA: wt.Head(), BaseSHA: w.base(), CreatedAt: noon, Mergeable: board.MergeClean,
			Checks: board.ChecksNone, Issues: []board.Ref{"DSP-3"},
		}
		if diff := cmp.Diff(want, pr); diff != "" {
			t.Errorf("opened: %s", diff)
		}

		// The head is read live, what follows from it too.
		wt.Write("mine.txt", "by hand\n")
		wt.Git("add", "-A")
		wt.Git("commit", "-q", "-m", "By a person")
		w.push(wt)
		w.repo.Write("other.txt", "x\n")
		w.repo.Commit("Go on")
		w.push(w.repo)
		want.HeadSHA, want.BaseSHA, want.Behind, want.Foreign = wt.Head(), w.base(), 1, []string{"Olive Owner <olive@example.com>"}
		if diff := cmp.Diff(want, w.get("1")); diff != "" {
			t.Errorf("moved on: %s", diff)
		}
		byHead, err := w.store.ByHead(ctx, "task/dsp-3-x")
		if err != nil || byHead.Number != 1 {
			t.Errorf("by head: %+v, %v", byHead, err)
		}
		if text, err := w.store.Diff(ctx, "#1"); err != nil || !strings.Contains(text, "+by hand") || strings.Contains(text, "other.txt") {
			t.Errorf("diff: %v\n%s", err, text)
		}

		merged, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "#1", By: owner})
		if err != nil {
			t.Fatal(err)
		}
		tip := w.base()
		if merged.PR.State != board.PullMerged || merged.PR.MergeSHA != tip || merged.PR.HeadSHA != wt.Head() || merged.Already || len(merged.Notes) != 0 {
			t.Errorf("merged = %+v, tip %s", merged, tip)
		}
		if got := w.repo.Git("log", "-1", "--format=%an|%s|%b", tip); got != "Olive Owner|Merge pull request #1 from task/dsp-3-x|Add a flag\n\nFixes DSP-3" {
			t.Errorf("commit = %q", got)
		}
		if w.repo.Head() != tip || w.repo.Git("status", "--porcelain") != "" {
			t.Errorf("the main checkout did not follow: %s %s", w.repo.Head(), w.repo.Git("status", "--porcelain"))
		}
		again, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
		if err != nil || !again.Already || w.base() != tip {
			t.Errorf("again = %+v, %v", again, err)
		}
		if open, err := w.store.List(ctx, false); err != nil || len(open) != 0 {
			t.Errorf("open = %+v, %v", open, err)
		}
		if all, err := w.store.List(ctx, true); err != nil || len(all) != 1 || all[0].State != board.PullMerged {
			t.Errorf("all = %+v, %v", all, err)
		}
		if text, err := w.store.Diff(ctx, "#1"); err != nil || !strings.Contains(text, "+by hand") || strings.Contains(text, "other.txt") {
			t.Errorf("diff of the merged: %v\n%s", err, text)
		}
	})
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.branch("task/dsp-3-x", "a.txt", "a")
		w.create("task/dsp-3-x")
		w.repo.Git("branch", "empty")
		if w.remote != "" {
			w.repo.Git("push", "-q", "origin", "empty")
			w.repo.Git("branch", "here-only", "task/dsp-3-x")
		}
		for name, tc := range map[string]struct {
			req  pulls.CreateRequest
			want string
		}{
			"head is base":    {pulls.CreateRequest{Title: "t", Head: "main"}, "the head is the base"},
			"no commits":      {pulls.CreateRequest{Title: "t", Head: "empty"}, "no commits that main lacks"},
			"not there":       {pulls.CreateRequest{Title: "t", Head: "gone"}, map[bool]string{true: "git push -u origin HEAD", false: "there is no branch gone"}[w.remote != ""]},
			"second one":      {pulls.CreateRequest{Title: "t", Head: "task/dsp-3-x"}, "#1 is already open"},
			"no such base":    {pulls.CreateRequest{Title: "t", Head: "task/dsp-3-x", Base: "gone"}, "no branch gone to merge into"},
			"no title":        {pulls.CreateRequest{Title: " ", Head: "empty"}, "--title"},
			"title of lines":  {pulls.CreateRequest{Title: "a\nb", Head: "empty"}, "one line"},
			"title too long":  {pulls.CreateRequest{Title: strings.Repeat("ü", 257), Head: "empty"}, "256"},
			"body too long":   {pulls.CreateRequest{Title: "t", Body: strings.Repeat("x", 1<<19), Head: "empty"}, "KiB"},
			"not UTF-8":       {pulls.CreateRequest{Title: "t", Body: "\xff", Head: "empty"}, "UTF-8"},
			"head is no name": {pulls.CreateRequest{Title: "t", Head: "--upload-pack=x"}, "invalid name"},
		} {
			_, err := w.store.Create(ctx, tc.req)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: err = %v", name, err)
			}
		}
		if _, err := w.store.Create(ctx, pulls.CreateRequest{Title: "t", Head: "task/dsp-3-x"}); !errors.Is(err, pulls.ErrExists) {
			t.Errorf("err = %v, want ErrExists", err)
		}
		if all, _ := w.store.List(ctx, true); len(all) != 1 {
			t.Errorf("a refused one was written: %+v", all)
		}
	})
}

func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	var heads []string
	for _, n := range []string{"a", "b", "c", "d"} {
		w.branch("task/"+n, n+".txt", n)
		heads = append(heads, "task/"+n, "task/"+n)
	}
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		made  int
	)
	for _, h := range heads {
		group.Go(func() {
			_, err := local.Open(w.opts).Create(ctx, pulls.CreateRequest{Title: "t", Head: h})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				made++
			case !errors.Is(err, pulls.ErrExists):
				t.Error(err)
			}
		})
	}
	group.Wait()
	all, err := w.store.List(ctx, false)
	if err != nil || made != 4 || len(all) != 4 || all[3].Number != 4 {
		t.Errorf("made %d, listed %+v, %v", made, all, err)
	}
}

func TestGetRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	for _, name := range []string{"#9", "9", "x", "", "../1", "-1"} {
		if _, err := w.store.Get(ctx, name); !errors.Is(err, pulls.ErrNotFound) {
			t.Errorf("Get(%q): err = %v", name, err)
		}
	}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.branch("task/dsp-3-x", "a.txt", "a")
	pr, err := w.store.Create(ctx, pulls.CreateRequest{Title: "t", Head: "task/dsp-3-x", Draft: true})
	if err != nil || !pr.Draft {
		t.Fatalf("pr = %+v, %v", pr, err)
	}
	if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", Force: true, By: owner}); !errors.Is(err, pulls.ErrDraft) || !strings.Contains(err.Error(), "marks it ready") {
		t.Errorf("err = %v", err)
	}
	ready, title, body := false, "New title", "Fixes DSP-4"
	pr, err = w.store.Update(ctx, "#1", pulls.Edit{Title: &title, Body: &body, Draft: &ready})
	if err != nil || pr.Draft || pr.Title != "New title" || !slices.Equal(pr.Issues, []board.Ref{"DSP-4"}) {
		t.Errorf("pr = %+v, %v", pr, err)
	}
	empty := " "
	if _, err := w.store.Update(ctx, "#1", pulls.Edit{Title: &empty}); err == nil || w.get("1").Title != "New title" {
		t.Errorf("an empty title was taken: %v", err)
	}
	if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Update(ctx, "#1", pulls.Edit{Title: &title}); !errors.Is(err, pulls.ErrNotOpen) {
		t.Errorf("err = %v", err)
	}
}

// Somebody may merge with git alone; it reads merged then, and a branch that
// was only reset to the base does not.
func TestMergedOutside(t *testing.T) {
	t.Parallel()
	for how, args := range map[string][]string{"merge": {"--no-ff", "-m", "By hand"}, "fast-forward": {"--ff-only"}} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w *world) {
				wt := w.branch("task/dsp-3-x", "a.txt", "a")
				w.create("task/dsp-3-x")
				w.repo.Git(append(append([]string{"merge", "-q"}, args...), "task/dsp-3-x")...)
				merge := w.repo.Head()
				if w.remote != "" && w.get("1").State != board.PullOpen {
					t.Error("merged here but not pushed: the remote does not have it")
				}
				w.push(w.repo)
				w.repo.Commit("Go on")
				w.push(w.repo)
				pr := w.get("1")
				if pr.State != board.PullMerged || pr.MergeSHA != merge || pr.HeadSHA != wt.Head() || pr.MergedAt.IsZero() {
					t.Errorf("pr = %+v, want merged by %s", pr, merge)
				}
				// It stays so, whatever becomes of the branch.
				w.repo.Git("worktree", "remove", "--force", wt.Dir)
				w.repo.Git("branch", "-D", "task/dsp-3-x")
				if w.remote != "" {
					w.repo.Git("push", "-q", "origin", ":task/dsp-3-x")
				}
				if pr := w.get("1"); pr.State != board.PullMerged || pr.MergeSHA != merge {
					t.Errorf("later: %+v", pr)
				}
			})
		})
	}
	t.Run("a branch reset to the base", func(t *testing.T) {
		t.Parallel()
		each(t, func(t *testing.T, w *world) {
			wt := w.branch("task/dsp-3-x", "a.txt", "a")
			w.create("task/dsp-3-x")
			wt.Git("reset", "-q", "--hard", "main")
			w.push(wt, "--force")
			if pr := w.get("1"); pr.State != board.PullOpen || pr.HeadSHA != wt.Head() {
				t.Errorf("pr = %+v", pr)
			}
			w.commit(wt, "b.txt", "b")
			if pr := w.get("1"); pr.State != board.PullOpen || pr.HeadSHA != wt.Head() {
				t.Errorf("pr = %+v", pr)
			}
		})
	})
	t.Run("pushed and merged since last seen", func(t *testing.T) {
		t.Parallel()
		each(t, func(t *testing.T, w *world) {
			wt := w.branch("task/dsp-3-x", "a.txt", "a")
			w.create("task/dsp-3-x")
			last := w.commit(wt, "b.txt", "b")
			w.repo.Git("merge", "-q", "--no-ff", "-m", "By hand", "task/dsp-3-x")
			w.push(w.repo)
			if pr := w.get("1"); pr.State != board.PullMerged || pr.HeadSHA != last || pr.MergeSHA != w.repo.Head() {
				t.Errorf("pr = %+v", pr)
			}
		})
	})
}

func TestBranchGone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		wt := w.branch("task/dsp-3-x", "a.txt", "a")
		head := wt.Head()
		w.create("task/dsp-3-x")
		w.repo.Git("worktree", "remove", "--force", wt.Dir)
		w.repo.Git("branch", "-D", "task/dsp-3-x")
		if w.remote != "" {
			w.repo.Git("push", "-q", "origin", ":task/dsp-3-x")
		}
		if pr := w.get("1"); pr.State != board.PullOpen || pr.HeadSHA != head || pr.Mergeable != board.MergeUnknown {
			t.Errorf("pr = %+v", pr)
		}
	})
}

func TestBaseGone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.repo.Git("branch", "release")
		if w.remote != "" {
			w.repo.Git("push", "-q", "origin", "release")
		}
		w.branch("task/a", "a.txt", "a")
		w.branch("task/b", "b.txt", "b")
		if _, err := w.store.Create(ctx, pulls.CreateRequest{Title: "t", Head: "task/a", Base: "release"}); err != nil {
			t.Fatal(err)
		}
		w.create("task/b")
		w.repo.Git("branch", "-D", "release")
		if w.remote != "" {
			w.repo.Git("push", "-q", "origin", ":release")
		}
		all, err := w.store.List(ctx, false)
		if err != nil || len(all) != 2 || all[0].Mergeable != board.MergeUnknown || all[1].Mergeable != board.MergeClean {
			t.Errorf("all = %+v, %v", all, err)
		}
		if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner}); err == nil || !strings.Contains(err.Error(), "base release") {
			t.Errorf("err = %v", err)
		}
		if _, err := w.store.Diff(ctx, "1"); err == nil || !strings.Contains(err.Error(), "base release") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.branch("task/a", "a.txt", "a")
	w.branch("task/b", "b.txt", "b")
	w.create("task/a")
	w.create("task/b")
	path := filepath.Join(w.opts.Dir, "1.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ content, want string }{
		"cut in half":      {string(good[:len(good)/2]), "broken"},
		"newer version":    {`{"version": 99, "number": 1}`, "99"},
		"another's number": {strings.Replace(string(good), `"number": 1`, `"number": 7`, 1), "broken"},
		"a head that git would take for an option": {strings.Replace(string(good), `"task/a"`, `"--exec=x"`, 1), "invalid name"},
	} {
		if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := w.store.List(ctx, true)
		broken, ok := errors.AsType[*local.BrokenError](err)
		if !ok || broken.Records[1] == nil || !strings.Contains(err.Error(), tc.want) || len(all) != 2 || all[1].Number != 2 || all[1].Author != "dev" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		if all[0].Number != 1 || all[0].Author != local.UnreadableAuthor || all[0].ByAgent || all[0].State != board.PullOpen {
			t.Errorf("%s: the broken one is %+v", name, all[0])
		}
		if _, err := w.store.RequestChanges(ctx, pulls.ChangesRequest{Name: "1", By: "Olive", Body: "x"}); err == nil {
			t.Errorf("%s: it was written to", name)
		}
		if now, _ := os.ReadFile(path); string(now) != tc.content {
			t.Errorf("%s: the file was rewritten", name)
		}
	}
	if _, err := w.store.Get(ctx, "1"); err == nil {
		t.Error("no error")
	}
	if err := os.WriteFile(path, []byte(`{"version": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = w.store.Get(ctx, "1")
	if newer, ok := errors.AsType[*statefile.NewerVersionError](err); !ok || newer.Version != 99 {
		t.Errorf("err = %v", err)
	}
	// The number is taken all the same.
	w.branch("task/c", "c.txt", "c")
	if pr := w.create("task/c"); pr.Number != 3 {
		t.Errorf("number = %d", pr.Number)
	}
}
