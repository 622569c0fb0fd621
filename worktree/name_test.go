package worktree_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/worktree"
)

var titles = map[string]string{
	"Add a --json flag to poll":        "add-a-json-flag-to-poll",
	"  Émile's café ﬁx  ":              "emile-s-cafe-fix",
	"修复登录页面的错误":                        "issue",
	"🚀🔥":                               "issue",
	"":                                 "issue",
	"-":                                "issue",
	"-rf --force":                      "rf-force",
	"../../etc/passwd":                 "etc-passwd",
	"a..b@{c}":                         "a-b-c",
	"main.lock":                        "main-lock",
	"line one\nline two\r\n":           "line-one-line-two",
	"\u202eשלום עולם abc":              "abc",
	"a\x00b\x1b[31mred":                "a-b-31mred",
	"HEAD":                             "head",
	"CON":                              "con",
	"\xff\xfe broken":                  "broken",
	strings.Repeat("a", 300):           strings.Repeat("a", 40),
	strings.Repeat("word ", 60):        "word-word-word-word-word-word-word-word",
	strings.Repeat("\U0001F600", 300):  "issue",
	"ﷺ" + strings.Repeat("\u0301", 99): "issue",
}

// What public programs of this kind tripped over in titles (failures.md, 32).
func TestBranchNameTakesAnyTitle(t *testing.T) {
	t.Parallel()
	for title, slug := range titles {
		got := worktree.BranchName("DSP-3", title)
		if got != "task/dsp-3-"+slug {
			t.Errorf("BranchName(%q) = %q, want task/dsp-3-%s", title, got, slug)
		}
		checkName(t, got)
		if d := worktree.DirName("DSP-3", title); d != "dsp-3-"+slug {
			t.Errorf("DirName(%q) = %q", title, d)
		}
	}
}

func TestBranchNameTakesAnyRef(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, ref := range []string{
		"DSP-3", "#480", "ACM-12", "", "../x", "dsp 3", "DSP_3", "日本-3", "日本-4", "a/b", "@{-1}", "-x", ".lock", strings.Repeat("K", 300) + "-1",
		strings.Repeat("K", 300) + "-2",
	} {
		name := worktree.BranchName(ref, "t")
		checkName(t, name)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %q", ref, other, name)
		}
		seen[name] = ref
		if !worktree.BranchIs(name, ref) {
			t.Errorf("%q is not known as %q's", name, ref)
		}
	}
	if got := worktree.BranchName("#480", "x"); got != "task/480-x" {
		t.Errorf("got %q", got)
	}
}

func TestBranchIs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		branch, ref string
		want        bool
	}{
		{"task/dsp-3-old-title", "DSP-3", true},
		{"task/dsp-3-old-title", "dsp-3", true},
		{"task/dsp-3", "DSP-3", true},
		{"task/dsp-30-x", "DSP-3", false},
		{"task/dsp-3x", "DSP-3", false},
		{"dsp-3-x", "DSP-3", false},
		{"feature/dsp-3-x", "DSP-3", false},
		{"task/dsp-3-x", "DSP-30", false},
		{"task/480-x", "#480", true},
		{"task/4801-x", "#480", false},
	} {
		if got := worktree.BranchIs(tc.branch, tc.ref); got != tc.want {
			t.Errorf("BranchIs(%q, %q) = %v", tc.branch, tc.ref, got)
		}
	}
}

func checkName(t *testing.T, name string) {
	t.Helper()
	if err := git.ValidBranch(name); err != nil {
		t.Error(err)
	}
	if err := exec.CommandContext(t.Context(), "git", "check-ref-format", "--branch", name).Run(); err != nil {
		t.Errorf("git refuses %q", name)
	}
}

func FuzzBranchName(f *testing.F) {
	for title := range titles {
		f.Add("DSP-3", title)
	}
	f.Add("#1", "x")
	f.Add("\xff", "\xff")
	f.Fuzz(func(t *testing.T, ref, title string) {
		name := worktree.BranchName(ref, title)
		if err := git.ValidBranch(name); err != nil {
			t.Error(err)
		}
		if !worktree.BranchIs(name, ref) || len(name) > 120 {
			t.Errorf("BranchName(%q, %q) = %q", ref, title, name)
		}
		if dir := worktree.DirName(ref, title); strings.ContainsAny(dir, "/\\.: ") || dir == "" {
			t.Errorf("DirName(%q, %q) = %q", ref, title, dir)
		}
	})
}
