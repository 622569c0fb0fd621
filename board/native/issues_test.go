package native_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
)

func second[T any](_ T, err error) error { return err }

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

// TestImportRefusesUnknownKeys: what stands under a key that nothing reads would
// be gone in silence.
func TestImportRefusesUnknownKeys(t *testing.T) {
	t.Parallel()
	b, _, c := setup(t)
	p := board.NewPolicy(b, owner, board.PolicyOptions{})
	if _, err := p.Comment(t.Context(), "DSP-2", board.ActorOwner, "hello"); err != nil {
		t.Fatal(err)
	}
	doc, err := p.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		`"labels": [`:              `"labls" is no key of a board; did you mean "labels"?`,
		`"title": "two"`:           `DSP-2: "titel" is no key of a board; did you mean "title"?`,
		`"milestones": [`:          `"mileston" is no key of a board; did you mean "milestones"?`,
		`"author": "` + owner.Name: `DSP-2.comments[0]: "writer" is no key of a board; known here: `,
	} {
		key, rest, _ := strings.Cut(from, ":")
		wrong := regexp.MustCompile(`"(\w+)" is no`).FindStringSubmatch(want)[1]
		bad := strings.Replace(string(doc), key+":"+rest, strconv.Quote(wrong)+":"+rest, 1)
		if bad == string(doc) {
			t.Fatalf("the document holds no %s:\n%s", from, doc)
		}
		fresh := open(t, native.Options{Dir: filepath.Join(t.TempDir(), "board"), Now: c.Now})
		_, err := board.NewPolicy(fresh, owner, board.PolicyOptions{}).Import(t.Context(), []byte(bad))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", from, err, want)
		}
		if rows := pollAll(t, fresh); len(rows) != 0 {
			t.Errorf("%s: left %d rows", from, len(rows))
		}
	}
}

// TestImportTakesAnIssuesFile: an issue may be put into a document as its file
// stands, with its sum.
func TestImportTakesAnIssuesFile(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t)
	p := board.NewPolicy(b, owner, board.PolicyOptions{})
	doc, err := p.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	withSum := strings.Replace(string(doc), `"title": "two"`, `"title": "two", "sum": "0"`, 1)
	fresh := open(t, native.Options{Dir: filepath.Join(t.TempDir(), "board")})
	if _, err := board.NewPolicy(fresh, owner, board.PolicyOptions{}).Import(t.Context(), []byte(withSum)); err != nil {
		t.Fatal(err)
	}
}

// TestLabelErrorNamesTheIssueOnce: the owner reads the refusal on one line.
func TestLabelErrorNamesTheIssueOnce(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t)
	err := board.NewPolicy(b, owner, board.PolicyOptions{}).Label(t.Context(), "DSP-2", "Nix", true)
	if err == nil || strings.Count(err.Error(), "DSP-2") != 1 || !strings.HasPrefix(err.Error(), `put label "Nix" on DSP-2: not found: `) {
		t.Errorf("%v", err)
	}
}
