package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDraftsOfSeveralRooms(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "drafts.json")
	one, two := &draftFile{path: path}, &draftFile{path: path}
	if got := one.load(); len(got) != 0 {
		t.Fatalf("without a file there is %v", got)
	}
	two.load()
	keep := func(d *draftFile, all map[string]string) {
		t.Helper()
		if err := d.keep(all); err != nil {
			t.Fatal(err)
		}
	}
	keep(one, map[string]string{"answer A-1": "yes"})
	keep(two, map[string]string{"steer r1": "stop that"})
	if got, want := (&draftFile{path: path}).load(), map[string]string{"answer A-1": "yes", "steer r1": "stop that"}; !cmp.Equal(got, want) {
		t.Errorf("kept %v", got)
	}
	keep(one, map[string]string{})
	if got, want := (&draftFile{path: path}).load(), map[string]string{"steer r1": "stop that"}; !cmp.Equal(got, want) {
		t.Errorf("after one room has sent its own: %v", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read drafts: %v, %v", info.Mode(), err)
	}
}

func TestABrokenDraftFileIsNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "drafts.json")
	if err := os.WriteFile(path, []byte(`{"answer`), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &draftFile{path: path}
	if got := d.load(); len(got) != 0 {
		t.Errorf("loaded %v", got)
	}
	if err := d.keep(map[string]string{"answer A-1": "yes"}); err != nil {
		t.Fatal(err)
	}
	if got := (&draftFile{path: path}).load(); got["answer A-1"] != "yes" {
		t.Errorf("kept %v", got)
	}
}

func TestTheEditorsTextComesBack(t *testing.T) {
	t.Parallel()
	env := map[string]string{"VISUAL": "sed -i s/old/new/"}
	f := &Factory{Getenv: func(k string) string { return env[k] }}
	run, read, err := f.editor()("old words")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Run(); err != nil {
		t.Skipf("no sed here: %v", err)
	}
	text, err := read()
	if err != nil || text != "new words" {
		t.Errorf("read %q, %v", text, err)
	}
	if (&Factory{Getenv: func(string) string { return "" }}).editor() != nil {
		t.Error("an editor out of nothing")
	}
}

func TestOnlyPagesAreOpened(t *testing.T) {
	t.Parallel()
	f := &Factory{Getenv: func(string) string { return "true" }}
	for url, want := range map[string]bool{"https://example.org/1": true, "file:///etc/passwd": false, "-h": false, "javascript:x": false} {
		if err := f.browse(url); (err == nil) != want {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// What opens a page may be the browser itself: it outlives the patience of the
// room, and only an early failure is one.
func TestABrowserGoesOn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the browser of this test is a shell script")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "browser")
	body := "#!/bin/sh\nread -r go <" + filepath.Join(dir, "go") + "\necho \"$1 $go\" >" + filepath.Join(dir, "seen") + "\n"
	if err := os.WriteFile(script, []byte(body), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	for _, name := range []string{"go", "seen"} {
		if out, err := exec.CommandContext(t.Context(), "mkfifo", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Skipf("no pipes here: %v %s", err, out)
		}
	}
	f := &Factory{Getenv: func(string) string { return script }}
	if err := f.browseWith("https://example.org/1", time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("still here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if seen, err := os.ReadFile(filepath.Join(dir, "seen")); err != nil || string(seen) != "https://example.org/1 still here\n" {
		t.Errorf("the browser saw %q, %v", seen, err)
	}
	f.Getenv = func(string) string { return "false" }
	if err := f.browseWith("https://example.org/1", time.Minute); err == nil || !strings.Contains(err.Error(), "https://example.org/1") {
		t.Errorf("a browser that cannot open it: %v", err)
	}
}

// Rooms that write at the same moment lose none of each other's drafts.
func TestDraftsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "drafts.json")
	var all sync.WaitGroup
	rooms := make([]draftFile, 8)
	for i := range rooms {
		rooms[i].path = path
		rooms[i].load()
	}
	for i := range rooms {
		d := &rooms[i]
		all.Go(func() {
			if err := d.keep(map[string]string{fmt.Sprint("answer A-", i): "yes"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := (&draftFile{path: path}).load(); len(got) != 8 {
		t.Errorf("kept %v", got)
	}
}
