package tui

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// trouble is what stands on the second line before all else: no contact, an
// end that is under way, a board that cannot be read, a silent loop. What
// happens next is its end, which is never cut off.
type trouble struct {
	text, end string
	tone      themes.Tone
}

func (m *Model) trouble(now time.Time) trouble {
	s := m.snap
	switch {
	case m.lost:
		return m.noContact(now)
	case s == nil:
		return trouble{}
	case s.Mode == state.ModeStopped && m.leaving == "":
		return trouble{text: "the loop has ended; q leaves", tone: themes.ToneWarn}
	}
	live := widget.Count(present.Live(s), "worker", "workers")
	switch {
	case s.Mode == state.ModeDraining && m.leaving != "":
		return trouble{"draining: " + live + " to go; the room closes when they are done", " · q other ways out", themes.ToneWarn}
	case s.Mode == state.ModeDraining:
		return trouble{"draining: " + live + " to go, nothing new starts", "", themes.ToneWarn}
	case s.Mode == state.ModeAborting:
		return trouble{"stopping workers and restoring rows: " + live + " to go", "", themes.ToneDanger}
	case m.leaving == LeaveSuspended:
		return trouble{"the loop goes to the background, then this screen stands still", "", themes.ToneWarn}
	case m.leaving != "":
		return trouble{"leaving: the loop hands over", "; q again leaves at once", themes.ToneWarn}
	case s.PollError != "":
		t := trouble{text: m.styles.Signs.Failed + " " + widget.Clean(s.PollError), tone: themes.ToneDanger}
		if !s.PolledAt.IsZero() {
			t.end = " · rows as of " + s.PolledAt.In(now.Location()).Format("15:04")
		}
		if !s.NextFiring.IsZero() {
			t.end += " · next try in " + widget.Clock(s.NextFiring.Sub(now))
		}
		return t
	case s.Step != "" && !s.StepSince.IsZero() && now.Sub(s.StepSince) > silentFor:
		text := fmt.Sprintf("the loop does not answer: firing %d is in %s for %s", s.Firing, widget.Clean(s.Step), widget.Clock(now.Sub(s.StepSince)))
		return trouble{text, "", themes.ToneWarn}
	case overdue(s, now):
		text := fmt.Sprintf("the loop does not answer: firing %d was due %s ago; its process may be stopped or hung", s.Firing+1, widget.Clock(now.Sub(s.NextFiring)))
		return trouble{text, "", themes.ToneWarn}
	}
	return trouble{}
}

// overdue says whether a loop between firings stands still: it has let the
// moment of the next one go by.
func overdue(s *state.Snapshot, now time.Time) bool {
	return s.Step == "" && !s.NextFiring.IsZero() && now.Sub(s.NextFiring) > silentFor
}

// silentFor is how long a step of a firing may take, and how late one may be,
// before the room says so.
const silentFor = 10 * time.Second

func (m *Model) noContact(now time.Time) trouble {
	t := trouble{text: "no contact for " + widget.Clock(now.Sub(m.lostAt)), tone: themes.ToneDanger}
	if m.contact.Refused {
		t.text = "no contact: " + widget.Clean(m.contact.Why)
	} else if m.snap != nil {
		t.text += ", last seen " + m.snap.At.In(now.Location()).Format("15:04")
	}
	if m.contact.Lost.IsZero() {
		t.end = "; " + m.leftBehind() + "; q leaves"
	} else {
		t.end = m.againText(now) + "; " + m.leftBehind()
	}
	return t
}

// leftBehind says what becomes of the workers of a loop that is out of sight,
// by what was seen of it last.
func (m *Model) leftBehind() string {
	if m.snap != nil && m.snap.Mode == state.ModeAborting {
		return "it was being aborted, its workers stopped"
	}
	return "workers go on"
}

// troubleLine leaves room for how many things need the owner; as the screen
// gets narrow first that gets short, then the text.
func (m *Model) troubleLine(t trouble) string {
	st := m.styles
	line := func(s string) widget.Line { return widget.Line{{Text: " "}}.Add(st.Tone(t.tone), s) }
	long := m.needsCount()
	var short widget.Line
	if long != nil {
		short = widget.Line{}.Add(st.Attention, fmt.Sprintf("%s %d ", st.Signs.Attention, len(m.snap.Needs)))
	}
	cut := widget.Cut(t.text, max(m.w-short.Width()-widget.Width(t.end)-3, 8))
	return m.fits([2]widget.Line{line(t.text + t.end), long}, [2]widget.Line{line(t.text + t.end), short}, [2]widget.Line{line(cut + t.end), short})
}
