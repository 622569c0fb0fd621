package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// TestNoticesOfAnotherLoop: each loop counts its notices from 1, and what was
// dismissed of one says nothing about the next.
func TestNoticesOfAnotherLoop(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }, Attached: true})
	m.resize(120, 40)
	says := func(at time.Time, text string) {
		s := sample()
		s.Notices = []state.Notice{{ID: 1, At: at, Text: text}}
		take(m, s)
	}
	says(noon, "the board was kept aside")
	now = now.Add(time.Minute)
	typeKeys(m, "down")
	hasNot(t, m, "kept aside")
	says(noon, "the board was kept aside")
	hasNot(t, m, "kept aside")
	says(now, "a worker was lost")
	has(t, m, "a worker was lost")
}

// While its loop is away an attached room keeps the last picture, says since
// when and until when, and takes the loop up again.
func TestContactIsLostAndBack(t *testing.T) {
	t.Parallel()
	s := newStub()
	m := newModel(t.Context(), Options{Controller: s, Now: func() time.Time { return noon }, Attached: true, Contacts: make(chan state.Contact)})
	m.resize(120, 40)
	m.onSnapshot(snapshotMsg{snap: sample(), open: true, at: noon})
	m.onContact(contactMsg{Lost: ago(12 * time.Second), Again: noon.Add(3 * time.Second)})
	if got := screen(m); !strings.Contains(got, "no contact for 0:12") || !strings.Contains(got, "again in 3 s; workers go on") {
		t.Errorf("without contact it shows\n%s", got)
	}
	m.onContact(contactMsg{Lost: ago(12 * time.Second), Again: noon.Add(3 * time.Second), Refused: true, Why: "restart the loop with yours"})
	if got := screen(m); !strings.Contains(got, "no contact: restart the loop with yours, again in 3 s") {
		t.Errorf("with a loop of another version it shows\n%s", got)
	}
	m.onContact(contactMsg{})
	if got := screen(m); strings.Contains(got, "no contact") {
		t.Errorf("with contact again it shows\n%s", got)
	}
}

// A loop that stands still between two firings is told apart from one that runs.
func TestALoopThatStandsStill(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }})
	m.resize(120, 40)
	s := sample()
	s.Step, s.StepSince, s.NextFiring, s.Firing = "", time.Time{}, noon.Add(3*time.Second), 7
	m.onSnapshot(snapshotMsg{snap: s, open: true, at: noon})
	now = noon.Add(13 * time.Second)
	if got := screen(m); strings.Contains(got, "does not answer") {
		t.Errorf("ten seconds late it shows\n%s", got)
	}
	now = noon.Add(43 * time.Second)
	m.dirty = true
	got := screen(m)
	if !strings.Contains(got, "the loop does not answer: firing 8 was due 0:40 ago") || strings.Contains(got, "poll now") {
		t.Errorf("forty seconds late it shows\n%s", got)
	}
}

// TestALoopThatBeginsAnew: until it has read its board the last picture stands,
// and what was selected stays so.
func TestALoopThatBeginsAnew(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	typeKeys(m, to("ACM-3", "esc")...)
	m.onContact(contactMsg{Lost: noon})
	m.onContact(contactMsg{})
	fresh := sample()
	fresh.Rows, fresh.Needs, fresh.Pulls, fresh.PolledAt = nil, nil, nil, time.Time{}
	take(m, fresh)
	has(t, m, "4 need you")
	has(t, m, "ACM-3 Login")
	take(m, sample())
	if ref := m.subject().Ref; ref != "ACM-3" {
		t.Errorf("selected is %q", ref)
	}
}
