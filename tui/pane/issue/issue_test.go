package issue

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func picture() *state.Snapshot {
	i := board.Issue{
		Ref: "ACM-12", Title: "Cache", Role: board.RoleInProgress, Milestone: "M1", Labels: []string{"ui"}, CreatedAt: noon.Add(-72 * time.Hour), CreatedBy: "anna",
		Body:  "Entries must **leave**.\n\n- [x] Evict on write\n- [ ] Expose metrics\n",
		Claim: &board.Claim{Kind: board.KindDeveloper, Session: "a3f1c2d4", Stamp: noon},
		Comments: []board.Comment{
			{Role: board.ActorDispatcher, Body: "PR #41", At: noon.Add(-2 * time.Hour)},
			{Role: board.ActorOwner, Author: "anna", Body: strings.Repeat("a line\n", 40) + "the end", At: noon.Add(-time.Hour)},
		},
	}
	return &state.Snapshot{Version: 1, Rows: []state.Row{{Issue: i, Waits: "worked now"}}, Log: []state.Entry{{At: noon, Firing: 3, Ref: "ACM-12", Text: "claimed"}}}
}

func detail() state.Detail {
	return state.Detail{
		Rules: []state.Rule{
			{Ask: "is it blocked?", Says: "no", Source: "docs/state-machine.md, Why a row waits: blocked"},
			{Ask: "is a slot free?", Says: "2 of 2 busy", Held: true},
		},
		History: []state.Entry{{At: noon.Add(-26 * time.Hour), Text: "created"}, {At: noon, Firing: 212, Text: "claimed by firing 212"}},
		Resume:  "claude --resume a3f1c2d4-long",
	}
}

func newPage(t *testing.T, load Load, w, h int) *Model {
	t.Helper()
	st := themes.For(true).Styles()
	m := New(&st)
	m.SetLoad(load)
	m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
	m.SetSnapshot(picture())
	if _, why := m.Open(pane.Subject{Ref: "ACM-12"}); why != "" {
		t.Fatal(why)
	}
	return m
}

func settle(t *testing.T, m *Model) {
	t.Helper()
	for range 5 {
		cmd := m.Ask(noon)
		if cmd == nil {
			return
		}
		for cmd != nil {
			cmd = m.Take(cmd()).Cmd
		}
	}
	t.Fatal("it asks and asks")
}

func screen(t *testing.T, m *Model) string {
	t.Helper()
	lines := m.View(noon)
	if len(lines) != m.body.H {
		t.Fatalf("%d lines of %d", len(lines), m.body.H)
	}
	for i, l := range lines {
		lines[i] = ansi.Strip(l)
		if w := ansi.StringWidth(lines[i]); w != m.body.W {
			t.Fatalf("line %d is %d wide: %q", i, w, lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

func shows(t *testing.T, m *Model, texts ...string) {
	t.Helper()
	s := screen(t, m)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			t.Errorf("no %q in\n%s", text, s)
		}
	}
}

func TestThePageFillsInAsItIsRead(t *testing.T) {
	t.Parallel()
	asked := 0
	m := newPage(t, func(board.Ref) (state.Detail, error) { asked++; return detail(), nil }, 140, 40)
	shows(t, m, "ACM-12 Cache", "In Progress → Human Review → Done", "M1 · ui", "by anna", "Entries must leave.", "[x] Evict on write", "Comments 2", "12:00 claimed")
	settle(t, m)
	shows(t, m, "Rules", "is a slot free? 2 of 2 busy", "1 rule lets it pass", "26 August", "12:00 claimed by firing 212", "claude --resume a3f1c2d4-long")
	m.Act(keymap.Why)
	shows(t, m, "is it blocked? no", "docs/state-machine.md")
	before := asked
	next := picture()
	next.Version = 2
	m.SetSnapshot(next)
	settle(t, m)
	if asked != before {
		t.Error("it is read again for every picture")
	}
	next = picture()
	next.Firing = 9
	m.SetSnapshot(next)
	settle(t, m)
	if asked != before+1 {
		t.Errorf("after a firing it is read %d times", asked-before)
	}
}

func TestEachPartFailsAlone(t *testing.T) {
	t.Parallel()
	m := newPage(t, func(board.Ref) (state.Detail, error) { return state.Detail{}, errors.New("board away") }, 140, 40)
	settle(t, m)
	shows(t, m, "they cannot be read: board away", "Entries must leave.", "12:00 claimed")
	s := picture()
	s.Rows = nil
	m.SetSnapshot(s)
	shows(t, m, "ACM-12 is not on the board any more")
}

func TestBoxesAreTicked(t *testing.T) {
	t.Parallel()
	m := newPage(t, nil, 140, 40)
	screen(t, m)
	r := m.Act(keymap.Mark)
	if diff := cmp.Diff([]state.Command{{Kind: state.CommandTick, Ref: "ACM-12", N: 1, Off: true, Text: "Evict on write"}}, r.Send); diff != "" {
		t.Error(diff)
	}
	r = m.Act(keymap.Mark)
	if diff := cmp.Diff([]state.Command{{Kind: state.CommandTick, Ref: "ACM-12", N: 2, Text: "Expose metrics"}}, r.Send); diff != "" {
		t.Error("it does not step on:", diff)
	}
	if m.Subject().Box != 2 {
		t.Errorf("under the cursor is box %d", m.Subject().Box)
	}
	m.Act(keymap.Last)
	if r := m.Act(keymap.Mark); r.Say == "" || len(r.Send) > 0 {
		t.Errorf("below the last box: %+v", r)
	}
}

func TestCommentsAndFirings(t *testing.T) {
	t.Parallel()
	m := newPage(t, func(board.Ref) (state.Detail, error) { return detail(), nil }, 140, 30)
	settle(t, m)
	screen(t, m)
	m.Act(keymap.NextPiece)
	m.Act(keymap.NextPiece)
	shows(t, m, "anna", "more lines; ↵ unfolds")
	if r := m.Act(keymap.NextPiece); r.Say == "" {
		t.Error("there is a third comment")
	}
	m.Act(keymap.Open)
	screen(t, m)
	m.Act(keymap.Last)
	shows(t, m, "the end")
	m.Act(keymap.Right)
	m.Act(keymap.Last)
	r := m.Act(keymap.Open)
	if r.Go == nil || r.Go.View != keymap.Log || r.Go.Subject.At != "firing 212" {
		t.Errorf("the history leads to %+v", r.Go)
	}
	m.Find("metrics")
	if m.Inside() || m.Subject().Box != 2 {
		t.Errorf("find leads to box %d", m.Subject().Box)
	}
}

func TestEverySizeHolds(t *testing.T) {
	t.Parallel()
	m := newPage(t, func(board.Ref) (state.Detail, error) { return detail(), nil }, 80, 24)
	settle(t, m)
	for w := 1; w < 150; w += 3 {
		for h := 1; h < 26; h += 2 {
			m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
			screen(t, m)
		}
	}
}

// TestBelowSaysTheReasonOnce: Brief stands above it and says it.
func TestBelowSaysTheReasonOnce(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	s := picture()
	row := &s.Rows[0]
	row.Hold, row.Waits = "attention", "needs human attention: 2 failed attempts"
	s.Needs = []state.Need{{Kind: state.NeedAttention, Ref: row.Issue.Ref, Text: row.Waits, Since: noon}}
	all := func(lines ...[]string) string { return ansi.Strip(strings.Join(slices.Concat(lines...), "\n")) }
	brief := Brief(s, row, 60, 20, noon, &st)
	if got := strings.Count(all(brief, Below(s, row, 60, 20, noon, &st)), row.Waits); got != 1 {
		t.Errorf("it is said %d times:\n%s", got, all(brief, Below(s, row, 60, 20, noon, &st)))
	}
	if !strings.Contains(all(Reading(s, row, 60, 20, noon, &st)), row.Waits) {
		t.Error("alone it does not say why")
	}
	s.Needs[0].Text = "Which?\n\n1. ISO"
	if !strings.Contains(all(Below(s, row, 60, 20, noon, &st)), "1. ISO") {
		t.Error("a question that Brief does not hold is not there")
	}
}
