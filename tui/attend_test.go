package tui

import (
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/attention"
)

// raws runs a command and answers what it writes to the terminal past the
// screen. Commands that wait are not run.
func raws(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	out := ""
	switch msg := cmd().(type) {
	case tea.RawMsg:
		if s, ok := msg.Msg.(string); ok {
			out = s
		}
	}
	return out
}

func TestTheRoomCallsOnce(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{
		Controller: newStub(), Now: func() time.Time { return now },
		Attention: attention.Options{Bell: true, Notify: attention.OSC9, Title: true, Progress: true, Away: 10 * time.Minute},
	})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	show := func(s *state.Snapshot) string {
		m.snap = s
		return raws(m.attend())
	}
	before := sample()
	before.Needs = nil
	if got := show(before); got != "" {
		t.Errorf("opening the room wrote %q", got)
	}
	now = now.Add(time.Minute) // nobody looks
	if got := show(sample()); !strings.HasPrefix(got, "\x1b]9;dispatcher: ") || !strings.HasSuffix(got, "\a") {
		t.Errorf("the sample's needs wrote %q", got)
	}
	now = now.Add(time.Minute)
	if got := show(sample()); got != "" {
		t.Errorf("the same needs wrote %q", got)
	}
	s := sample()
	s.Needs[0].Since = now
	typeKeys(m, "j")
	if got := show(s); got != "\a" {
		t.Errorf("who looks at the room gets %q", got)
	}
	m.Update(tea.BlurMsg{})
	now = now.Add(6 * time.Second)
	s = sample()
	s.Needs[0].Since = now
	if got := show(s); !strings.HasPrefix(got, "\x1b]9;") {
		t.Errorf("another window has the keys: %q", got)
	}
}

func TestComingBack(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }, Attention: attention.Options{Away: 10 * time.Minute}})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	before := sample()
	before.Needs, before.CostToday = nil, 1.02
	take(m, before)
	now = noon.Add(52 * time.Minute)
	hasNot(t, m, "away since")
	take(m, sample())
	has(t, m, "away since 14:17: ") // it takes no key to see it
	typeKeys(m, "j")
	has(t, m, "away 14:17 to 15:09: ")
	has(t, m, "$3.10")
	if len(m.calls.absences) != 1 {
		t.Errorf("the log has %d absences", len(m.calls.absences))
	}
	typeKeys(m, "j")
	hasNot(t, m, "away 14:17")
}

func TestTitleAndProgress(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, sample())
	if v := m.View(); v.WindowTitle != "" || v.ProgressBar != nil || v.ProgramStatus != nil {
		t.Errorf("nobody asked for %q, %v, %v", v.WindowTitle, v.ProgressBar, v.ProgramStatus)
	}
	view := func(change func(*state.Snapshot)) tea.View {
		s := sample()
		change(s)
		take(m, s)
		m.calls.opts = attention.Options{Title: true, Progress: true}
		m.dirty = true
		return m.View()
	}
	done := 4 * 100 / len(sample().Rows)
	for name, tc := range map[string]struct {
		change func(*state.Snapshot)
		bar    *tea.ProgressBar
		state  tea.ProgramState
	}{
		"needs":   {func(*state.Snapshot) {}, &tea.ProgressBar{State: tea.ProgressBarWarning, Value: done}, tea.ProgramStateBlocked},
		"working": {func(s *state.Snapshot) { s.Needs = nil }, &tea.ProgressBar{State: tea.ProgressBarDefault, Value: done}, tea.ProgramStateWorking},
		"failing": {func(s *state.Snapshot) { s.PollError = "401" }, &tea.ProgressBar{State: tea.ProgressBarError, Value: done}, tea.ProgramStateError},
		"idle":    {func(s *state.Snapshot) { s.Needs, s.Workers = nil, nil }, &tea.ProgressBar{State: tea.ProgressBarDefault, Value: done}, tea.ProgramStateIdle},
		"empty":   {func(s *state.Snapshot) { s.Rows, s.Needs, s.Workers = nil, nil, nil }, nil, tea.ProgramStateIdle},
		"stopped": {func(s *state.Snapshot) { s.Needs, s.Mode = nil, state.ModeStopped }, nil, tea.ProgramStateIdle},
	} {
		v := view(tc.change)
		if !reflect.DeepEqual(v.ProgressBar, tc.bar) || v.ProgramStatus.State != tc.state {
			t.Errorf("%s: %+v, %+v", name, v.ProgressBar, v.ProgramStatus)
		}
		if !strings.HasPrefix(v.WindowTitle, "dispatcher · acme/widgets") {
			t.Errorf("%s: the title is %q", name, v.WindowTitle)
		}
	}
}
