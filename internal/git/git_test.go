package git_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/proc/proctest"
)

var ctx = context.Background()

func TestVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		version string
		err     error
	}{
		"git version 2.39.5\n":                 {version: "2.39.5"},
		"git version 2.38.0\n":                 {version: "2.38.0"},
		"git version 2.45.2 (Apple Git-154)\n": {version: "2.45.2"},
		"git version 2.47.0.windows.2\n":       {version: "2.47.0"},
		"git version 3.0\n":                    {version: "3.0.0"},
		"git version 2.37.9\n":                 {err: git.ErrTooOld},
		"git version 1.8.3.1\n":                {err: git.ErrTooOld},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			fake := proctest.New(t)
			fake.Expect("git", "version").Prints(text)
			v, err := git.New(git.Options{Runner: fake, Environ: []string{}}).Version(ctx)
			if !errors.Is(err, want.err) || (err == nil) != (want.err == nil) {
				t.Fatalf("err = %v, want %v", err, want.err)
			}
			if err == nil && v.String() != want.version {
				t.Errorf("version = %s", v)
			}
			if errors.Is(err, git.ErrTooOld) && !strings.Contains(err.Error(), "2.38 or newer") {
				t.Errorf("%q does not say what is needed", err)
			}
		})
	}
}

func TestVersionIsAskedOnce(t *testing.T) {
	t.Parallel()
	fake := proctest.New(t)
	fake.Expect("git", "version").Fails(&exec.Error{Name: "git", Err: exec.ErrNotFound})
	fake.Expect("git", "version").Prints("git version 2.40.0\n")
	fake.Expect("git", "remote")
	fake.Expect("git", "remote").Prints("upstream\n")
	g := git.New(git.Options{Runner: fake, Environ: []string{}})
	if _, err := g.Remote(ctx, "/x"); !errors.Is(err, git.ErrMissing) {
		t.Errorf("err = %v, want ErrMissing", err)
	}
	for _, want := range []string{"", "upstream"} {
		if got, err := g.Remote(ctx, "/x"); err != nil || got != want {
			t.Errorf("remote = %q, %v; want %q", got, err, want)
		}
	}
}

func TestMissingGit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("programs are looked up by the system there")
	}
	g := git.New(git.Options{Environ: []string{"PATH=" + t.TempDir()}})
	_, err := g.MainCheckout(ctx, t.TempDir())
	if !errors.Is(err, git.ErrMissing) || !strings.Contains(err.Error(), "install git") {
		t.Errorf("err = %v", err)
	}
}

// Whatever a hook or a person set, a command works on the repository of its
// folder, reads take no locks, and nothing asks on a terminal.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	fake := proctest.New(t)
	fake.Expect("git", "version").Prints("git version 2.40.0\n")
	fake.Expect("git", "remote")
	fake.Expect("git", "worktree", "unlock", "--", "/w")
	g := git.New(git.Options{Runner: fake, Environ: []string{
		"PATH=/bin", "GIT_DIR=/elsewhere", "GIT_WORK_TREE=/elsewhere", "GIT_INDEX_FILE=x", "GIT_AUTHOR_NAME=Eve",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_SSH_COMMAND=ssh -i key", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de",
	}})
	if _, err := g.Remote(ctx, "/r"); err != nil {
		t.Fatal(err)
	}
	if err := g.UnlockWorktree(ctx, "/r", "/w"); err != nil {
		t.Fatal(err)
	}
	ran := fake.Ran()
	want := []string{"PATH=/bin", "GIT_SSH_COMMAND=ssh -i key", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0"}
	if diff := cmp.Diff(append(slices.Clone(want), "GIT_OPTIONAL_LOCKS=0"), ran[1].Env); diff != "" {
		t.Errorf("environment of a read: %s", diff)
	}
	if diff := cmp.Diff(want, ran[2].Env); diff != "" {
		t.Errorf("environment of a write: %s", diff)
	}
	fake.Expect("git", "merge", "--ff-only", "--quiet", "abc")
	if err := g.FastForward(ctx, "/r", "abc"); err != nil {
		t.Fatal(err)
	}
	// A person's hooks keep their character set; the messages stay English.
	want = []string{"PATH=/bin", "GIT_SSH_COMMAND=ssh -i key", "LC_CTYPE=de_DE.UTF-8", "LC_MESSAGES=C", "GIT_TERMINAL_PROMPT=0"}
	if diff := cmp.Diff(want, fake.Ran()[3].Env); diff != "" {
		t.Errorf("environment of a command with hooks: %s", diff)
	}
}

func TestMainCheckout(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.New(t)
	linked := filepath.Join(r.Dir, ".claude", "worktrees", "w")
	r.Git("worktree", "add", "-q", linked)
	if err := os.MkdirAll(filepath.Join(linked, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{r.Dir, linked, filepath.Join(linked, "a", "b")} {
		got, err := g.MainCheckout(ctx, dir)
		if err != nil || got != r.Dir {
			t.Errorf("MainCheckout(%s) = %s, %v; want %s", dir, got, err, r.Dir)
		}
	}

	bare := filepath.Join(t.TempDir(), "bare.git")
	r.Git("clone", "-q", "--bare", r.Dir, bare)
	if _, err := g.MainCheckout(ctx, bare); !errors.Is(err, git.ErrBare) {
		t.Errorf("bare: err = %v", err)
	}
	wt := filepath.Join(t.TempDir(), "wt")
	r.At(bare).Git("worktree", "add", "-q", wt)
	if _, err := g.MainCheckout(ctx, wt); !errors.Is(err, git.ErrBare) {
		t.Errorf("worktree of a bare repository: err = %v", err)
	}
	if _, err := g.MainCheckout(ctx, t.TempDir()); !errors.Is(err, git.ErrNotRepository) {
		t.Errorf("none: err = %v", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "co")
	r.Git("clone", "-q", "--separate-git-dir="+filepath.Join(t.TempDir(), "gd"), r.Dir, elsewhere)
	elsewhere, _ = filepath.EvalSymlinks(elsewhere)
	if got, err := g.MainCheckout(ctx, elsewhere); err != nil || got != elsewhere {
		t.Errorf("separate git folder: %s, %v", got, err)
	}
}

func TestNoCommits(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.Empty(t, "main")
	if err := g.RequireCommit(ctx, r.Dir); !errors.Is(err, git.ErrNoCommits) || !strings.Contains(err.Error(), "make a first commit") {
		t.Errorf("RequireCommit: %v", err)
	}
	if _, err := defaultBranch(g, r.Dir, ""); !errors.Is(err, git.ErrNoCommits) {
		t.Errorf("DefaultBranch: %v", err)
	}
	if _, _, err := g.Head(ctx, r.Dir); !errors.Is(err, git.ErrNoCommits) {
		t.Errorf("Head: %v", err)
	}
	if got, err := g.MainCheckout(ctx, r.Dir); err != nil || got != r.Dir {
		t.Errorf("MainCheckout: %s, %v", got, err)
	}
}

// defaultBranch is that of a repository with the remote that it has.
func defaultBranch(g *git.Git, dir, configured string) (string, error) {
	remote, err := g.Remote(ctx, dir)
	if err != nil && configured == "" {
		return "", err
	}
	return g.DefaultBranch(ctx, dir, configured, remote)
}

func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	g := gittest.Client()

	t.Run("configured", func(t *testing.T) {
		t.Parallel()
		if got, err := defaultBranch(g, t.TempDir(), "develop"); err != nil || got != "develop" {
			t.Errorf("%s, %v", got, err)
		}
		if _, err := defaultBranch(g, t.TempDir(), "--upload-pack=x"); !errors.Is(err, git.ErrInvalidName) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("origin/HEAD", func(t *testing.T) {
		t.Parallel()
		r, _ := gittest.WithRemote(t, "trunk")
		r.Git("branch", "main")
		if got, err := defaultBranch(g, r.Dir, ""); err != nil || got != "trunk" {
			t.Errorf("%s, %v", got, err)
		}
	})
	t.Run("no origin/HEAD: the remote is asked", func(t *testing.T) {
		t.Parallel()
		r, _ := gittest.WithRemote(t, "release")
		r.Git("remote", "set-head", "origin", "-d")
		r.Git("branch", "main")
		if got, err := defaultBranch(g, r.Dir, ""); err != nil || got != "release" {
			t.Errorf("%s, %v", got, err)
		}
	})
	t.Run("origin/HEAD to a branch that is gone", func(t *testing.T) {
		t.Parallel()
		r, _ := gittest.WithRemote(t, "trunk")
		r.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
		if got, err := defaultBranch(g, r.Dir, ""); err != nil || got != "trunk" {
			t.Errorf("%s, %v", got, err)
		}
	})
	for _, name := range []string{"main", "master", "trunk"} {
		t.Run("local "+name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			r.Git("branch", "-m", name)
			r.Git("checkout", "-q", "-b", "task/dsp-1-x")
			if got, err := defaultBranch(g, r.Dir, ""); err != nil || got != name {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	for name, branches := range map[string][]string{"two": {"main", "master"}, "none": {"develop"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			r.Git("branch", "-m", branches[0])
			for _, b := range branches[1:] {
				r.Git("branch", b)
			}
			_, err := defaultBranch(g, r.Dir, "")
			if !errors.Is(err, git.ErrNoDefaultBranch) || !strings.Contains(err.Error(), "`pulls.base`") {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.New(t)
	steps := []struct{ add, want string }{{"", ""}, {"up", "up"}, {"other", "error"}, {"origin", "origin"}}
	for _, s := range steps {
		if s.add != "" {
			r.Git("remote", "add", s.add, "/nowhere")
		}
		got, err := g.Remote(ctx, r.Dir)
		if s.want == "error" {
			if err == nil || !strings.Contains(err.Error(), "git remote rename") {
				t.Errorf("two remotes: %q, %v", got, err)
			}
			continue
		}
		if err != nil || got != s.want {
			t.Errorf("after adding %q: %q, %v; want %q", s.add, got, err, s.want)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.New(t)
	r.Write("a b.txt", "one\n")
	r.Write("gone.txt", "x\n")
	r.Write("staged.txt", "x\n")
	r.Commit("More")
	if got, err := g.Status(ctx, r.Dir); err != nil || len(got) != 0 {
		t.Fatalf("clean: %v, %v", got, err)
	}
	r.Git("config", "status.showUntrackedFiles", "no")
	r.Write("a b.txt", "two\n")
	r.Write("staged.txt", "y\n")
	r.Git("add", "staged.txt")
	r.Git("rm", "-q", "--cached", "gone.txt")
	r.Write("dir/\u00fcn\ttracked", "x")
	entries, err := g.Status(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.XY+" "+e.Path)
	}
	want := []string{".M a b.txt", "D. gone.txt", "M. staged.txt", "?? dir/\u00fcn\ttracked", "?? gone.txt"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r.Git("update-index", "--assume-unchanged", "README.md")
	if got, err := g.Hidden(ctx, r.Dir); err != nil || !slices.Equal(got, []string{"README.md"}) {
		t.Errorf("hidden = %v, %v", got, err)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.New(t)
	base := r.Head()
	r.Git("checkout", "-q", "-b", "task/dsp-1-x")
	r.Write("new.txt", "hello\n")
	r.Git("add", "-A")
	if _, err := g.Commit(ctx, r.Dir, git.Identity{Name: "dev", Email: "dev@x.invalid"}, "-m", "Add a file"); err != nil {
		t.Fatal(err)
	}
	r.Write("new.txt", "hello again\n")
	head := r.Commit("Change it")
	r.Git("checkout", "-q", "main")
	r.Write("other.txt", "x")
	main := r.Commit("Go on")

	authors, err := g.Authors(ctx, r.Dir, "main", head)
	want := []git.Identity{{Name: "dev", Email: "dev@x.invalid"}, {Name: "Olive Owner", Email: "olive@example.com"}}
	if diff := cmp.Diff(want, authors); err != nil || diff != "" {
		t.Errorf("authors: %v %s", err, diff)
	}
	if n, err := g.BehindBy(ctx, r.Dir, main, head); err != nil || n != 1 {
		t.Errorf("behind = %d, %v", n, err)
	}
	if behind, ahead, err := g.Apart(ctx, r.Dir, main, head); err != nil || behind != 1 || strconv.Itoa(ahead) != r.Git("rev-list", "--count", main+".."+head) {
		t.Errorf("apart = %d, %d, %v", behind, ahead, err)
	}
	if _, _, err := g.Apart(ctx, r.Dir, strings.Repeat("a", 40), head); err == nil {
		t.Error("a commit that is not there was compared")
	}
	if ok, err := g.IsAncestor(ctx, r.Dir, base, head); err != nil || !ok {
		t.Errorf("ancestor = %v, %v", ok, err)
	}
	if ok, err := g.IsAncestor(ctx, r.Dir, head, main); err != nil || ok {
		t.Errorf("ancestor = %v, %v", ok, err)
	}
	if paths, err := g.ChangedPaths(ctx, r.Dir, main, head); err != nil || !slices.Equal(paths, []string{"new.txt"}) {
		t.Errorf("changed = %v, %v", paths, err)
	}
	if text, err := g.Diff(ctx, r.Dir, main, head); err != nil || !strings.Contains(text, "+hello again") || strings.Contains(text, "other.txt") {
		t.Errorf("diff = %s, %v", text, err)
	}
	if data, err := g.File(ctx, r.Dir, head, "new.txt"); err != nil || string(data) != "hello again\n" {
		t.Errorf("file = %q, %v", data, err)
	}
	if _, err := g.File(ctx, r.Dir, main, "new.txt"); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("file: err = %v", err)
	}
	if _, err := g.RevParse(ctx, r.Dir, "nope"); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("rev-parse: err = %v", err)
	}
	if g.HasCommit(ctx, r.Dir, strings.Repeat("a", 40)) || !g.HasCommit(ctx, r.Dir, head) {
		t.Error("HasCommit is wrong")
	}
}

func TestCommitWithNothingToCommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	_, err := gittest.Client().Commit(ctx, r.Dir, git.Identity{Name: "d", Email: "d@x"}, "-m", "Nothing")
	if err == nil || !strings.Contains(err.Error(), "nothing to commit") {
		t.Errorf("err = %v", err)
	}
}

func TestMergeTree(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.New(t)
	r.Git("checkout", "-q", "-b", "clean")
	r.Write("a.txt", "a")
	clean := r.Commit("Clean")
	r.Git("checkout", "-q", "-b", "clash", "main")
	r.Write("README.md", "# Gadgets\n")
	clash := r.Commit("Clash")
	r.Git("checkout", "-q", "main")
	r.Write("README.md", "# Gizmos\n")
	main := r.Commit("Other")

	tree, conflicts, err := g.MergeTree(ctx, r.Dir, main, clean)
	if err != nil || len(conflicts) != 0 {
		t.Fatalf("clean: %v, %v", conflicts, err)
	}
	id, err := g.CommitTree(ctx, r.Dir, tree, []string{main, clean}, "Merge it\n\nbody\n", git.Identity{Name: "n", Email: "e@x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Git("log", "-1", "--format=%an %P", id); got != "n "+main+" "+clean {
		t.Errorf("merge commit: %s", got)
	}
	if r.Head() != main || r.Git("status", "--porcelain") != "" {
		t.Error("the checkout moved")
	}
	_, conflicts, err = g.MergeTree(ctx, r.Dir, main, clash)
	if err != nil || !slices.Equal(conflicts, []string{"README.md"}) {
		t.Errorf("conflict: %v, %v", conflicts, err)
	}
	if _, _, err := g.MergeTree(ctx, r.Dir, main, strings.Repeat("0", 40)); err == nil {
		t.Error("a merge with nothing succeeded")
	}

	t.Run("fast-forward", func(t *testing.T) {
		r.Write("a.txt", "in the way")
		var way *git.FilesInTheWayError
		if err := g.FastForward(ctx, r.Dir, id); !errors.As(err, &way) || !slices.Equal(way.Files, []string{"a.txt"}) {
			t.Errorf("untracked: err = %v", err)
		}
		if err := os.Remove(filepath.Join(r.Dir, "a.txt")); err != nil {
			t.Fatal(err)
		}
		if err := g.FastForward(ctx, r.Dir, id); err != nil || r.Head() != id {
			t.Errorf("err = %v, head = %s", err, r.Head())
		}
		if err := g.FastForward(ctx, r.Dir, clash); err == nil {
			t.Error("what does not follow was taken")
		}
	})
}

func TestUpdateRef(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r := gittest.New(t)
	one := r.Head()
	two := r.Commit("Two")
	r.Git("branch", "b", one)
	if err := g.UpdateRef(ctx, r.Dir, "refs/heads/b", two, two, "x"); !errors.Is(err, git.ErrChanged) {
		t.Errorf("err = %v, want ErrChanged", err)
	}
	if err := g.UpdateRef(ctx, r.Dir, "refs/heads/b", two, one, "x"); err != nil {
		t.Fatal(err)
	}
	if got := r.Git("rev-parse", "b"); got != two {
		t.Errorf("b = %s", got)
	}
}

func TestRemoteWork(t *testing.T) {
	t.Parallel()
	g := gittest.Client()
	r, remote := gittest.WithRemote(t, "main")
	one := r.Head()
	other := r.Clone(remote, "other")
	two := other.Commit("Two")
	other.Git("push", "-q", "origin", "main", "HEAD:task/dsp-3-x", "HEAD:task/dsp-30-y")

	heads, err := g.RemoteHeads(ctx, r.Dir, "origin")
	if diff := cmp.Diff(map[string]string{"main": two, "task/dsp-3-x": two, "task/dsp-30-y": two}, heads); err != nil || diff != "" {
		t.Errorf("heads: %v %s", err, diff)
	}
	mine := r.Commit("Mine")
	if err := g.PushTo(ctx, r.Dir, "origin", mine, "main", one); !errors.Is(err, git.ErrChanged) {
		t.Errorf("push over another's: %v", err)
	}
	if err := g.Fetch(ctx, r.Dir, "origin", git.TrackingRefspec("origin", "main"), git.TrackingRefspec("origin", "task/dsp-3-*")); err != nil {
		t.Fatal(err)
	}
	refs, err := g.Refs(ctx, r.Dir, "refs/remotes/origin/task")
	if err != nil || len(refs) != 1 || refs[0].Name != "task/dsp-3-x" || refs[0].Commit != two {
		t.Errorf("refs = %+v, %v", refs, err)
	}
	if n, err := g.Unpushed(ctx, r.Dir, "HEAD"); err != nil || n != 1 {
		t.Errorf("unpushed = %d, %v", n, err)
	}
	r.Git("rebase", "-q", "origin/main")
	if err := g.PushTo(ctx, r.Dir, "origin", r.Head(), "main", two); err != nil {
		t.Fatal(err)
	}
	if n, err := g.Unpushed(ctx, r.Dir, "HEAD"); err != nil || n != 0 {
		t.Errorf("unpushed = %d, %v", n, err)
	}
	other.Git("push", "-q", "origin", ":task/dsp-3-x")
	if err := g.Fetch(ctx, r.Dir, "origin", git.TrackingRefspec("origin", "task/dsp-3-*")); err != nil {
		t.Fatal(err)
	}
	if refs, _ := g.Refs(ctx, r.Dir, "refs/remotes/origin/task"); len(refs) != 0 {
		t.Errorf("a deleted branch stayed: %+v", refs)
	}
	if err := g.Fetch(ctx, r.Dir, "origin", git.TrackingRefspec("origin", "gone")); err == nil {
		t.Error("fetching a branch that is not there succeeded")
	}
}

func TestExitErrorIsKept(t *testing.T) {
	t.Parallel()
	_, err := gittest.Client().Status(ctx, t.TempDir())
	if !errors.Is(err, git.ErrNotRepository) {
		t.Errorf("err = %v", err)
	}
	if _, ok := errors.AsType[*proc.ExitError](err); !ok {
		t.Errorf("%v lost its exit error", err)
	}
}

// What is kept of an answer does not hold the whole of it: a loop keeps the
// heads of many hours.
func TestRemoteHeadsHoldNoAnswer(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for i := range 200 {
		r.Git("branch", fmt.Sprintf("task/acm-%d", i))
	}
	g := gittest.Client()
	var kept []string
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 50 {
		heads, err := g.RemoteHeads(t.Context(), r.Dir, r.Dir)
		if err != nil || len(heads) < 200 {
			t.Fatalf("%d heads, %v", len(heads), err)
		}
		kept = append(kept, heads["task/acm-7"])
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 300<<10 {
		t.Errorf("50 ids of 40 letters hold %d KiB", grown>>10)
	}
	runtime.KeepAlive(kept)
}
