package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	boardpane "github.com/backside4charter/dispatcher/tui/pane/board"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Groups lists every key of the control room under headings, as help and
// docs/keys.md show them.
func Groups() []keymap.Group {
	g, bk := keymap.NewGlobal(), boardpane.NewKeyMap()
	move := widget.NewListKeys().All()
	return append([]keymap.Group{{Title: "Moving", Bindings: append([]key.Binding{bk.Left, bk.Right}, move...)}}, append(g.Groups(),
		keymap.Group{Title: "In a field", Bindings: keymap.NewField().Bindings()},
		keymap.Group{Title: "In a menu", Bindings: keymap.NewMenu().Bindings()})...)
}

// helpGroups is Groups with what the view is mainly for first.
func (m *Model) helpGroups() []keymap.Group {
	k := &m.keys
	var here []key.Binding
	switch m.view {
	case viewBoard:
		here = []key.Binding{k.Open, k.Find, k.NextMatch, k.PrevMatch, k.Layout, k.Transcript, k.Answer, k.Next}
	case viewWorkers:
		here = []key.Binding{k.Open, k.Follow, k.NextPiece, k.PrevPiece, k.NextError, k.Next}
	case viewNeeds:
		here = []key.Binding{k.Answer, k.Open, k.Transcript, k.NextNeed}
	case viewPulls:
		here = []key.Binding{k.Open, k.Transcript}
	case viewLog:
		here = []key.Binding{k.Open, k.Follow, k.NextPiece, k.PrevPiece, k.NextError}
	case viewIssue:
		here = []key.Binding{k.NextPiece, k.PrevPiece, k.Answer, k.Transcript, k.Back}
	}
	return append([]keymap.Group{{Title: m.view.name(), Bindings: here}}, Groups()...)
}

func (m *Model) helpLines(w int) []string {
	st := m.styles
	var out []string
	for i, g := range m.helpGroups() {
		if i > 0 {
			out = append(out, widget.Blank(w, 1)...)
		}
		out = append(out, widget.Line{}.Add(st.Title, " "+g.Title).Render(w, false, st))
		for _, b := range g.Bindings {
			for j, l := range widget.Wrap(b.Help().Desc, max(w-16, 8)) {
				name := ""
				if j == 0 {
					name = b.Help().Key
				}
				line := widget.Line{}.Add(st.Key, "  "+widget.Fit(name, 12)+" ").Add(st.Text, l)
				out = append(out, line.Render(w, false, st))
			}
		}
	}
	return out
}

func (m *Model) helpSize() (w, h int) {
	w = min(m.w, 72)
	if m.frame.Shape != layout.ShapeSingle {
		w = min(max(m.w-4, 1), 72)
	}
	return w, max(min(m.h-2, 44), min(m.h, 3))
}

func (m *Model) keyHelp(msg tea.KeyPressMsg) {
	w, h := m.helpSize()
	iw, ih := widget.Inner(w, h)
	n := len(m.helpLines(iw))
	switch {
	case key.Matches(msg, m.keys.Help), key.Matches(msg, m.keys.Leave), key.Matches(msg, m.keys.Back):
		m.mode = modeBrowse
	default:
		top := m.help.Top + widget.NewListKeys().Match(msg).Step(n, ih)
		m.help.Top = max(0, min(top, n-ih))
	}
}

func (m *Model) viewHelp(lines []string) []string {
	w, h := m.helpSize()
	iw, ih := widget.Inner(w, h)
	text := m.helpLines(iw)
	box := widget.Box{Title: "Keys", Foot: "esc closes", Focus: true}
	if len(text) > ih {
		box.Note = strings.TrimSpace(widget.Thousands(min(m.help.Top+ih, len(text))) + " of " + widget.Thousands(len(text)))
	}
	top := max(0, min(m.help.Top, len(text)-ih))
	return overlay(lines, box.Render(text[top:min(top+ih, len(text))], w, h, m.styles), m.w, m.h)
}
