package statefile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errCrash = errors.New("the machine stopped")

// crashFS is the real file system until its budget is used up: every call
// costs one, every byte written costs one. From then on nothing happens any
// more, as after a kill: not even the clean-up.
type crashFS struct {
	budget int
	calls  []string
}

func (c *crashFS) spend(what string) error {
	if c.budget <= 0 {
		return errCrash
	}
	c.budget--
	c.calls = append(c.calls, what)
	return nil
}

func (c *crashFS) CreateTemp(dir, pattern string) (file, error) {
	if err := c.spend("create"); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, pattern)
	return &crashFile{File: f, fs: c}, err
}

func (c *crashFS) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if err := c.spend("open"); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, perm)
	return &crashFile{File: f, fs: c}, err
}

func (c *crashFS) Rename(from, to string) error {
	if err := c.spend("rename"); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (c *crashFS) Remove(name string) error {
	if err := c.spend("remove"); err != nil {
		return err
	}
	return os.Remove(name)
}

func (c *crashFS) SyncDir(dir string) error {
	if err := c.spend("syncdir"); err != nil {
		return err
	}
	return syncDir(dir)
}

type crashFile struct {
	*os.File
	fs *crashFS
}

func (f *crashFile) Write(p []byte) (int, error) {
	n := min(len(p), f.fs.budget)
	f.fs.budget -= n
	f.fs.calls = append(f.fs.calls, "write")
	if _, err := f.File.Write(p[:n]); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, errCrash
	}
	return n, nil
}

func (f *crashFile) Sync() error {
	if err := f.fs.spend("sync"); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *crashFile) Truncate(size int64) error {
	if err := f.fs.spend("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *crashFile) Chmod(mode fs.FileMode) error {
	if err := f.fs.spend("chmod"); err != nil {
		return err
	}
	return f.File.Chmod(mode)
}

func TestWriteAtomicCutAnywhereLeavesOldOrNew(t *testing.T) {
	t.Parallel()
	before, after := []byte("old content"), bytes.Repeat([]byte("new "), 20)
	for budget := 0; ; budget++ {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := WriteAtomic(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
		err := writeAtomic(&crashFS{budget: budget}, path, after, 0o600, syncBoth)
		got, rerr := os.ReadFile(path)
		if rerr != nil {
			t.Fatalf("cut after %d steps: %v", budget, rerr)
		}
		if err == nil {
			if !bytes.Equal(got, after) {
				t.Fatalf("a write that returned nil left %q", got)
			}
			return
		}
		if want := before; !bytes.Equal(got, want) && !errors.Is(err, ErrUnsynced) {
			t.Fatalf("cut after %d steps left %q", budget, got)
		}
		if errors.Is(err, ErrUnsynced) && !bytes.Equal(got, after) {
			t.Fatalf("a write that only lacks its last sync left %q", got)
		}
		// And the next writer is not hindered by what was left behind.
		if err := WriteAtomic(path, after, 0o600); err != nil {
			t.Fatalf("write after a cut at %d: %v", budget, err)
		}
	}
}

func TestWriteAtomicSyncsBeforeItReplaces(t *testing.T) {
	t.Parallel()
	for d, want := range map[durability]string{
		syncBoth: "create write chmod sync rename syncdir",
		syncFile: "create write chmod sync rename",
		syncNone: "create write chmod rename",
	} {
		c := &crashFS{budget: 1000}
		if err := writeAtomic(c, filepath.Join(t.TempDir(), "f"), []byte("x"), 0o600, d); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.calls, " "); got != want {
			t.Errorf("calls %q, want %q", got, want)
		}
	}
}

func TestAppendLineCutAnywhereKeepsEarlierLines(t *testing.T) {
	t.Parallel()
	for _, torn := range []string{"", "torn"} {
		for budget := 0; ; budget++ {
			path := filepath.Join(t.TempDir(), "events.jsonl")
			if err := os.WriteFile(path, []byte("one\ntwo\n"+torn), 0o600); err != nil {
				t.Fatal(err)
			}
			err := appendLine(&crashFS{budget: budget}, path, []byte("three"), true)
			// Whatever the cut left, the next append must come out whole.
			if err := AppendLine(path, []byte("four")); err != nil {
				t.Fatal(err)
			}
			lines, _, rerr := ReadLines(path, 0)
			if rerr != nil {
				t.Fatal(rerr)
			}
			if len(lines) < 3 || string(lines[0]) != "one" || string(lines[1]) != "two" || string(lines[len(lines)-1]) != "four" {
				t.Fatalf("cut after %d steps, torn %q: lines %q", budget, torn, lines)
			}
			if err == nil {
				if string(lines[len(lines)-2]) != "three" {
					t.Fatalf("an append that returned nil is not there: %q", lines)
				}
				break
			}
		}
	}
}

// shortFS cuts one write short but lives on, as a full disk does.
type shortFS struct{ osFS }

type shortFile struct{ file }

func (shortFS) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := osFS{}.OpenFile(name, flag, perm)
	return shortFile{f}, err
}

func (f shortFile) Write(p []byte) (int, error) { return f.file.Write(p[:len(p)/2]) }

func TestAppendLineCutsBackAShortWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := AppendLine(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := appendLine(shortFS{}, path, []byte("a longer line"), true); err == nil {
		t.Fatal("a short write was taken for a whole one")
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "one\n" {
		t.Fatalf("after the short write: %q, %v", got, err)
	}
}
