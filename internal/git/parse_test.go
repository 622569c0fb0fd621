package git

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStatusRefusesUnknown(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"x", "9 .M N... 1 2 3 4 5 p\x00", "1 .M N... 100644\x00", "?\x00", "?x\x00", "u UU N... a\x00"} {
		if got, err := parseStatus([]byte(in)); err == nil {
			t.Errorf("parseStatus(%q) = %+v, want an error", in, got)
		}
	}
}

func TestParseStatusRename(t *testing.T) {
	t.Parallel()
	in := "2 R. N... 100644 100644 100644 aa bb R100 new name\x00old\x00? u\x00"
	got, err := parseStatus([]byte(in))
	want := []Entry{
		{Kind: '2', XY: "R.", Submodule: "N...", ModeIndex: "100644", ModeTree: "100644", Path: "new name"},
		{Kind: '?', XY: "??", Path: "u"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("1 .M N... 100644 100644 100644 aa bb a b\x00? x\x00"))
	f.Add([]byte("u UU N... 1 2 3 4 5 6 7 p\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		entries, err := parseStatus(in)
		// Nothing that was printed may be overlooked.
		if err == nil && len(entries) == 0 && strings.Trim(string(in), "\x00#") != "" && in[0] != '#' {
			t.Errorf("parseStatus(%q) says clean", in)
		}
	})
}

func TestParseWorktrees(t *testing.T) {
	t.Parallel()
	in := "worktree /r\x00HEAD aa\x00branch refs/heads/main\x00\x00" +
		"worktree /r/w 1\x00HEAD bb\x00detached\x00locked a reason\nof two lines\x00\x00" +
		"worktree /gone\x00HEAD cc\x00branch refs/heads/task/x\x00locked\x00prunable gitdir file points to non-existent location\x00\x00"
	want := []Worktree{
		{Path: "/r", Head: "aa", Branch: "main"},
		{Path: "/r/w 1", Head: "bb", Locked: true, Reason: "a reason\nof two lines"},
		{Path: "/gone", Head: "cc", Branch: "task/x", Locked: true, Prunable: true},
	}
	if diff := cmp.Diff(want, parseWorktrees([]byte(in))); diff != "" {
		t.Error(diff)
	}
}

func TestInTheWay(t *testing.T) {
	t.Parallel()
	in := "error: The following untracked working tree files would be overwritten by merge:\n\ta.txt\n\tb c.txt\nPlease move them.\nAborting\n"
	if diff := cmp.Diff([]string{"a.txt", "b c.txt"}, inTheWay(in)); diff != "" {
		t.Error(diff)
	}
	if got := inTheWay("fatal: Not possible to fast-forward, aborting.\n\tx\n"); got != nil {
		t.Errorf("got %v", got)
	}
}

var badBranches = []string{
	"", "-x", "a..b", "a@{b", "a.lock", "a/b.lock", "a.lock/b", ".a", "a/.b", "a.", "a//b", "/a", "a/", "a b", "a~b", "a^b", "a:b",
	"a?b", "a*b", "a[b", `a\b`, "a\nb", "a\x7fb", "@", "HEAD", "refs/heads/a", strings.Repeat("a", 201),
}

func TestValidBranch(t *testing.T) {
	t.Parallel()
	for _, name := range badBranches {
		if ValidBranch(name) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	for _, name := range []string{"main", "task/dsp-3-x", "a.b", "ünï", "a@b", "@a"} {
		if err := ValidBranch(name); err != nil {
			t.Error(err)
		}
	}
}

func TestValidCommit(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"abcdef1": true, strings.Repeat("0", 40): true, strings.Repeat("A", 64): true,
		"": false, "abc": false, "HEAD": false, "--exec=x": false, "abcdefg": false, strings.Repeat("0", 65): false, "abcdef1\n": false,
	} {
		if (ValidCommit(id) == nil) != ok {
			t.Errorf("ValidCommit(%q): accepted = %v", id, !ok)
		}
	}
}

// FuzzValidBranch holds the rule against the real git: what we accept it
// accepts.
func FuzzValidBranch(f *testing.F) {
	for _, name := range badBranches {
		f.Add(name)
	}
	f.Add("task/dsp-3-x")
	f.Fuzz(func(t *testing.T, name string) {
		if ValidBranch(name) != nil {
			return
		}
		if err := exec.CommandContext(context.Background(), "git", "check-ref-format", "--branch", name).Run(); err != nil {
			t.Errorf("git refuses %q", name)
		}
	})
}
