package app

import (
	"os"
	"path/filepath"
	"testing"

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
