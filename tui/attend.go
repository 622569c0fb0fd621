package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/attention"
	logpane "github.com/backside4charter/dispatcher/tui/pane/log"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// attending is how the room calls for its owner, and what it knows of their
// being there.
type attending struct {
	opts   attention.Options
	watch  attention.Watch
	caller *attention.Caller
	away   *attention.Away
	opened bool
	// blurred says that another window has the keys. A terminal that never says
	// is taken for one that is looked at while keys come.
	blurred  bool
	lastKey  time.Time
	absences []attention.Absence
}

// lookingFor is how long after a key its owner counts as looking at the room.
const lookingFor = 30 * time.Second

// maxAbsences is how many absences the log keeps marks of.
const maxAbsences = 20

func newAttending(o attention.Options, start time.Time) attending {
	return attending{opts: o, caller: attention.NewCaller(o), away: attention.NewAway(o.Away, start), lastKey: start}
}

// attend takes a new picture and calls for the owner if it has come up with
// something.
func (m *Model) attend() tea.Cmd {
	a, now := &m.calls, m.now()
	events := a.watch.Look(m.snap)
	a.away.Add(events, m.snap, !a.opened)
	a.opened = true
	a.caller.Add(now, events)
	return m.call(now)
}

// call writes what is due to the terminal.
func (m *Model) call(now time.Time) tea.Cmd {
	a := &m.calls
	looking := !a.blurred && now.Sub(a.lastKey) < lookingFor
	if seq := a.caller.Call(now, looking); seq != "" {
		return tea.Raw(seq)
	}
	return nil
}

// touched notes that the owner is there. Who was away is told what happened,
// above the keys until the next one, unless the key itself had something to
// say.
func (m *Model) touched(said bool) {
	a, now := &m.calls, m.now()
	a.lastKey = now
	absence, gone := a.away.Key(now)
	if !gone {
		return
	}
	a.absences = append(a.absences, absence)
	if over := len(a.absences) - maxAbsences; over > 0 {
		a.absences = a.absences[over:]
	}
	m.log.SetAway(marks(a.absences))
	if !said {
		m.toast = toast{text: absence.Line(), tone: themes.ToneAttention}
	}
}

// titled adds what a terminal shows beside the screen: its title, its progress
// and what the program is at.
func (m *Model) titled(v *tea.View) {
	o := &m.calls.opts
	if o.Title {
		v.WindowTitle = m.windowTitle()
	}
	if !o.Progress || m.snap == nil {
		return
	}
	done, all := m.progress()
	v.ProgramStatus = m.programStatus(done, all)
	if all == 0 || m.snap.Mode == state.ModeStopped {
		return
	}
	v.ProgressBar = &tea.ProgressBar{State: tea.ProgressBarDefault, Value: done * 100 / all}
	switch {
	case m.lost || m.snap.PollError != "":
		v.ProgressBar.State = tea.ProgressBarError
	case len(m.snap.Needs) > 0 || m.snap.Mode == state.ModePaused:
		v.ProgressBar.State = tea.ProgressBarWarning
	}
}

// progress is how many issues of the board are done, of how many.
func (m *Model) progress() (done, all int) {
	for i := range m.snap.Rows {
		if m.snap.Rows[i].Issue.Role == board.RoleDone {
			done++
		}
	}
	return done, len(m.snap.Rows)
}

func (m *Model) programStatus(done, all int) *tea.ProgramStatus {
	s := &tea.ProgramStatus{App: "dispatcher", State: tea.ProgramStateIdle}
	switch {
	case m.lost || m.snap.PollError != "":
		s.State, s.Message = tea.ProgramStateError, "no contact with the loop"
		if !m.lost {
			s.Message = widget.Clean(m.snap.PollError)
		}
	case len(m.snap.Needs) > 0:
		s.State, s.Kind = tea.ProgramStateBlocked, tea.ProgramStatusKindQuestion
		if m.snap.Needs[0].Kind == state.NeedRequest {
			s.Kind = tea.ProgramStatusKindPermission
		}
		s.Message = widget.Count(len(m.snap.Needs), "thing needs you", "things need you")
	case len(m.snap.Workers) > 0 && m.snap.Mode != state.ModeStopped:
		s.State, s.HasProgress = tea.ProgramStateWorking, all > 0
		s.Progress = done * 100 / max(all, 1)
	}
	return s
}

// marks are the lines that stand in the log where the owner left.
func marks(absences []attention.Absence) []logpane.Away {
	out := make([]logpane.Away, 0, len(absences))
	for i := range absences {
		out = append(out, logpane.Away{From: absences[i].From, Text: absences[i].Line()})
	}
	return out
}
