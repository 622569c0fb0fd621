package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

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
	return append(out, k.Leave, pause, k.Fire, hint(keyViews, "views"), hint(k.Help, "help"))
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
