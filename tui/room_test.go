package tui

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
)

func take(m *Model, s *state.Snapshot) { settleMsg(m, snapshotMsg{snap: s, open: true, at: noon}) }

// settleMsg hands a message over without waiting for the next picture.
func settleMsg(m *Model, msg tea.Msg) { m.Update(msg) }

func has(t *testing.T, m *Model, want string) {
	t.Helper()
	if got := ansi.Strip(screen(m)); !strings.Contains(got, want) {
		t.Errorf("the screen does not show %q:\n%s", want, got)
	}
}

func hasNot(t *testing.T, m *Model, want string) {
	t.Helper()
	if got := ansi.Strip(screen(m)); strings.Contains(got, want) {
		t.Errorf("the screen shows %q:\n%s", want, got)
	}
}

func TestSelectionFollowsItsIssue(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	typeKeys(m, "down")
	if got := m.selectedRef(); got != "ACM-5" {
		t.Fatalf("selected %s", got)
	}
	s := sample()
	s.Rows[6].Issue.Role = board.RoleHumanReview
	take(m, s)
	if got := m.selectedRef(); got != "ACM-5" {
		t.Errorf("after a move to another column %s is selected", got)
	}
	// A row that arrives above does not move the selection either.
	s = sample()
	s.Rows = append([]state.Row{{Issue: sampleIssue("ACM-1", "New", board.RoleInProgress, 0)}}, s.Rows...)
	take(m, s)
	if got := m.selectedRef(); got != "ACM-5" {
		t.Errorf("after an arrival %s is selected", got)
	}
	// If the issue is gone, its neighbour is selected.
	s = sample()
	s.Rows = append(s.Rows[:6:6], s.Rows[7:]...)
	take(m, s)
	if got := m.selectedRef(); got != "ACM-8" {
		t.Errorf("after the row has gone %s is selected", got)
	}
}

func TestNothingThatArrivesMovesTheView(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{nil, {"2"}, {"2", "enter", "home"}, {"3"}, {"4"}, {"5", "home"}, {"enter"}, {"?"}, {"q"}} {
		m, _ := room(120, 40, sample())
		typeKeys(m, keys...)
		view, mode := m.view, m.mode
		s := sample()
		s.Needs = append([]state.Need{{Kind: state.NeedQuestion, Ref: "ACM-5", Title: "Paging", Text: "?", Since: noon}}, s.Needs...)
		s.Log = append(s.Log, state.Entry{At: noon, Firing: 214, Text: "new"})
		take(m, s)
		if m.view != view || m.mode != mode {
			t.Errorf("%v: an arrival moved the view from %d/%d to %d/%d", keys, view, mode, m.view, m.mode)
		}
		has(t, m, "5 need you")
	}
}

func TestAnsweringAQuestion(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, "!", "a", "Local dates", "ctrl+j", "please", "enter")
	sent := ctl.commands()
	if len(sent) != 1 || !reflect.DeepEqual(sent[0], state.Command{Kind: state.CommandAnswer, Ref: "ACM-7", Text: "Local dates\nplease"}) {
		t.Fatalf("sent %+v", sent)
	}
	has(t, m, "answer sent, the loop takes it")
	if n := m.needs.Selected(); n == nil || n.Ref != "ACM-10" {
		t.Errorf("after sending %+v is selected", n)
	}
}

func TestADraftSurvives(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, "3", "a", "half a thou", "esc", "esc", "down", "1", "3")
	has(t, m, "your draft, not sent")
	m.resize(40, 12)
	m.resize(100, 30)
	typeKeys(m, "!", "!", "!", "a", "ght", "enter")
	sent := ctl.commands()
	if len(sent) != 1 || sent[0].Text != "half a thought" {
		t.Fatalf("sent %+v", sent)
	}
}

func TestARefusedAnswerIsKept(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	ctl.err = errors.New("the row has moved")
	typeKeys(m, "3", "a", "text", "enter")
	has(t, m, "could not send the answer to ACM-7: the row has moved; your text is kept")
	typeKeys(m, "up", "up")
	has(t, m, "your draft, not sent")
}

func TestAQuestionAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, "3", "a", "my words")
	s := sample()
	s.Needs = s.Needs[1:]
	take(m, s)
	has(t, m, "ACM-7 was answered elsewhere; your text is kept")
	typeKeys(m, " pX") // who is typing goes on typing: none of it is a key
	has(t, m, "my words pX")
	has(t, m, "ACM-7 was answered elsewhere; your text is kept")
	typeKeys(m, "enter")
	if len(ctl.commands()) != 0 {
		t.Errorf("sent %+v", ctl.commands())
	}
	if m.mode != modeBrowse {
		t.Error("the field is still open")
	}
	take(m, sample())
	typeKeys(m, "esc", "home", "a")
	has(t, m, "my words pX")
}

func TestAWorkerThatEndsLeavesTheFieldOpen(t *testing.T) {
	t.Parallel()
	for name, open := range map[string][]string{"on the board": {"s"}, "in its transcript": {"t", "s"}} {
		m, ctl := room(100, 30, sample())
		typeKeys(m, open...)
		typeKeys(m, "please")
		s := sample()
		s.Workers[0].Outcome = "complete"
		take(m, s)
		typeKeys(m, " pause")
		has(t, m, "please pause")
		has(t, m, "the developer on ACM-12 has ended; your text is kept")
		typeKeys(m, "enter")
		if got := ctl.commands(); len(got) != 0 {
			t.Errorf("%s: sent %+v", name, got)
		}
	}
}

func TestAnswerSaysWhyNot(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys []string
		want string
	}{
		{[]string{"a"}, "ACM-12 asks nothing"},
		{[]string{"3", "down", "a"}, "needs human attention: the developer failed twice"},
		{[]string{"3", "down", "down", "a"}, "3  merge it"},
		{[]string{"3", "a", "enter"}, "an empty answer is not sent"},
		{[]string{"m"}, "Move ACM-12"},
		{[]string{"M"}, "#41 is a draft"},
		{[]string{"c"}, "a worker of this loop is at it"},
		{[]string{"Z"}, "Z does nothing here"},
		{[]string{"n"}, "nothing is searched for"},
		{[]string{"f"}, "nothing here grows"},
		{[]string{"5", "v"}, "Log has one layout"},
		{[]string{"right", "t"}, "no worker of this loop has run on ACM-7"},
	} {
		m, ctl := room(160, 40, sample())
		typeKeys(m, tc.keys...)
		has(t, m, tc.want)
		if len(ctl.commands()) != 0 {
			t.Errorf("%v sent %+v", tc.keys, ctl.commands())
		}
	}
}

func TestJobsCostTheirKeys(t *testing.T) {
	t.Parallel()
	m, ctl := room(80, 24, sample())
	typeKeys(m, "!", "a", "1", "enter") // answer a question with its option 1: 4 keys
	if sent := ctl.commands(); len(sent) != 1 || !strings.HasPrefix(sent[0].Text, "1. ISO 8601") {
		t.Errorf("option 1 sent %+v", sent)
	}
	m, _ = room(80, 24, sample())
	typeKeys(m, "t") // look at what a worker does: 1 key
	has(t, m, "go test ./...")
	typeKeys(m, "1", "/", "finished", "enter") // find an issue by word, folded columns too
	if got := m.selectedRef(); got != "ACM-50" {
		t.Errorf("found %s", got)
	}
	m, ctl = room(80, 24, sample())
	typeKeys(m, "p")
	s := sample()
	s.Mode = state.ModePaused
	take(m, s)
	typeKeys(m, "p", "ctrl+r")
	kinds := ""
	for _, c := range ctl.commands() {
		kinds += string(c.Kind) + " "
	}
	if kinds != "pause resume fire " {
		t.Errorf("sent %s", kinds)
	}
	m, _ = room(120, 40, sample())
	typeKeys(m, "!", "!", "t") // look into a failed run, at its error
	has(t, m, "billing/retry.go:12: undefined: backoff")
}

func TestFoldedColumnsOpen(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		m, _ := room(size[0], size[1], sample())
		hasNot(t, m, "Idea number 1")
		typeKeys(m, "left", "left", "left", "left", "left")
		has(t, m, "Idea number 1")
		typeKeys(m, "right", "right", "right", "right", "right", "right", "right")
		has(t, m, "Finished thing 1")
		hasNot(t, m, "Idea number 1")
	}
}

func TestEscIsOneStepBackAndNeverLeaves(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, sample())
	typeKeys(m, "2", "enter", "3", "enter", "4", "enter")
	for _, want := range []view{viewPulls, viewNeeds, viewNeeds, viewWorkers, viewWorkers, viewBoard, viewBoard} {
		typeKeys(m, "esc")
		if m.view != want {
			t.Fatalf("esc leads to %s, want %s", m.view.name(), want.name())
		}
	}
	if m.left != "" || len(ctl.commands()) != 0 {
		t.Errorf("esc left the room: %q %+v", m.left, ctl.commands())
	}
}

func TestNoticesStayUntilRead(t *testing.T) {
	t.Parallel()
	now := noon
	ctl := newStub()
	m := newModel(t.Context(), Options{Controller: ctl, Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	s := sample()
	s.Notices = []state.Notice{{ID: 4, Text: "first"}, {ID: 5, Ref: "ACM-9", Text: "second"}}
	take(m, s)
	has(t, m, "! first")
	typeKeys(m, "down") // was on its way when the notice appeared
	has(t, m, "! first")
	now = now.Add(2 * time.Second)
	typeKeys(m, "down")
	has(t, m, "! ACM-9: second")
	if sent := ctl.commands(); len(sent) != 1 || !reflect.DeepEqual(sent[0], state.Command{Kind: state.CommandAck, ID: 4}) {
		t.Fatalf("sent %+v", sent)
	}
	typeKeys(m, "down")
	has(t, m, "! ACM-9: second")
}

func TestToastsPass(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	take(m, sample())
	typeKeys(m, "Z")
	has(t, m, "Z does nothing here")
	now = now.Add(5 * time.Second)
	m.Update(tickMsg{})
	hasNot(t, m, "Z does nothing here")
}

func TestPastes(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	m.Update(tea.PasteMsg{Content: "q1\nxy"})
	has(t, m, "a paste is refused here")
	typeKeys(m, "3", "a")
	m.Update(tea.PasteMsg{Content: "line one\r\nline two\n"})
	has(t, m, "line two")
	if len(ctl.commands()) != 0 || m.mode != modeAnswer {
		t.Errorf("a paste sent %+v", ctl.commands())
	}
}

func TestThemesFollowTheTerminal(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, sample())
	dark := screen(m)
	m.Update(tea.BackgroundColorMsg{Color: ansi.BrightWhite})
	if light := screen(m); light == dark || ansi.Strip(light) != ansi.Strip(dark) {
		t.Error("a light terminal changes more or less than the colours")
	}
	fixed := newModel(t.Context(), Options{Controller: newStub(), Look: Look{Theme: "high-contrast"}, Now: fixedNow})
	fixed.Update(tea.BackgroundColorMsg{Color: ansi.BrightWhite})
	if fixed.theme.Name != "high-contrast" {
		t.Errorf("a theme asked for by name became %s", fixed.theme.Name)
	}
}

func TestThemesOfOnesOwn(t *testing.T) {
	t.Parallel()
	mine := themes.For(true)
	mine.Name = "mine"
	m := newModel(t.Context(), Options{Controller: newStub(), Look: Look{Themes: append(themes.All(), mine), Dark: "mine", Light: "paper"}, Now: fixedNow})
	if m.theme.Name != "mine" {
		t.Errorf("before the terminal answers the theme is %s", m.theme.Name)
	}
	m.Update(tea.BackgroundColorMsg{Color: ansi.BrightWhite})
	if m.theme.Name != "paper" {
		t.Errorf("a light terminal has %s", m.theme.Name)
	}
	if names := m.themeNames(); names[len(names)-1] != "mine" {
		t.Errorf("the palette shows %v", names)
	}
	m.setTheme("ember")
	if m.Update(tea.BackgroundColorMsg{Color: ansi.BrightWhite}); m.theme.Name != "ember" {
		t.Errorf("a theme that was chosen became %s", m.theme.Name)
	}
}

// TestAThemeBringsItsGround where the terminal has the other one.
func TestAThemeBringsItsGround(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, sample())
	if m.View().BackgroundColor != nil {
		t.Error("a dark theme paints a dark terminal")
	}
	m.setTheme("dawn")
	if v := m.View(); v.BackgroundColor != m.theme.Palette.Ground || v.ForegroundColor != m.theme.Palette.Text {
		t.Errorf("a light theme stands on %v", v.BackgroundColor)
	}
	m.Update(tea.BackgroundColorMsg{Color: ansi.BrightWhite})
	if m.View().BackgroundColor != nil {
		t.Error("a light theme paints a light terminal")
	}
}

// TestFewColours switches to the terminal's own colours where it has sixteen.
func TestFewColours(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, sample())
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if got := screen(m); strings.Contains(got, "38;2") || strings.Contains(got, "48;2") || !strings.Contains(got, "\x1b[9") {
		t.Errorf("sixteen colours are drawn as %q", got)
	}
	m.setTheme("dawn")
	if got := screen(m); strings.Contains(got, "38;2") {
		t.Error("a theme that is chosen later brings more colours than the terminal has")
	}
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if got := screen(m); !strings.Contains(got, "38;2") {
		t.Error("true colour is not drawn")
	}
}

// TestTheLastSecondBeforeAPollIsThePoll holds the title still under a loop that
// fires several times a second.
func TestTheLastSecondBeforeAPollIsThePoll(t *testing.T) {
	t.Parallel()
	m, _ := room(200, 60, sample())
	firing := sample()
	firing.Step, firing.StepSince, firing.NextFiring = "poll", noon, time.Time{}
	take(m, firing)
	want := screen(m)
	for _, left := range []time.Duration{0, 250 * time.Millisecond, 999 * time.Millisecond} {
		waits := sample()
		waits.NextFiring = noon.Add(left)
		take(m, waits)
		if screen(m) != want {
			t.Errorf("%v before a firing the room is not as in it:\n%s", left, strings.Split(screen(m), "\n")[0])
		}
	}
	waits := sample()
	waits.NextFiring = noon.Add(time.Second)
	take(m, waits)
	has(t, m, "poll in 0:01")
}

// TestSlowLines holds a slow room to clocks by the minute.
func TestSlowLines(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Look: Look{Slow: true}, Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	take(m, sample())
	has(t, m, "poll at 14:18")
	first := screen(m)
	for range 17 {
		now = now.Add(time.Second)
		m.Update(tickMsg{})
		if screen(m) != first {
			t.Fatalf("%s: the screen changed within a minute", now.Format("15:04:05"))
		}
	}
	now = now.Add(time.Second)
	m.Update(tickMsg{})
	if screen(m) == first {
		t.Error("a full minute changes nothing")
	}
}

func fixedNow() time.Time { return noon }

func TestASCII(t *testing.T) {
	t.Parallel()
	m := newModel(t.Context(), Options{Controller: newStub(), Look: Look{ASCII: true}, Now: fixedNow})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	take(m, sample())
	if got := ansi.Strip(screen(m)); strings.ContainsAny(got, "╭│╯┏●○◐▌") {
		t.Errorf("plain ASCII is asked for:\n%s", got)
	}
	checkScreen(t, m)
}

func TestViewIsDrawnOnlyWhenSomethingChanged(t *testing.T) {
	t.Parallel()
	calls := 0
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { calls++; return noon }})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	take(m, sample())
	first := m.View().Content
	calls = 0
	for range 10 {
		m.Update(tea.FocusMsg{})
		if m.View().Content != first {
			t.Fatal("the picture changed")
		}
	}
	if calls != 0 {
		t.Errorf("an unchanged picture was drawn again: %d looks at the clock", calls)
	}
}

func TestTranscriptStaysWhileItIsRead(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Workers[0].Tail = nil
	for i := range 200 {
		s.Workers[0].Tail = append(s.Workers[0].Tail, state.Line{At: noon, Kind: state.LineText, Text: "line " + strings.Repeat("x", i%90) + " end"})
	}
	s.Workers[0].Lines = 200
	m, _ := room(100, 30, s)
	typeKeys(m, "2", "enter", "pgup", "pgup")
	rows := func() string {
		lines := strings.Split(ansi.Strip(screen(m)), "\n")
		return strings.Join(lines[3:26], "\n")
	}
	before := rows()
	next := sample()
	next.Workers[0].Tail = append(append([]state.Line(nil), s.Workers[0].Tail[50:]...), state.Line{Kind: state.LineText, Text: "brand new"})
	next.Workers[0].Lines = 201
	take(m, next)
	if after := rows(); after != before {
		t.Errorf("new lines moved what is read:\n%s\nbefore:\n%s", after, before)
	}
	hasNot(t, m, "brand new")
	typeKeys(m, "f")
	has(t, m, "brand new")
}

func TestErrorsAndPieces(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 12, sample())
	typeKeys(m, "2", "enter", "home", "e")
	has(t, m, "go test ./cache/...")
	m, _ = room(100, 12, sample())
	typeKeys(m, "enter")
	screen(m)
	typeKeys(m, ".")
	has(t, m, "PR #41, verify with")
	typeKeys(m, ".", ",")
	has(t, m, "PR #41, verify with")
	m, _ = room(100, 12, sample())
	typeKeys(m, "5", "e")
	if e := m.log.Selected(); e == nil || !e.Bad {
		t.Errorf("selected %+v", e)
	}
}

func TestAColumnThatScrollsSaysHowFar(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, large(350))
	has(t, m, "1 of 50")
	typeKeys(m, "pgdown", "down")
	has(t, m, "12 of 50")
	typeKeys(m, "end")
	has(t, m, "50 of 50")
	typeKeys(m, "g", "g")
	has(t, m, "1 of 50")
	checkScreen(t, m)
}

// What was refused is read to its end, on as many lines as that takes.
func TestALongRefusalIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	m, ctl := room(80, 24, sample())
	ctl.err = errors.New("the board has refused it for a reason that is far longer than the line below the view; the way out stands last")
	typeKeys(m, "p")
	has(t, m, "could not pause: the board has refused it for a reason that is far longer")
	has(t, m, "the way out stands last")
	typeKeys(m, "down")
	hasNot(t, m, "the way out stands last")
}
