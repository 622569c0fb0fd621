package native_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// setup is a board with three issues.
func setup(t *testing.T) (*native.Board, native.Options, *boardtest.Clock) {
	t.Helper()
	c := newClock()
	o := native.Options{Dir: filepath.Join(t.TempDir(), "board"), Now: c.Now, Labels: []string{"UI"}, Host: "here", Boot: "b1"}
	b := open(t, o)
	for _, title := range []string{"one", "two", "🎉🚀"} {
		seed(t, b, board.NewIssue{Title: title, Milestone: "demo", State: board.RoleReady})
	}
	return b, o, c
}

func pollAll(t testing.TB, b *native.Board) []board.Issue {
	t.Helper()
	rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true, Closed: true})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func order(t testing.TB, b *native.Board) string {
	t.Helper()
	var refs []string
	for _, i := range pollAll(t, b) {
		refs = append(refs, strings.TrimPrefix(string(i.Ref), "DSP-"))
	}
	return strings.Join(refs, " ")
}

func TestOpenWritesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "board")
	b := open(t, native.Options{Dir: dir})
	if rows := pollAll(t, b); len(rows) != 0 {
		t.Fatalf("rows of a new board: %v", rows)
	}
	if err := b.SetState(t.Context(), owner, "DSP-1", "Ready", board.RoleNone); !errors.Is(err, board.ErrNotFound) {
		t.Fatalf("a write to an issue that is not there: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("reading made the folder: %v", err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		spoil   func(t *testing.T, path string)
		want    string // in the reason
		newer   bool
		rewrite bool // may be written all the same
	}{
		{name: "cut in half", want: "cut or broken", spoil: func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err == nil {
				err = os.Truncate(path, info.Size()/2)
			}
			if err != nil {
				t.Fatal(err)
			}
		}},
		{name: "empty", want: "cut or broken", spoil: func(t *testing.T, path string) {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "from a newer version", want: "format version 2", newer: true, spoil: func(t *testing.T, path string) {
			edit(t, path, `"version": 1`, `"version": 2`)
		}},
		{name: "newer with other fields", want: "format version 7", newer: true, spoil: func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(`{"version": 7, "title": {"text": "x"}}`), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "of another issue", want: "must agree", spoil: func(t *testing.T, path string) {
			edit(t, path, `"ref": "DSP-2"`, `"ref": "DSP-9"`)
		}},
		{name: "without a title", want: "no title", spoil: func(t *testing.T, path string) {
			edit(t, path, `"title": "two"`, `"title": " "`)
		}},
		{name: "a link", want: "not a regular file", spoil: func(t *testing.T, path string) {
			if err := os.Rename(path, path+".moved"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".moved", path); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, o, _ := setup(t)
			path := issueFile(o.Dir, "DSP-2")
			c.spoil(t, path)
			before, _ := os.ReadFile(path)
			for _, b := range []*native.Board{b, open(t, o)} {
				rows := pollAll(t, b)
				if len(rows) != 3 || rows[0].Title != "one" || rows[1].Title != "🎉🚀" {
					t.Fatalf("the other rows are gone: %+v", rows)
				}
				if bad := rows[2]; bad.Ref != "DSP-2" || !strings.Contains(bad.Unreadable, c.want) || strings.Contains(bad.Unreadable, o.Dir) {
					t.Fatalf("unreadable row %+v", bad)
				}
				err := b.SetState(t.Context(), owner, "DSP-2", "Backlog", board.RoleNone)
				if !errors.Is(err, board.ErrUnreadable) {
					t.Fatalf("a write to it: %v", err)
				}
				var newer *statefile.NewerVersionError
				if errors.As(err, &newer) != c.newer {
					t.Fatalf("a write to it: %v", err)
				}
				if _, err := b.Claim(t.Context(), owner, "DSP-1", board.ClaimRequest{Kind: board.KindDeveloper, Session: "s1"}); err != nil {
					t.Fatalf("the others go on: %v", err)
				}
				if _, err := board.NewPolicy(b, owner, board.PolicyOptions{}).Export(t.Context()); !errors.Is(err, board.ErrUnreadable) {
					t.Fatalf("an export with a hole: %v", err)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Fatal("the file was rewritten")
			}
		})
	}
}

func TestBrokenBoardFile(t *testing.T) {
	t.Parallel()
	_, o, _ := setup(t)
	path := filepath.Join(o.Dir, "board.json")
	edit(t, path, `"version": 1`, `"version": 3`)
	var newer *statefile.NewerVersionError
	if _, err := native.Open(o); !errors.As(err, &newer) || newer.Version != 3 {
		t.Fatalf("newer board: %v", err)
	}
	if err := os.Truncate(path, 20); err != nil {
		t.Fatal(err)
	}
	if _, err := native.Open(o); err == nil || !strings.Contains(err.Error(), "remove it: it is made anew") {
		t.Fatalf("broken board: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b := open(t, o)
	if ref := seed(t, b, board.NewIssue{Title: "four"}); ref != "DSP-4" {
		t.Fatalf("made anew, it numbers the next issue %s", ref)
	}
	o.Key = "ACM"
	if _, err := native.Open(o); err == nil || !strings.Contains(err.Error(), "set native.key to DSP") {
		t.Fatalf("another key: %v", err)
	}
	o.Key = "no key"
	if _, err := native.Open(o); err == nil {
		t.Fatal("a key with a blank was taken")
	}
}

func TestHandEdits(t *testing.T) {
	t.Parallel()
	b, o, _ := setup(t)
	pollAll(t, b)
	path := issueFile(o.Dir, "DSP-1")
	edit(t, path, `"title": "one"`, `"title": "uno"`)
	if i := pollAll(t, b)[0]; i.Title != "uno" || !i.HandEdited || i.StateBy != board.ActorOwner {
		t.Fatalf("after an edit: %+v", i)
	}
	edit(t, path, `"state": "ready"`, `"state": "changesRequested"`)
	for _, b := range []*native.Board{b, open(t, o)} {
		i := pollAll(t, b)[0]
		if i.Role != board.RoleChangesRequested || i.PrevRole != board.RoleReady || i.StateBy != board.ActorOwner || time.Since(i.StateSince) > time.Hour {
			t.Fatalf("after a move by hand: %+v", i)
		}
	}
	if _, err := b.Comment(t.Context(), board.Actor{Kind: board.ActorDispatcher}, "dsp-1", board.ActorDispatcher, "seen"); err != nil {
		t.Fatal(err)
	}
	i := pollAll(t, b)[0]
	if i.HandEdited || i.Title != "uno" || i.Role != board.RoleChangesRequested || i.StateBy != board.ActorOwner {
		t.Fatalf("after the next write: %+v", i)
	}
	if types := eventTypes(t, b, "DSP-1"); types != "created hand-edit comment" {
		t.Fatalf("events: %s", types)
	}
	edit(t, path, `"state": "changesRequested"`, `"state": "Icebox"`)
	if i := pollAll(t, b)[0]; i.State != "Icebox" || i.Role != board.RoleNone || i.Closed {
		t.Fatalf("a state that the board does not know: %+v", i)
	}
}

func eventTypes(t testing.TB, b *native.Board, ref board.Ref) string {
	t.Helper()
	events, _, err := b.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	seq := int64(0)
	for _, e := range events {
		if e.Seq != seq+1 {
			t.Fatalf("event %d follows %d", e.Seq, seq)
		}
		seq = e.Seq
		if e.Ref == ref {
			types = append(types, e.Type)
			if e.Filled {
				types[len(types)-1] += "(filled)"
			}
		}
	}
	return strings.Join(types, " ")
}

// mount gives a small file system of its own, which only root on Linux can.
func mount(t *testing.T, size string) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs root on Linux for a mount of its own")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.Background(), "umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := mount(t, "1m")
	o := native.Options{Dir: filepath.Join(dir, "board")}
	b := open(t, o)
	seed(t, b, board.NewIssue{Title: "one", State: board.RoleReady})
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("remount: %v: %s", err, out)
	}
	b = open(t, o)
	if rows := pollAll(t, b); len(rows) != 1 || rows[0].Title != "one" {
		t.Fatalf("reading a read-only board: %+v", rows)
	}
	_, cerr := b.Comment(t.Context(), owner, "DSP-1", board.ActorOwner, "x")
	_, nerr := board.NewPolicy(b, owner, board.PolicyOptions{}).Create(t.Context(), board.NewIssue{Title: "two"})
	for what, err := range map[string]error{"comment": cerr, "create": nerr} {
		if !errors.Is(err, statefile.ErrReadOnly) || !strings.Contains(err.Error(), "writable") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	b := open(t, native.Options{Dir: filepath.Join(mount(t, "256k"), "board")})
	seed(t, b, board.NewIssue{Title: "one", State: board.RoleReady})
	_, err := b.Comment(t.Context(), owner, "DSP-1", board.ActorOwner, strings.Repeat("long ", 100_000))
	if !errors.Is(err, statefile.ErrNoSpace) || !strings.Contains(err.Error(), "comment on DSP-1") || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("on a full disk: %v", err)
	}
	if rows := pollAll(t, b); len(rows) != 1 || rows[0].Unreadable != "" || len(rows[0].Comments) != 0 {
		t.Fatalf("after a full disk: %+v", rows)
	}
	if _, err := b.Comment(t.Context(), owner, "DSP-1", board.ActorOwner, "short"); err != nil {
		t.Fatalf("a write that fits: %v", err)
	}
}
