package gitapp_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

var developer = gitapp.Native("dispatcher developer", "developer@dispatcher.invalid", "dispatcher reviewer").Developer

func TestCommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	g := gittest.Client()
	wt := r.At(filepath.Join(r.Dir, ".claude", "worktrees", "w"))
	r.Git("worktree", "add", "-q", wt.Dir)
	wt.Write("a.txt", "a")
	wt.Git("add", "a.txt")
	wt.Write("README.md", "not staged")

	before := r.Read(".git/config")
	out, err := gitapp.Commit(context.Background(), g, wt.Dir, developer, gitapp.CommitRequest{Message: "-Add a\n\nBecause."})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "-Add a") {
		t.Errorf("out = %q", out)
	}
	want := "dispatcher developer <developer@dispatcher.invalid>|dispatcher developer <developer@dispatcher.invalid>|-Add a|Because."
	if got := wt.Git("log", "-1", "--format=%an <%ae>|%cn <%ce>|%s|%b"); got != want {
		t.Errorf("commit = %q", got)
	}
	if got := wt.Git("status", "--porcelain"); got != " M README.md" {
		t.Errorf("status = %q: only what is staged is committed", got)
	}
	if r.Read(".git/config") != before {
		t.Error("the repository's configuration changed")
	}

	wt.Write("message", "From a file\n")
	if _, err := gitapp.Commit(context.Background(), g, wt.Dir, developer, gitapp.CommitRequest{File: filepath.Join(wt.Dir, "message"), All: true}); err != nil {
		t.Fatal(err)
	}
	if got := wt.Git("log", "-1", "--format=%s", "--name-only"); got != "From a file\n\nREADME.md" {
		t.Errorf("commit = %q", got)
	}
}

func TestCommitRefuses(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for name, tc := range map[string]struct {
		req  gitapp.CommitRequest
		want string
	}{
		"nothing staged": {gitapp.CommitRequest{Message: "x"}, "nothing to commit"},
		"no message":     {gitapp.CommitRequest{}, "-m"},
		"both":           {gitapp.CommitRequest{Message: "x", File: "/x"}, "not both"},
		"no such file":   {gitapp.CommitRequest{File: filepath.Join(t.TempDir(), "gone")}, "gone"},
	} {
		_, err := gitapp.Commit(context.Background(), gittest.Client(), r.Dir, developer, tc.req)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
}
