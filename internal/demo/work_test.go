package demo

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestScriptIsWithoutFaults(t *testing.T) {
	t.Parallel()
	if _, err := (&Demo{}).agents().Marshal(); err != nil {
		t.Fatal(err)
	}
}

func sub(t *testing.T, dir string) fs.FS {
	t.Helper()
	f, err := fs.Sub(files, dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What the agents write passes the sample's own tests, alone and all together,
// and the one that is meant to fail fails.
func TestWorkPassesTheTests(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the work is the same everywhere; git's sh is slow to start")
	}
	for _, c := range []struct {
		name string
		work []string
		ok   bool
	}{
		{"count", []string{"count"}, true},
		{"due", []string{"due"}, true},
		{"undo as first built", []string{"undo-first"}, true},
		{"undo", []string{"undo-first", "undo"}, true},
		{"prompt", []string{"count", "prompt"}, true},
		{"purge", []string{"purge"}, true},
		{"sort as first built", []string{"sort-first"}, false},
		{"sort", []string{"sort-first", "sort"}, true},
		{"copy", []string{"copy"}, true},
		{"help without what main did meanwhile", []string{"help"}, false},
		{"help, merged", []string{"help", "help-merged"}, true},
		{"backup", []string{"backup"}, true},
		{"all", []string{"count", "due", "undo", "prompt", "purge", "sort", "copy", "help", "help-merged", "backup"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, sub(t, "sample")); err != nil {
				t.Fatal(err)
			}
			for _, w := range c.work {
				for _, p := range pieces(w) {
					if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(p.path)), []byte(p.content), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, locale := range []string{"C", "C.UTF-8"} {
				cmd := exec.Command("sh", "test/run.sh")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "LC_ALL="+locale)
				out, err := cmd.CombinedOutput()
				if ok := err == nil; ok != c.ok {
					t.Errorf("%s: %v\n%s", locale, err, out)
				}
			}
		})
	}
}

// No two jobs change the same file, so that the owner may merge in any order.
func TestJobsDoNotConflict(t *testing.T) {
	t.Parallel()
	by := map[string]string{}
	for _, w := range []string{"count", "due", "undo", "prompt", "purge", "sort", "copy", "help", "backup"} {
		for _, p := range pieces(w) {
			if other, twice := by[p.path]; twice {
				t.Errorf("%s is changed by %s and %s", p.path, other, w)
			}
			by[p.path] = w
			for i, line := range strings.Split(p.content, "\n") {
				if strings.TrimRight(line, " \t") != line {
					t.Errorf("%s:%d ends with a blank", p.path, i+1)
				}
			}
		}
	}
}
