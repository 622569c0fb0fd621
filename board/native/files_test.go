package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// setup is a board with three issues.
func setup(t *testing.T) (*native.Board, native.Options, *clock) {
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
				t.Skip(err)
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

func TestEvents(t *testing.T) {
	t.Parallel()
	b, o, c := setup(t)
	req := board.ClaimRequest{Kind: board.KindDeveloper, Session: "s1", Run: "r1"}
	loop := board.Actor{Kind: board.ActorDispatcher, Run: "r1"}
	for range 3 { // a claim and two renewals
		c.Advance(time.Minute)
		if _, err := b.Claim(t.Context(), loop, "DSP-1", req); err != nil {
			t.Fatal(err)
		}
	}
	if types := eventTypes(t, b, "DSP-1"); types != "created claim" {
		t.Fatalf("events: %s", types)
	}
	// A crash between the file and its event, and a torn line of another's.
	log, err := os.ReadFile(b.EventsPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LinkPR(t.Context(), loop, "DSP-1", "#1"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.EventsPath(), append(log, `{"seq": 99, "ti`...), 0o644); err != nil {
		t.Fatal(err)
	}
	rev := filepath.Join(o.Dir, "locks", "DSP-1.rev")
	if err := os.WriteFile(rev, []byte(fmt.Sprintf("%019d %019d\n", 2, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.LinkPR(t.Context(), loop, "DSP-1", "#2"); err != nil {
		t.Fatal(err)
	}
	if types := eventTypes(t, b, "DSP-1"); types != "created claim edit(filled) link" {
		t.Fatalf("events: %s", types)
	}
	events, next, err := b.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	last := events[len(events)-1]
	if last.Rev != 4 || last.Actor != board.ActorDispatcher || last.Run != "r1" || last.Fields["pr"] != "#2" || !last.At.Equal(c.Now()) {
		t.Fatalf("last event %+v", last)
	}
	if more, _, err := b.Events(next); err != nil || len(more) != 0 {
		t.Fatalf("after the end: %v %v", more, err)
	}
}

func TestLivingProcessKeepsItsRow(t *testing.T) {
	t.Parallel()
	_, o, c := setup(t)
	alive := true
	o.Alive = func(pid int, start string) bool { return alive && pid == 77 && start == "t0" }
	b := open(t, o)
	mine := board.ClaimRequest{Kind: board.KindDeveloper, Session: "s1", Run: "r1", Host: "here", Boot: "b1", PID: 77, PIDStart: "t0"}
	theirs := board.ClaimRequest{Kind: board.KindDeveloper, Session: "s2", Run: "r2", Steal: true}
	if _, err := b.Claim(t.Context(), owner, "DSP-1", mine); err != nil {
		t.Fatal(err)
	}
	c.Advance(24 * time.Hour)
	_, err := b.Claim(t.Context(), owner, "DSP-1", theirs)
	if !errors.Is(err, board.ErrClaimConflict) || !strings.Contains(err.Error(), "process 77") {
		t.Fatalf("taken from a living process: %v", err)
	}
	o.Boot = "b2" // after a reboot the number means nothing
	if _, err := open(t, o).Claim(t.Context(), owner, "DSP-1", theirs); err != nil {
		t.Fatalf("after another boot: %v", err)
	}
	if _, err := b.Claim(t.Context(), owner, "DSP-2", mine); err != nil {
		t.Fatal(err)
	}
	alive = false
	c.Advance(16 * time.Minute)
	theirs.Steal = false
	if _, err := b.Claim(t.Context(), owner, "DSP-2", theirs); err != nil {
		t.Fatalf("from a dead process, after its lease: %v", err)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	b, o, _ := setup(t)
	steps := []struct {
		ref  board.Ref
		to   board.Place
		want string
	}{
		{"DSP-3", board.Place{Top: true}, "3 1 2"},
		{"DSP-1", board.Place{After: "dsp-2"}, "3 2 1"},
		{"DSP-1", board.Place{Before: "DSP-2"}, "3 1 2"},
		{"DSP-2", board.Place{Top: true}, "2 3 1"},
		{"DSP-2", board.Place{Top: true}, "2 3 1"},
		{"DSP-3", board.Place{After: "DSP-1"}, "2 1 3"},
	}
	for n, s := range steps {
		if err := b.Place(t.Context(), owner, s.ref, s.to); err != nil {
			t.Fatal(err)
		}
		if got := order(t, b); got != s.want {
			t.Fatalf("step %d: %s, want %s", n, got, s.want)
		}
	}
	if seed(t, b, board.NewIssue{Title: "four"}); order(t, b) != "2 1 3 4" {
		t.Fatalf("a new issue comes last: %s", order(t, b))
	}
	if err := b.Place(t.Context(), owner, "DSP-1", board.Place{Before: "DSP-1"}); !errors.Is(err, board.ErrForbidden) {
		t.Fatalf("beside itself: %v", err)
	}
	if err := b.Place(t.Context(), owner, "DSP-1", board.Place{Before: "DSP-9"}); !errors.Is(err, board.ErrNotFound) {
		t.Fatalf("beside nothing: %v", err)
	}
	// Rows that share a rank are ordered by number and passed as one.
	r2 := readJSON(t, issueFile(o.Dir, "DSP-2"))["rank"].(string)
	r1 := readJSON(t, issueFile(o.Dir, "DSP-1"))["rank"].(string)
	edit(t, issueFile(o.Dir, "DSP-1"), r1, r2)
	if got := order(t, b); got != "1 2 3 4" {
		t.Fatalf("ties: %s", got)
	}
	if err := b.Place(t.Context(), owner, "DSP-4", board.Place{After: "DSP-1"}); err != nil || order(t, b) != "1 2 4 3" {
		t.Fatalf("after a tie: %v %s", err, order(t, b))
	}
}

func TestCreateAndEdit(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t)
	p := board.NewPolicy(b, owner, board.PolicyOptions{})
	i, err := p.Create(t.Context(), board.NewIssue{Title: " two\nlines ", Milestone: "later", Labels: []string{"ui", "New", "new"}, Blockers: []board.Ref{"dsp-1", "DSP-1"}, Parent: "dsp-2"})
	if err != nil {
		t.Fatal(err)
	}
	if i.Ref != "DSP-4" || i.Title != "two lines" || fmt.Sprint(i.Labels) != "[UI New]" || i.Role != board.RoleBacklog || i.Parent != "DSP-2" || i.CreatedBy != "Olive" {
		t.Fatalf("created %+v", i)
	}
	if err := p.Label(t.Context(), "DSP-1", "NEW", true); err != nil {
		t.Fatalf("a label that an issue brought: %v", err)
	}
	str := func(s string) *string { return &s }
	ref := func(r board.Ref) *board.Ref { return &r }
	i, err = p.Edit(t.Context(), "dsp-4", board.Edit{Title: str("three"), Body: str("- [ ] x"), Milestone: str("(none)"), Assignee: str("Ann"), Parent: ref(""), RemoveLabels: []string{"ui"}})
	if err != nil {
		t.Fatal(err)
	}
	if i.Title != "three" || i.Body != "- [ ] x" || i.Milestone != "" || !i.HumanOwned() || i.Parent != "" || fmt.Sprint(i.Labels) != "[New]" || len(i.OpenBlockers()) != 1 {
		t.Fatalf("edited %+v", i)
	}
	for name, err := range map[string]error{
		"no title":           second(p.Create(t.Context(), board.NewIssue{Title: " \t"})),
		"label question":     second(p.Create(t.Context(), board.NewIssue{Title: "x", Labels: []string{"Question"}})),
		"label with a comma": second(p.Create(t.Context(), board.NewIssue{Title: "x", Labels: []string{"a,b"}})),
		"closed":             second(p.Create(t.Context(), board.NewIssue{Title: "x", State: board.RoleDone})),
		"by the loop":        second(p.As(board.Actor{Kind: board.ActorDispatcher}).Create(t.Context(), board.NewIssue{Title: "x"})),
		"edit by the loop":   second(p.As(board.Actor{Kind: board.ActorDispatcher}).Edit(t.Context(), "DSP-1", board.Edit{})),
	} {
		if !errors.Is(err, board.ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"blocker":  second(p.Create(t.Context(), board.NewIssue{Title: "x", Blockers: []board.Ref{"DSP-99"}})),
		"parent":   second(p.Create(t.Context(), board.NewIssue{Title: "x", Parent: "DSP-99"})),
		"bad ref":  second(p.Create(t.Context(), board.NewIssue{Title: "x", Parent: "../DSP-1"})),
		"edited":   second(p.Edit(t.Context(), "DSP-99", board.Edit{Title: str("x")})),
		"reparent": second(p.Edit(t.Context(), "DSP-1", board.Edit{Parent: ref("DSP-99")})),
	} {
		if !errors.Is(err, board.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := order(t, b); got != "1 2 3 4" {
		t.Fatalf("a refused issue was made: %s", got)
	}
}

func second[T any](_ T, err error) error { return err }

func TestCycles(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t) // 1, 2, 3
	p := board.NewPolicy(b, owner, board.PolicyOptions{})
	child := seed(t, b, board.NewIssue{Title: "child of 1", Parent: "DSP-1"})
	ref := func(r board.Ref) *board.Ref { return &r }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(p.Block(t.Context(), "DSP-2", "DSP-1", true))
	must(p.Block(t.Context(), "DSP-3", "DSP-2", true))
	for name, err := range map[string]error{
		"itself":              p.Block(t.Context(), "DSP-1", "DSP-1", true),
		"round three":         p.Block(t.Context(), "DSP-1", "DSP-3", true),
		"parent by its child": p.Block(t.Context(), "DSP-1", child, true),
		"child by its parent": p.Block(t.Context(), child, "DSP-1", true),
		"own parent":          second(p.Edit(t.Context(), "DSP-1", board.Edit{Parent: ref("DSP-1")})),
		"parent of parent":    second(p.Edit(t.Context(), "DSP-1", board.Edit{Parent: ref(child)})),
		"parent that waits":   second(p.Edit(t.Context(), "DSP-1", board.Edit{Parent: ref("DSP-3")})),
		"parent it waits for": second(p.Edit(t.Context(), "DSP-2", board.Edit{Parent: ref("DSP-1")})),
		"born in a circle":    second(p.Create(t.Context(), board.NewIssue{Title: "x", Parent: "DSP-1", Blockers: []board.Ref{"DSP-1"}})),
	} {
		if !errors.Is(err, board.ErrCycle) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := p.Block(t.Context(), "DSP-1", "DSP-3", true); err == nil || !strings.Contains(err.Error(), "DSP-1 waits for DSP-3 waits for DSP-2 waits for DSP-1") {
		t.Fatalf("the circle is not named: %v", err)
	}
}

func TestExportImport(t *testing.T) {
	t.Parallel()
	b, _, c := setup(t)
	p := board.NewPolicy(b, owner, board.PolicyOptions{})
	if _, err := b.Claim(t.Context(), owner, "DSP-2", board.ClaimRequest{Kind: board.KindReviewer, Session: "s1", Run: "r1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Comment(t.Context(), "DSP-2", board.ActorOwner, "<b>&hello"); err != nil {
		t.Fatal(err)
	}
	if err := p.Block(t.Context(), "DSP-2", "DSP-1", true); err != nil {
		t.Fatal(err)
	}
	doc, err := p.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, native.Options{Dir: filepath.Join(t.TempDir(), "deep", "board"), Now: c.Now})
	q := board.NewPolicy(other, owner, board.PolicyOptions{})
	if n, err := q.Import(t.Context(), doc); err != nil || n != 3 {
		t.Fatalf("imported %d: %v", n, err)
	}
	again, err := q.Export(t.Context())
	if err != nil || string(again) != string(doc) {
		t.Fatalf("the round trip changed the board: %v\n%s\n%s", err, doc, again)
	}
	if _, err := q.Import(t.Context(), doc); !errors.Is(err, board.ErrForbidden) {
		t.Fatalf("import into a board with issues: %v", err)
	}
	if order(t, other) != "1 2 3" {
		t.Fatalf("a refused import left %s", order(t, other))
	}
	if ref := seed(t, other, board.NewIssue{Title: "next"}); ref != "DSP-4" {
		t.Fatalf("the next issue is %s", ref)
	}
	for name, bad := range map[string]string{
		"cut":        string(doc[:len(doc)/2]),
		"newer":      strings.Replace(string(doc), `"version": 1`, `"version": 2`, 1),
		"other key":  strings.ReplaceAll(string(doc), "DSP", "ACM"),
		"bad ref":    strings.ReplaceAll(string(doc), `"DSP-3"`, `"../../x"`),
		"twice":      strings.ReplaceAll(string(doc), `"DSP-3"`, `"DSP-2"`),
		"no title":   strings.ReplaceAll(string(doc), `"title": "two"`, `"title": ""`),
		"in circles": strings.Replace(string(doc), `"epoch": 0,`, `"epoch": 0, "blockers": ["DSP-2"],`, 1),
	} {
		dir := filepath.Join(t.TempDir(), "board")
		fresh := open(t, native.Options{Dir: dir})
		if _, err := board.NewPolicy(fresh, owner, board.PolicyOptions{}).Import(t.Context(), []byte(bad)); err == nil {
			t.Errorf("%s: imported", name)
		}
		if rows := pollAll(t, fresh); len(rows) != 0 {
			t.Errorf("%s: left %d rows", name, len(rows))
		}
	}
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
