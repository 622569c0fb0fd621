package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/query"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// help is the list of keys over the screen, with a find of its own.
type help struct {
	top    int
	find   *widget.Field
	typing bool
}

func (m *Model) openHelp() {
	m.under = m.mode
	if m.under != modeAnswer {
		m.under = modeBrowse
	}
	m.mode, m.help = modeHelp, help{find: widget.NewField(false)}
}

// helpGroups is the table with what this view is mainly for first.
func (m *Model) helpGroups() []keymap.Section {
	here := keymap.Section{Title: m.view.name()}
	for _, a := range m.offered() {
		here.Entries = append(here.Entries, m.keys.Entry(a))
	}
	return append([]keymap.Section{here}, m.keys.Sections()...)
}

func (m *Model) helpLines(w int) []string {
	st := m.styles
	var out []string
	want := ""
	if m.help.find != nil {
		want = strings.ToLower(strings.TrimSpace(m.help.find.Value()))
	}
	for _, g := range m.helpGroups() {
		head := len(out)
		for _, e := range g.Entries {
			keys := m.keys.KeysOf(e)
			if want != "" && !query.Fuzzy(e.Does, want) && !strings.Contains(strings.ToLower(keys), want) {
				continue
			}
			for j, l := range widget.Wrap(e.Does, max(w-20, 8)) {
				name := ""
				if j == 0 {
					name = keys
				}
				line := widget.Line{}.Add(st.Key, "  "+widget.Fit(name, 16)+" ").Add(st.Text, l)
				out = append(out, line.Render(w, false, st))
			}
		}
		if len(out) == head {
			continue
		}
		title := widget.Line{}.Add(st.Title, " "+g.Title).Render(w, false, st)
		top := []string{title}
		if head > 0 {
			top = append(widget.Blank(w, 1), title)
		}
		out = append(out[:head:head], append(top, out[head:]...)...)
	}
	if len(out) == 0 {
		out = append(out, widget.Line{}.Add(st.Muted, " no key does that; esc shows all").Render(w, false, st))
	}
	return out
}

func (m *Model) helpSize() (w, h int) {
	w = min(m.w, 76)
	if m.frame.Shape != layout.ShapeSingle {
		w = min(max(m.w-4, 1), 76)
	}
	return w, min(m.stage().H, 44)
}

func (m *Model) keyHelp(msg tea.KeyPressMsg) {
	name := keymap.Name(msg.Key(), m.opts.Look.Keyboard)
	a := m.keys.Action(keymap.Browsing, name)
	switch {
	case m.help.typing:
		m.typeHelp(msg)
	case a == keymap.Find:
		m.help.typing = true
	case a == keymap.Back && m.help.find.Value() != "":
		m.help.find.SetValue("")
	case a == keymap.Help, a == keymap.Leave, a == keymap.Back:
		m.mode = m.under
	default:
		m.scrollHelp(pane.MoveOf(a))
	}
}

func (m *Model) typeHelp(msg tea.KeyPressMsg) {
	switch a := m.keys.Action(keymap.Typing, msg.String()); {
	case a == keymap.Send:
		m.help.typing = false
	case a == keymap.Keep:
		m.help.typing = false
		m.help.find.SetValue("")
	case msg.String() == "up":
		m.scrollHelp(widget.MoveUp)
	case msg.String() == "down":
		m.scrollHelp(widget.MoveDown)
	default:
		m.help.find.Update(msg)
		m.help.top = 0
	}
}

func (m *Model) scrollHelp(mv widget.Move) {
	w, h := m.helpSize()
	iw, ih := widget.Inner(w, h)
	n := len(m.helpLines(iw))
	m.help.top = max(0, min(m.help.top+mv.Step(n, ih), n-ih))
}

func (m *Model) viewHelp(lines []string) []string {
	w, h := m.helpSize()
	iw, ih := widget.Inner(w, h)
	text := m.helpLines(iw)
	box := widget.Box{Title: "Keys", Foot: "/ find · esc closes", Focus: true}
	if q := m.help.find.Value(); q != "" || m.help.typing {
		box.Title = "Keys / " + widget.Clean(q)
		if m.help.typing {
			box.Title += "_"
		}
	}
	if len(text) > ih {
		box.Note = strings.TrimSpace(widget.Thousands(min(m.help.top+ih, len(text))) + " of " + widget.Thousands(len(text)))
	}
	top := max(0, min(m.help.top, len(text)-ih))
	return m.overlay(lines, box.Render(text[top:min(top+ih, len(text))], w, h, m.styles))
}
