package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
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
	if m.view == viewBoard && m.filter != "" {
		shown, total := m.board.Matches()
		long = long.Add(st.Warn, fmt.Sprintf(" · %s · %d of %d", widget.Clean(m.filter), shown, total))
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
	case s.Step != "" && now.Sub(s.StepSince) > time.Second:
		return " · " + widget.Clean(s.Step)
	case s.Step != "" && long:
		return " · poll now"
	case s.NextFiring.IsZero():
		return ""
	case !long && !s.NextFiring.After(now):
		return " · now "
	case !s.NextFiring.After(now):
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
	if text, tone := m.trouble(now); text != "" {
		return m.fits([2]widget.Line{widget.Line{{Text: " "}}.Add(st.Tone(tone), text), m.needsCount()}, [2]widget.Line{widget.Line{{Text: " "}}.Add(st.Tone(tone), text), nil})
	}
	if m.snap == nil {
		return widget.Line{}.Add(st.Muted, " "+st.Signs.Dot+" waiting for the loop").Render(m.w, false, st)
	}
	if len(m.snap.Needs) == 0 {
		return widget.Line{}.Add(st.Muted, " nothing needs you · "+m.nextUp()).Render(m.w, false, st)
	}
	count := widget.Line{}.Add(st.Attention, " "+st.Signs.Attention+" "+widget.Count(len(m.snap.Needs), "needs you", "need you"))
	full := count.Add(st.Text, "   "+present.Needs(m.snap.Needs, now))
	keys := widget.Line{}.Add(st.Key, "!").Add(st.Muted, " next  ").Add(st.Key, "3").Add(st.Muted, " all ")
	return m.fits([2]widget.Line{full, keys}, [2]widget.Line{full, nil})
}

func (m *Model) needsCount() widget.Line {
	if m.snap == nil || len(m.snap.Needs) == 0 {
		return nil
	}
	return widget.Line{}.Add(m.styles.Attention, m.styles.Signs.Attention+" "+widget.Count(len(m.snap.Needs), "needs you", "need you")+" ")
}

// trouble is what stands on the second line before all else: no contact, an
// end that is under way, a board that cannot be read, a silent loop.
func (m *Model) trouble(now time.Time) (string, themes.Tone) {
	s := m.snap
	if m.lost {
		seen := ""
		if s != nil {
			seen = ", last seen " + s.At.In(now.Location()).Format("15:04:05")
		}
		return "no contact with the loop" + seen + "; workers go on; q leaves", themes.ToneDanger
	}
	if s == nil {
		return "", 0
	}
	live := widget.Count(present.Live(s), "worker", "workers")
	switch {
	case s.Mode == state.ModeStopped && m.leaving == "":
		return "the loop has ended; q leaves", themes.ToneWarn
	case s.Mode == state.ModeDraining && m.leaving != "":
		return "draining: " + live + " to go; the room closes when they are done · q other ways out", themes.ToneWarn
	case s.Mode == state.ModeDraining:
		return "draining: " + live + " to go, nothing new starts", themes.ToneWarn
	case s.Mode == state.ModeAborting:
		return "stopping workers and restoring rows: " + live + " to go", themes.ToneDanger
	case m.leaving != "":
		return "leaving: the loop hands over; q again leaves at once", themes.ToneWarn
	case s.PollError != "":
		text := m.styles.Signs.Failed + " " + widget.Clean(s.PollError)
		if !s.PolledAt.IsZero() {
			text += " · rows as of " + s.PolledAt.In(now.Location()).Format("15:04")
		}
		if !s.NextFiring.IsZero() {
			text += " · next try in " + widget.Clock(s.NextFiring.Sub(now))
		}
		return text, themes.ToneDanger
	case s.Step != "" && !s.StepSince.IsZero() && now.Sub(s.StepSince) > 10*time.Second:
		return fmt.Sprintf("firing %d is in %s for %s", s.Firing, widget.Clean(s.Step), widget.Clock(now.Sub(s.StepSince))), themes.ToneWarn
	}
	return "", 0
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
	return "nothing is left to do"
}

// subjectLine names what the keys act on, or says what just happened.
func (m *Model) subjectLine(now time.Time) string {
	st := m.styles
	switch {
	case m.mode == modeFind:
		shown, total := m.board.Matches()
		left := widget.Line{}.Add(st.Key, " / ").Add(st.Text, m.findText())
		return widget.Sides(left, widget.Line{}.Add(st.Muted, fmt.Sprintf("%d of %d ", shown, total)), m.w, false, st)
	case m.mode == modeGoto:
		return widget.Line{}.Add(st.Key, " g ").Add(st.Text, "b board · w workers · n needs you · p pull requests · l log · g first").Render(m.w, false, st)
	case m.toast.text != "":
		return widget.Line{{Text: " "}}.Add(st.Tone(m.toast.tone), m.toast.text).Render(m.w, false, st)
	}
	if n := m.notice(); n != nil {
		text := st.Signs.Attention + " "
		if n.Ref != "" && !strings.HasPrefix(n.Text, string(n.Ref)) {
			text += widget.Clean(string(n.Ref)) + ": "
		}
		text += widget.Clean(n.Text)
		return widget.Line{{Text: " "}}.Add(st.Danger, text).Render(m.w, false, st)
	}
	left := widget.Line{{Text: " "}}.Add(st.Strong, m.subjectText(now))
	var right widget.Line
	if m.view == viewBoard && !m.stripFocus() {
		right = m.foldedLine()
	}
	if left.Width()+right.Width()+2 > m.w && m.w < 100 {
		right = nil
	}
	return widget.Sides(left, right, m.w, false, st)
}

func (m *Model) findText() string {
	lines := m.find.View(m.styles)
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimRight(lines[0], " ")
}

func (m *Model) foldedLine() widget.Line {
	left, right := m.board.Folded()
	st := m.styles
	var out widget.Line
	if left != "" {
		out = out.Add(st.Muted, st.Signs.Left+" "+left)
	}
	if right != "" {
		if left != "" {
			out = out.Add(st.Muted, " · ")
		}
		out = out.Add(st.Muted, right+" "+st.Signs.Right)
	}
	return out.Add(st.Muted, " ")
}

func (m *Model) subjectText(now time.Time) string {
	if m.snap == nil {
		return ""
	}
	if m.view == viewLog {
		if e := m.log.Selected(); e != nil {
			return strings.TrimSpace(widget.Clean(string(e.Ref)) + " " + widget.Clean(e.Text))
		}
	}
	ref := m.subject()
	if ref == "" {
		return map[view]string{viewBoard: "no issue is selected", viewWorkers: "no worker", viewNeeds: "nothing needs you", viewPulls: "no pull request"}[m.view]
	}
	row := present.RowOf(m.snap, ref)
	if row == nil {
		return widget.Clean(string(ref))
	}
	s := present.Describe(row, present.WorkerOf(m.snap, row), present.PullOf(m.snap, ref), now, &m.styles.Signs)
	name := widget.Clean(string(ref))
	parts := []string{name + " " + widget.Clean(row.Issue.Title)}
	if m.w >= 100 {
		parts = append(parts, row.Issue.Role.DefaultName())
		if row.Issue.Milestone != "" {
			parts = append(parts, widget.Clean(row.Issue.Milestone))
		}
		if b := issue.Boxes(row.Issue.Body); b != "" {
			parts = append(parts, b)
		}
	} else {
		parts = []string{name}
	}
	return strings.Join(append(parts, s.Text), " · ")
}

// hintLine lists what the keys can do now, the most useful first.
func (m *Model) hintLine() string {
	st := m.styles
	line := widget.Line{{Text: " "}}
	hints := m.hints()
	width := func(b key.Binding) int { return widget.Width(b.Help().Key) + widget.Width(b.Help().Desc) + 3 }
	last := hints[len(hints)-1]
	room := m.w - 1 - width(last)
	for _, b := range hints[:len(hints)-1] {
		if n := width(b); n <= room {
			room -= n
			line = line.Add(st.Key, b.Help().Key).Add(st.Muted, " "+b.Help().Desc+"  ")
		}
	}
	line = line.Add(st.Key, last.Help().Key).Add(st.Muted, " "+last.Help().Desc)
	return widget.Sides(line, nil, m.w, false, st)
}

func (m *Model) hints() []key.Binding {
	k := &m.keys
	switch m.mode {
	case modeAnswer:
		return m.typing.Bindings()
	case modeFind:
		return []key.Binding{hint(k.Open, "keep"), hint(k.Back, "show all"), hint(m.menuKeys.Down, "next")}
	case modeGoto:
		return []key.Binding{k.Back}
	case modeMenu:
		k := &m.menuKeys
		if m.menu.sure {
			return []key.Binding{hint(k.Yes, "yes"), hint(k.No, "no")}
		}
		return []key.Binding{k.Choose, k.Up, k.Down, k.Cancel}
	case modeHelp:
		return []key.Binding{k.Back, m.menuKeys.Up, m.menuKeys.Down}
	case modeBrowse:
	}
	var out []key.Binding
	ref := m.subject()
	need := present.NeedOf(m.snap, ref)
	if m.view != viewIssue {
		out = append(out, k.Open)
	}
	if need != nil && (need.Kind == state.NeedQuestion || need.Kind == state.NeedAttention) {
		out = append(out, k.Answer)
	}
	if m.view != viewWorkers && present.LastWorker(m.snap, ref) != nil {
		out = append(out, k.Transcript)
	}
	if w := present.LastWorker(m.snap, ref); w != nil && w.Outcome == "" && w.Run.Alive() {
		out = append(out, hint(k.Stop, "stop"))
	}
	out = append(out, m.viewHints()...)
	if m.view != viewBoard {
		out = append(out, k.Back)
	}
	pause := hint(k.Pause, "pause")
	if m.snap != nil && m.snap.Mode == state.ModePaused {
		pause = hint(k.Pause, "resume")
	}
	return append(out, pause, k.Fire, k.Leave, hint(keyViews, "views"), hint(k.Help, "help"))
}

func (m *Model) viewHints() []key.Binding {
	k := &m.keys
	switch m.view {
	case viewBoard:
		out := []key.Binding{k.Find}
		if m.filter != "" {
			out = append(out, k.NextMatch, hint(k.Back, "show all"))
		}
		if !m.place.Strip.Empty() {
			out = append(out, k.Next)
		}
		return out
	case viewWorkers:
		return []key.Binding{k.Follow, hint(k.NextPiece, "next call"), k.NextError}
	case viewLog:
		return []key.Binding{k.Follow, hint(k.NextPiece, "next firing"), k.NextError}
	case viewIssue:
		return []key.Binding{hint(k.NextPiece, "next comment")}
	case viewNeeds:
		return []key.Binding{k.NextNeed}
	case viewPulls:
	}
	return nil
}

// keyViews stands for the five view keys in the hint line.
var keyViews = key.NewBinding(key.WithKeys("1"), key.WithHelp("1-5", "views"))

// hint is a binding with a shorter word.
func hint(b key.Binding, desc string) key.Binding {
	b.SetHelp(b.Help().Key, desc)
	return b
}
