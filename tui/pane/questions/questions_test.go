package questions

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func permission() state.Request {
	return state.Request{
		ID: "q1", Kind: state.RequestPermission, Run: "r12", Ref: "ACM-12", Tool: "Bash", Summary: "npm publish", Input: `{"command": "npm publish"}`,
		Why: "not on the list", Worktree: "/w/acm-12", Since: noon.Add(-40 * time.Second), Until: noon.Add(4 * time.Minute), Default: "deny",
	}
}

func choice() state.Request {
	return state.Request{
		ID: "q2", Kind: state.RequestQuestion, Run: "r5", Ref: "ACM-5", Tool: "AskUserQuestion", Since: noon,
		Questions: []state.Question{
			{Header: "Format", Text: "Which format?", Options: []state.Option{{Label: "ISO 8601", Description: "as the API"}, {Label: "Local"}}},
			{Header: "Extras", Text: "Which extras?", Many: true, Options: []state.Option{{Label: "a"}, {Label: "b"}, {Label: "c"}}},
		},
	}
}

func picture() *state.Snapshot {
	confirm := board.Issue{Ref: "ACM-31", Title: "Rename", Labels: []string{"UI", "Confirm with user"}}
	return &state.Snapshot{
		Requests: []state.Request{permission(), choice()},
		Rows: []state.Row{
			{Issue: confirm, Hold: "confirm", Waits: `confirm with you first; remove the label "Confirm with user" to let it go`},
			{Issue: board.Issue{Ref: "ACM-10"}, Hold: "attention"},
			{Issue: board.Issue{Ref: "ACM-7"}},
		},
		Needs: []state.Need{
			{Kind: state.NeedRequest, Ref: "ACM-12", Title: "Cache", Text: "Bash npm publish", Run: "r12", Request: "q1", Since: noon},
			{Kind: state.NeedRequest, Ref: "ACM-5", Title: "Paging", Text: "Which format?", Run: "r5", Request: "q2", Since: noon},
			{Kind: state.NeedInterrupted, Ref: "ACM-6", Title: "Quota", Run: "r6", Since: noon},
			{Kind: state.NeedQuestion, Ref: "ACM-7", Title: "Dates", Text: "Which?\n\n1. ISO\n2. Local", Since: noon},
			{Kind: state.NeedAttention, Ref: "ACM-10", Title: "Webhook", Text: "failed twice", Since: noon},
			{Kind: state.NeedReview, Ref: "ACM-3", Title: "Login", Text: "PASS", PR: "#35", Since: noon},
			{Kind: state.NeedConfirm, Ref: "ACM-31", Title: "Rename", Text: "confirm", Since: noon},
			{Kind: state.NeedStale, Ref: "ACM-8", Title: "Search", Text: "97m old", Since: noon},
		},
	}
}

func view(t *testing.T) *Model {
	t.Helper()
	st := themes.For(true).Styles()
	m := New(&st)
	m.SetBody(layout.Rect{W: 120, H: 30}, layout.ShapeColumns)
	m.SetSnapshot(picture())
	return m
}

func open(t *testing.T, m *Model, ref board.Ref) {
	t.Helper()
	if _, why := m.Open(pane.Subject{Ref: ref}); why != "" {
		t.Fatal(why)
	}
}

func screen(t *testing.T, m *Model) string {
	t.Helper()
	lines := m.View(noon)
	for i, l := range lines {
		lines[i] = ansi.Strip(l)
		if w := ansi.StringWidth(lines[i]); w != m.list.W+m.detail.W && !m.single {
			t.Fatalf("line %d is %d wide: %q", i, w, lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

func texts(m *pane.Menu) []string {
	var out []string
	for _, c := range m.Choices {
		out = append(out, c.Text)
	}
	return out
}

func TestAPermissionIsAskedWithNothingChosen(t *testing.T) {
	t.Parallel()
	m := view(t)
	s := screen(t, m)
	for _, want := range []string{"Asks, a worker waits 2", "ACM-12 npm publish", "0:40", "May it use Bash?", "not on the list", "/w/acm-12", "denied at 12:04:00 if you say nothing"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	menu := m.Act(keymap.Answer).Menu
	if menu == nil || menu.Sel != -1 || len(menu.Choices) != 3 {
		t.Fatalf("the menu: %+v", menu)
	}
	base := state.Command{Ref: "ACM-12", Run: "r12", Request: "q1"}
	once, always := base, base
	once.Kind, always.Kind, always.Always = state.CommandAllow, state.CommandAllow, true
	if diff := cmp.Diff([]state.Command{once}, menu.Choices[0].Do.Send); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]state.Command{always}, menu.Choices[1].Do.Send); diff != "" {
		t.Error(diff)
	}
	deny := menu.Choices[2].Do.Field
	if deny == nil || deny.Empty == "" {
		t.Fatalf("denying: %+v", deny)
	}
	no := base
	no.Kind, no.Text = state.CommandDeny, "too early"
	if diff := cmp.Diff([]state.Command{no}, deny.Send("too early").Send); diff != "" {
		t.Error(diff)
	}
	gone := picture()
	gone.Requests = nil
	if menu.Gone(gone) == "" || !strings.Contains(deny.Gone(gone), "your text is kept") {
		t.Error("a request that is gone can still be answered")
	}
}

func TestAWorkersQuestionsAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	m := view(t)
	open(t, m, "ACM-5")
	if s := screen(t, m); !strings.Contains(s, "1. ISO 8601: as the API") || !strings.Contains(s, "Several may be chosen") {
		t.Errorf("the questions:\n%s", s)
	}
	first := m.Act(keymap.Answer).Field
	if hints := strings.Join(first.Hints("1"), "\n"); !strings.Contains(hints, "sent in full: ISO 8601") {
		t.Errorf("hints %q", hints)
	}
	second := first.Send("1").Field
	if second == nil || !strings.Contains(second.Name, "2 of 2") {
		t.Fatalf("the second question: %+v", second)
	}
	want := []state.Command{{Kind: state.CommandReply, Ref: "ACM-5", Run: "r5", Request: "q2", Answers: []string{"ISO 8601", "a, c"}}}
	if diff := cmp.Diff(want, second.Send("1, 3").Send); diff != "" {
		t.Error(diff)
	}
}

func TestEveryNeedHasAnAnswer(t *testing.T) {
	t.Parallel()
	m := view(t)
	for ref, want := range map[board.Ref]string{
		"ACM-6":  "give it its next word|stop it and hold the row|let it stand",
		"ACM-10": "try again|try again, with a note|hold it for me",
		"ACM-3":  "read the change|request changes|merge it",
		"ACM-31": "let it go: takes the label Confirm with user away|leave it",
		"ACM-8":  "release the claim: the row is free again|leave it",
	} {
		open(t, m, ref)
		r := m.Act(keymap.Answer)
		if r.Menu == nil {
			t.Errorf("%s: %+v", ref, r)
			continue
		}
		if got := strings.Join(texts(r.Menu), "|"); got != want {
			t.Errorf("%s: %s", ref, got)
		}
	}
	open(t, m, "ACM-31")
	want := []state.Command{{Kind: state.CommandLabel, Ref: "ACM-31", Text: "Confirm with user", Off: true}}
	if diff := cmp.Diff(want, m.Act(keymap.Answer).Menu.Choices[0].Do.Send); diff != "" {
		t.Error(diff)
	}
	open(t, m, "ACM-10")
	note := m.Act(keymap.Answer).Menu.Choices[1].Do.Field
	want = []state.Command{{Kind: state.CommandRetry, Ref: "ACM-10", Text: "use v2"}}
	if diff := cmp.Diff(want, note.Send("use v2").Send); diff != "" {
		t.Error(diff)
	}
	empty := picture()
	empty.Needs = nil
	m.SetSnapshot(empty)
	if r := m.Act(keymap.Answer); r.Say == "" {
		t.Errorf("nothing to answer: %+v", r)
	}
}

func TestAnAnswerIsSentInFullAndTheNextIsSelected(t *testing.T) {
	t.Parallel()
	m := view(t)
	open(t, m, "ACM-7")
	f := m.Act(keymap.Answer).Field
	if hints := strings.Join(f.Hints("1"), "|"); hints != "sent in full: 1. ISO|posts as you, then Ready; a developer takes it" {
		t.Errorf("hints %q", hints)
	}
	want := []state.Command{{Kind: state.CommandAnswer, Ref: "ACM-7", Text: "1. ISO"}}
	if diff := cmp.Diff(want, f.Send("1").Send); diff != "" {
		t.Error(diff)
	}
	if m.Selected().Ref != "ACM-10" {
		t.Errorf("next is %s", m.Selected().Ref)
	}
	if s := screen(t, m); !strings.Contains(s, onItsWay) {
		t.Errorf("nothing says that it was sent:\n%s", s)
	}
	m.Take(pane.Sent{Command: want[0], Err: errors.New("the row has moved")})
	s := screen(t, m)
	if !strings.Contains(s, "Could not be sent 1") || !strings.Contains(s, "✗ the row has moved") || strings.Index(s, "Could not be sent") > strings.Index(s, "Asks, a worker") {
		t.Errorf("what could not be sent does not come first:\n%s", s)
	}
	allow := state.Command{Kind: state.CommandAllow, Request: "q1"}
	open(t, m, "ACM-12")
	m.Take(pane.Sent{Command: allow})
	if m.Selected().Ref == "ACM-12" {
		t.Error("after allowing it is still selected")
	}
	open(t, m, "ACM-12")
	if r := m.Act(keymap.Answer); r.Menu != nil {
		t.Error("it is answered twice")
	}
	m.Take(pane.Sent{Command: state.Command{Kind: state.CommandUndo}})
	if r := m.Act(keymap.Answer); r.Menu == nil {
		t.Error("after an undo it cannot be answered again")
	}
}

// TestASecondQuestionOnTheSameRow came before any picture without one.
func TestASecondQuestionOnTheSameRow(t *testing.T) {
	t.Parallel()
	m := view(t)
	open(t, m, "ACM-7")
	m.Act(keymap.Answer).Field.Send("1")
	again := picture()
	for i := range again.Needs {
		if n := &again.Needs[i]; n.Ref == "ACM-7" {
			n.Text, n.Since = "And which zone?", noon.Add(time.Minute)
		}
	}
	m.SetSnapshot(again)
	m.Take(pane.Sent{Command: state.Command{Kind: state.CommandAnswer, Ref: "ACM-7", Text: "1. ISO"}})
	open(t, m, "ACM-7")
	if r := m.Act(keymap.Answer); r.Field == nil {
		t.Errorf("it cannot be answered: %+v", r)
	}
}

func TestDraftsAreMarkedAndFieldsDrawnHere(t *testing.T) {
	t.Parallel()
	m := view(t)
	b := drafts.New(nil)
	m.SetDrafts(b)
	b.Set(drafts.Deny, "q1", "not yet")
	open(t, m, "ACM-7")
	if s := screen(t, m); !strings.Contains(s, "your draft, not sent") {
		t.Errorf("no mark:\n%s", s)
	}
	f := m.Act(keymap.Answer).Field
	o := &pane.Open{Field: *f, Input: widget.NewField(true)}
	o.Input.SetValue("1. And say so")
	if !m.Host(o) {
		t.Fatal("the answer has no place")
	}
	s := screen(t, m)
	for _, want := range []string{"Your answer", "1. And say so", "posts as you", "↵ send · ctrl+j new line · esc keep"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	if _, y, ok := m.Cursor(); !ok || !strings.Contains(strings.Split(s, "\n")[y], "And say so") {
		t.Errorf("the cursor stands on line %d", y)
	}
	if m.Host(&pane.Open{Field: pane.Field{ID: drafts.ID(drafts.Answer, "ACM-99")}}) {
		t.Error("another's field is drawn here")
	}
}

func TestFindAndSizes(t *testing.T) {
	t.Parallel()
	m := view(t)
	m.Find("publish")
	if shown, total := m.Found(); shown != 1 || total != 8 {
		t.Errorf("%d of %d", shown, total)
	}
	m.Find("zebra")
	if s := screen(t, m); !strings.Contains(s, "nothing matches `zebra`; esc shows all 8") {
		t.Errorf("nothing found:\n%s", s)
	}
	m.Find("")
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 30; h += 2 {
			m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
			if n := len(m.View(noon)); n != h {
				t.Fatalf("%dx%d: %d lines", w, h, n)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	q := &state.Question{Options: []state.Option{{Label: "one"}, {Label: "two"}}}
	many := &state.Question{Many: true, Options: q.Options}
	for _, c := range []struct {
		q        *state.Question
		in, want string
	}{
		{q, "1", "one"},
		{q, " 2. ", "two"},
		{q, "3", "3"},
		{q, "1 2", "1 2"},
		{q, "one of them", "one of them"},
		{q, "", ""},
		{many, "1, 2", "one, two"},
		{many, "1 and 2", "1 and 2"},
		{many, "2", "two"},
	} {
		if got := Labels(c.q, c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// TestWhatWasGivenUpShowsTheLastWords: the reason alone does not say how far the
// worker came.
func TestWhatWasGivenUpShowsTheLastWords(t *testing.T) {
	t.Parallel()
	m := view(t)
	s := picture()
	s.Workers = []state.Worker{{Run: state.Run{ID: "r10", Ref: "ACM-10", Kind: board.KindDeveloper}, Tail: []state.Line{
		{Kind: state.LineText, Text: "I begin."},
		{Kind: state.LineText, Text: "The test for **umlauts** fails.\n\nSTATUS: INCOMPLETE"},
		{Kind: state.LineResult, Text: "turn ended"},
	}}}
	m.SetSnapshot(s)
	open(t, m, "ACM-10")
	got := screen(t, m)
	for _, want := range []string{"failed twice", "what its developer said last", "The test for umlauts fails.", "STATUS: INCOMPLETE"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "I begin.") {
		t.Errorf("an earlier word is there:\n%s", got)
	}
	open(t, m, "ACM-31")
	if got := screen(t, m); strings.Contains(got, "said last") {
		t.Errorf("a row without a worker has last words:\n%s", got)
	}
}
