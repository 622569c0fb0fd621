package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/loop/state"
)

func TestParseDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []state.DiffFile
	}{
		{"nothing", "", nil},
		{"noise", "warning: x\n@@ -1 +1 @@\n", nil},
		{
			"changed", "diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n@@ -3,2 +3,3 @@ func f()\n a\n-b\n+c\n+--- d\n\\ No newline at end of file\n",
			[]state.DiffFile{{Path: "x.go", Kind: "modified", Added: 2, Removed: 1, Lines: []state.DiffLine{
				{Op: "@", Old: 3, New: 3, Text: "@@ -3,2 +3,3 @@ func f()"},
				{Op: " ", Old: 3, New: 3, Text: "a"},
				{Op: "-", Old: 4, Text: "b"},
				{Op: "+", New: 4, Text: "c"},
				{Op: "+", New: 5, Text: "--- d"},
			}}},
		},
		{
			"renamed, quoted", "diff --git \"a/\\303\\244 b\" \"b/c\\td\"\nsimilarity index 90%\nrename from \"\\303\\244 b\"\nrename to \"c\\td\"\n",
			[]state.DiffFile{{Path: "c\td", From: "ä b", Kind: "renamed"}},
		},
		{
			"added, deleted, binary",
			"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\ndiff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n",
			[]state.DiffFile{
				{Path: "n", Kind: "added", Added: 1, Lines: []state.DiffLine{{Op: "@", New: 1, Text: "@@ -0,0 +1 @@"}, {Op: "+", New: 1, Text: "x"}}},
				{Path: "o", Kind: "deleted", Removed: 1, Lines: []state.DiffLine{{Op: "@", Old: 1, Text: "@@ -1 +0,0 @@"}, {Op: "-", Old: 1, Text: "x"}}},
				{Path: "p.png", Kind: "binary"},
			},
		},
		{
			"a torn hunk", "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n a\ndiff --git a/y b/y\n",
			[]state.DiffFile{
				{Path: "x", Kind: "modified", Lines: []state.DiffLine{{Op: "@", Old: 1, New: 1, Text: "@@ -1,9 +1,9 @@"}, {Op: " ", Old: 1, New: 1, Text: "a"}}},
				{Path: "y", Kind: "modified"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, cut := parseDiff(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" || cut {
				t.Errorf("cut %v, (-want +got)\n%s", cut, diff)
			}
		})
	}
}

// A diff that is too large keeps its counts and says that it is cut.
func TestParseDiffIsBounded(t *testing.T) {
	t.Parallel()
	const n = maxDiffFileLines + 10
	in := "diff --git a/x b/x\n@@ -0,0 +1," + "4010" + " @@\n" + strings.Repeat("+x\n", n)
	got, cut := parseDiff(in)
	if !cut || !got[0].Cut || got[0].Added != n || len(got[0].Lines) != maxDiffFileLines {
		t.Errorf("cut %v, file cut %v, %d added, %d lines", cut, got[0].Cut, got[0].Added, len(got[0].Lines))
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add("diff --git a/x b/x\n@@ -1,2 +1 @@\n-a\n b\n")
	f.Add("diff --git \"a/\\\"\" \"b/\\x\"\nrename to \"\n@@ -99999999999999999999 +1 @@\n")
	f.Fuzz(func(t *testing.T, in string) {
		files, _ := parseDiff(in)
		for _, file := range files {
			if file.Added < 0 || file.Removed < 0 || len(file.Lines) > maxDiffFileLines {
				t.Errorf("%+v", file)
			}
		}
	})
}

// What git does not know yet is shown as it would be.
func TestNewFilesOfAWorktree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "one\ntwo")
	write("bin", "\x00\x01")
	write("big", strings.Repeat("x", maxUntracked+1))
	write("empty", "")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	if f := newFile(dir, "a"); f.Added != 2 || len(f.Lines) != 3 || f.Lines[2].Text != "two" || f.Lines[2].New != 2 {
		t.Errorf("a: %+v", f)
	}
	if f := newFile(dir, "bin"); f.Kind != "binary" {
		t.Errorf("bin: %+v", f)
	}
	for _, name := range []string{"big", "link", "gone"} {
		if f := newFile(dir, name); !f.Cut || len(f.Lines) != 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := newFile(dir, "empty"); f.Cut || len(f.Lines) != 0 {
		t.Errorf("empty: %+v", f)
	}
}

// The parser reads what this git prints, of a worktree with changes of every
// kind.
func TestDiffOfARealWorktree(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("a b.txt", "1\n2\n3\n")
	repo.Write("old name.txt", strings.Repeat("line\n", 20))
	repo.Write("ü.txt", "x\n")
	repo.Git("add", ".")
	base := repo.Commit("first")
	repo.Git("mv", "old name.txt", "new\tname.txt")
	repo.Write("a b.txt", "1\n3\n4\n")
	repo.Git("rm", "-q", "ü.txt")
	text, err := gittest.Client().DiffWorktree(t.Context(), repo.Dir, base)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := parseDiff(text)
	got := map[string]string{}
	for _, f := range files {
		got[f.Path] = f.Kind
	}
	want := map[string]string{"a b.txt": "modified", "new\tname.txt": "renamed", "ü.txt": "deleted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, text)
	}
}
