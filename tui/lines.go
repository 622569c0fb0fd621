package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// fits draws the first pair that has room for both sides, else the last.
func (m *Model) fits(pairs ...[2]widget.Line) string {
	for i, p := range pairs {
		if p[0].Width()+p[1].Width()+2 <= m.w || i == len(pairs)-1 {
			return widget.Sides(p[0], p[1], m.w, false, m.styles)
		}
	}
	return ""
}

// titleLine is where the room is and how the loop does. What works the issues,
// if it is not the real thing, is the last to go.
func (m *Model) titleLine(now time.Time) string {
	st, s := m.styles, m.snap
	name := widget.Line{}.Add(st.Title, " dispatcher")
	if s == nil {
		return m.fits([2]widget.Line{name, nil})
	}
	repo := widget.Clean(s.Repository)
	long := name.Add(st.Accent, "  "+m.view.name())
	if find := m.finds[m.view]; find != "" {
		long = long.Add(st.Warn, " · "+widget.Clean(find)+m.foundText())
	}
	mid := long.Add(st.Text, " · "+repo)
	full := mid
	if ms := m.milestones(); ms != "" {
		full = full.Add(st.Muted, " · "+ms)
	}
	where := m.view.name()
	if m.view == viewBoard {
		where = repo
	}
	short := widget.Line{{Text: " "}}.Add(st.Accent, where)
	tiny := short
	if note := widget.Clean(s.Agents); note != "" {
		full, mid, long = full.Add(st.Attention, " · "+note), mid.Add(st.Attention, " · "+note), long.Add(st.Attention, " · "+note)
		short = short.Add(st.Attention, " · "+note)
		tiny = widget.Line{}.Add(st.Attention, " "+note)
	}
	mode := m.modeSpan()
	rich := widget.Line{mode}.Add(st.Muted, m.countdown(now, true)+m.slots(true)+m.money(true)+" ")
	brief := widget.Line{mode}.Add(st.Muted, m.countdown(now, false)+m.slots(false)+m.money(false)+" ")
	least := widget.Line{mode}.Add(st.Muted, m.countdown(now, false)+" ")
	return m.fits(
		[2]widget.Line{full, rich}, [2]widget.Line{mid, rich}, [2]widget.Line{full, brief}, [2]widget.Line{mid, brief},
		[2]widget.Line{long, brief}, [2]widget.Line{short, brief}, [2]widget.Line{tiny, brief},
		[2]widget.Line{short, least}, [2]widget.Line{tiny, least}, [2]widget.Line{tiny, {mode}}, [2]widget.Line{tiny, nil},
	)
}

func (m *Model) milestones() string {
	out := make([]string, 0, len(m.snap.Milestones))
	for _, ms := range m.snap.Milestones {
		out = append(out, widget.Clean(ms))
	}
	return strings.Join(out, " ")
}

func (m *Model) modeSpan() widget.Span {
	st := m.styles
	if m.lost {
		return widget.Span{Ink: st.Danger, Text: st.Signs.Failed + " no contact"}
	}
	switch m.snap.Mode {
	case state.ModeRunning:
		return widget.Span{Ink: st.Alive, Text: st.Signs.Alive + " running"}
	case state.ModePaused:
		return widget.Span{Ink: st.Warn, Text: st.Signs.Held + " paused"}
	case state.ModeDraining:
		return widget.Span{Ink: st.Warn, Text: st.Signs.Starting + " draining"}
	case state.ModeAborting:
		return widget.Span{Ink: st.Danger, Text: st.Signs.Starting + " aborting"}
	case state.ModeStopped:
		return widget.Span{Ink: st.Warn, Text: st.Signs.Stale + " stopped"}
	}
	return widget.Span{Ink: st.Muted, Text: widget.Clean(string(m.snap.Mode))}
}

// countdown says when the next firing is, or which step one is in.
func (m *Model) countdown(now time.Time, long bool) string {
	s := m.snap
	switch {
	case s.Mode == state.ModeStopped || m.lost:
		return ""
	case s.Reading != nil && long && now.Sub(s.StepSince) > state.Moment:
		return " · " + widget.Clean(s.Reading.String())
	case s.Step != "" && now.Sub(s.StepSince) > time.Second:
		return " · " + widget.Clean(s.Step)
	case s.Step != "" && long:
		return " · poll now"
	case s.NextFiring.IsZero(), overdue(s, now):
		return ""
	case m.opts.Look.Slow:
		return " · poll at " + s.NextFiring.In(now.Location()).Format("15:04")
	case !long && s.NextFiring.Sub(now) < time.Second:
		return " · now "
	case s.NextFiring.Sub(now) < time.Second: // also so that a loop with firings this close does not flicker
		return " · poll now"
	case long:
		return " · poll in " + widget.Clock(s.NextFiring.Sub(now))
	}
	return " · " + widget.Clock(s.NextFiring.Sub(now))
}

func (m *Model) slots(long bool) string {
	sl := m.snap.Slots
	out := fmt.Sprintf(" · dev %d/%d", sl.Developers, sl.MaxDevelopers)
	sep := " "
	if long {
		sep = " · "
	}
	out += fmt.Sprintf("%srev %d/%d", sep, sl.Reviewers, sl.MaxReviewers)
	if long && sl.MaxCleaners > 0 {
		out += fmt.Sprintf("%sclean %d/%d", sep, sl.Cleaners, sl.MaxCleaners)
	}
	return out
}

func (m *Model) money(long bool) string {
	out := " · " + widget.Money(m.snap.CostToday)
	if long && m.snap.CostCap > 0 {
		return out + " of " + strings.TrimSuffix(widget.Money(m.snap.CostCap), ".00")
	}
	return out
}

// attentionLine is always the second line: what needs the owner, or that
// nothing does. No filter touches it.
func (m *Model) attentionLine(now time.Time) string {
	st := m.styles
	if t := m.trouble(now); t.text != "" {
		return m.troubleLine(t)
	}
	if m.snap == nil {
		return widget.Line{}.Add(st.Muted, " "+st.Signs.Dot+" waiting for the loop").Render(m.w, false, st)
	}
	if m.snap.PolledAt.IsZero() && len(m.snap.Rows) == 0 {
		return widget.Line{}.Add(st.Muted, " "+st.Signs.Dot+" the board is being read for the first time").Render(m.w, false, st)
	}
	if len(m.snap.Needs) == 0 {
		return widget.Line{}.Add(st.Muted, " nothing needs you · "+m.nextUp()).Render(m.w, false, st)
	}
	count := widget.Line{}.Add(st.Attention, " "+st.Signs.Attention+" "+widget.Count(len(m.snap.Needs), "needs you", "need you"))
	full := count.Add(st.Text, "   "+present.Needs(m.snap.Needs, now))
	next, all := m.keys.Key(keymap.NextNeed), m.keys.Key(keymap.Needs)
	keys := widget.Line{}.Add(st.Key, next).Add(st.Muted, " next  ").Add(st.Key, all).Add(st.Muted, " all ")
	if m.w >= layout.SplitFrom {
		from, y := m.w-keys.Width(), m.frame.Attention.Y
		mid := from + widget.Width(next+" next ")
		m.spots = append(m.spots, spot{y, from, mid, keymap.NextNeed}, spot{y, mid, m.w, keymap.Needs})
	}
	if m.w < layout.SplitFrom {
		keys = nil
	}
	return m.fits([2]widget.Line{full, keys})
}

func (m *Model) needsCount() widget.Line {
	if m.snap == nil || len(m.snap.Needs) == 0 {
		return nil
	}
	return widget.Line{}.Add(m.styles.Attention, m.styles.Signs.Attention+" "+widget.Count(len(m.snap.Needs), "needs you", "need you")+" ")
}

// nextUp says what happens next when nothing needs the owner.
func (m *Model) nextUp() string {
	s := m.snap
	next := present.NextInLine(s)
	switch {
	case s.Mode == state.ModePaused:
		return "the loop is paused; p resumes"
	case next != "" && s.Slots.MaxDevelopers > 0 && s.Slots.Developers >= s.Slots.MaxDevelopers:
		return "next: " + next + " when a developer is free"
	case next != "":
		return "next: " + next
	case present.Live(s) > 0:
		return widget.Count(present.Live(s), "worker runs", "workers run") + ", nothing waits in line"
	}
	if n := m.inBacklog(); n > 0 {
		return "nothing is ready; " + widget.Count(n, "issue waits", "issues wait") + " in Backlog for your word"
	}
	return "nothing is left to do"
}

// inBacklog counts what its owner has not made ready.
func (m *Model) inBacklog() int {
	n := 0
	for i := range m.snap.Rows {
		if m.snap.Rows[i].Issue.Role == board.RoleBacklog {
			n++
		}
	}
	return n
}
