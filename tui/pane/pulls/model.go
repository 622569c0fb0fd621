package pulls

import (
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/query"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// KeyMap are the keys of the view besides the global ones.
type KeyMap struct {
	widget.ListKeys
}

// FullHelp lists every key.
func (k KeyMap) FullHelp() []key.Binding { return k.All() }

// Model is the view.
type Model struct {
	st   *themes.Styles
	keys KeyMap
	snap *state.Snapshot
	body layout.Rect
	name string // selected
	win  widget.Window
	// find is what is searched for; shown are the places of what matches among
	// the snapshot's.
	find  string
	query query.Query
	shown []int
}

// New answers an empty view.
func New(st *themes.Styles) *Model { return &Model{st: st, keys: KeyMap{widget.NewListKeys()}} }

// Keys is the view's key map.
func (m *Model) Keys() KeyMap { return m.keys }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, _ layout.Shape) { m.body = body; m.clamp() }

// SetSnapshot takes a new picture; the selection stays with its pull request.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	m.choose()
}

// choose finds anew what is shown, and the selected one in it.
func (m *Model) choose() {
	m.shown = m.shown[:0]
	if m.snap == nil {
		return
	}
	for i := range m.snap.Pulls {
		p := &m.snap.Pulls[i]
		row := present.RowOf(m.snap, p.Ref)
		if !m.query.MatchPull(p, row, present.WorkerOf(m.snap, row)) {
			continue
		}
		if p.PR.Name == m.name {
			m.win.Sel = len(m.shown)
		}
		m.shown = append(m.shown, i)
	}
	m.clamp()
}

// Find keeps what matches; the empty text keeps all.
func (m *Model) Find(text string) tea.Cmd {
	m.find, m.query = text, query.Parse(text)
	m.choose()
	return nil
}

// Found says how many match, of how many.
func (m *Model) Found() (shown, total int) {
	if m.snap == nil {
		return 0, 0
	}
	return len(m.shown), len(m.snap.Pulls)
}

func (m *Model) rows() int {
	_, ih := widget.Inner(m.body.W, m.body.H)
	return max(ih-1, 1)
}

func (m *Model) clamp() {
	if m.snap == nil {
		return
	}
	m.win.Clamp(len(m.shown), m.rows())
	if p := m.Selected(); p != nil {
		m.name = p.PR.Name
	}
}

// Selected is the chosen pull request, nil without one.
func (m *Model) Selected() *state.Pull {
	return m.at(m.win.Sel)
}

// at is the one on a line of the list, nil beside it.
func (m *Model) at(line int) *state.Pull {
	if m.snap == nil || line < 0 || line >= len(m.shown) {
		return nil
	}
	return &m.snap.Pulls[m.shown[line]]
}

// Update moves the selection.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		m.Move(m.keys.Match(press))
	}
	return nil
}

// Move carries a move out.
func (m *Model) Move(mv widget.Move) {
	if m.snap == nil {
		return
	}
	m.win.Apply(mv, len(m.shown), m.rows())
	m.clamp()
}

// column is one column of the table. Columns with a higher keep stay longer
// when the room shrinks; width 0 takes what is left.
type column struct {
	title string
	width int
	keep  int
	cell  func(p *state.Pull, now time.Time) (string, themes.Tone)
}

func (m *Model) columns() []column {
	plain := func(f func(p *state.Pull) string) func(*state.Pull, time.Time) (string, themes.Tone) {
		return func(p *state.Pull, _ time.Time) (string, themes.Tone) { return f(p), themes.TonePlain }
	}
	return []column{
		{"#", 6, 10, plain(func(p *state.Pull) string { return widget.Clean(p.PR.Name) })},
		{"issue", 9, 9, plain(func(p *state.Pull) string { return widget.Clean(string(p.Ref)) })},
		{"title", 0, 8, plain(func(p *state.Pull) string { return widget.Clean(p.PR.Title) })},
		{"branch", 30, 1, func(p *state.Pull, _ time.Time) (string, themes.Tone) {
			return widget.Clean(p.PR.Head), themes.ToneMuted
		}},
		{"state", 8, 3, func(p *state.Pull, _ time.Time) (string, themes.Tone) { return stateWord(&p.PR) }},
		{"checks", m.checksWidth(), 7, func(p *state.Pull, _ time.Time) (string, themes.Tone) {
			return present.ChecksInFull(&p.PR, &m.st.Signs)
		}},
		{"merge", 12, 6, func(p *state.Pull, _ time.Time) (string, themes.Tone) {
			one := p.PR
			one.Behind = 0
			return present.Merge(&one)
		}},
		{"behind", 8, 4, func(p *state.Pull, _ time.Time) (string, themes.Tone) {
			return present.Behind(&p.PR, &m.st.Signs)
		}},
		{"review", 24, 2, func(p *state.Pull, _ time.Time) (string, themes.Tone) { return present.Review(m.snap, p, &m.st.Signs) }},
		{"age", 5, 5, func(p *state.Pull, now time.Time) (string, themes.Tone) {
			return widget.Since(p.PR.CreatedAt, now), themes.ToneMuted
		}},
	}
}

// checksWidth is the room for how checks stand: more where a row has to say why
// nobody knows.
func (m *Model) checksWidth() int {
	for i := range m.shown {
		if m.at(i).PR.ChecksWhy != "" {
			return 26
		}
	}
	return 12
}

func stateWord(p *board.PullRequest) (string, themes.Tone) {
	switch {
	case p.Draft:
		return "draft", themes.ToneMuted
	case p.State == board.PullMerged:
		return "merged", themes.ToneGood
	case p.State == board.PullClosed:
		return "closed", themes.ToneMuted
	case p.State == board.PullOpen:
		return "open", themes.TonePlain
	}
	return widget.Clean(string(p.State)), themes.TonePlain
}

// fitColumns leaves out columns until the rest fits w cells, and gives what is
// left to the one that takes it.
func fitColumns(cols []column, w int) []column {
	const flexMin = 16
	for {
		need, worst := 0, -1
		for i, c := range cols {
			if c.width == 0 {
				need += flexMin
			}
			need += c.width
			if worst < 0 || c.keep < cols[worst].keep {
				worst = i
			}
		}
		if need <= w || len(cols) == 1 {
			for i := range cols {
				if cols[i].width == 0 {
					cols[i].width = flexMin + w - need
				}
			}
			return cols
		}
		cols = append(cols[:worst:worst], cols[worst+1:]...)
	}
}

// View draws the whole body.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	iw, ih := widget.Inner(m.body.W, m.body.H)
	n, total := m.Found()
	box := widget.Box{Title: "Pull requests " + widget.Thousands(total), Focus: true}
	if n == 0 {
		none := " no open pull requests"
		if total > 0 {
			none = " nothing matches `" + widget.Clean(m.find) + "`; esc shows all " + widget.Thousands(total)
		}
		line := widget.Line{}.Add(m.st.Muted, none).Render(iw, false, m.st)
		return box.Render([]string{line}, m.body.W, m.body.H, m.st)
	}
	if n > m.rows() {
		box.Note = fmt.Sprintf("%d of %d", m.win.Sel+1, n)
	}
	cols := fitColumns(m.columns(), iw-2)
	var head widget.Line
	head = head.Add(m.st.Muted, " ")
	for _, c := range cols {
		head = head.Add(m.st.Muted, widget.Fit(c.title, c.width-1)+" ")
	}
	lines := []string{head.Render(iw, false, m.st)}
	for i := m.win.Top; i < n && len(lines) < ih; i++ {
		lines = append(lines, m.row(m.at(i), cols, iw, i == m.win.Sel, now))
	}
	return box.Render(lines, m.body.W, m.body.H, m.st)
}

func (m *Model) row(p *state.Pull, cols []column, iw int, chosen bool, now time.Time) string {
	bar := widget.Span{Text: " "}
	if chosen {
		bar = widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	}
	line := widget.Line{bar}
	for _, c := range cols {
		text, tone := c.cell(p, now)
		ink := m.st.Tone(tone)
		if chosen && c.title == "title" {
			ink = m.st.Strong
		}
		line = line.Add(ink, widget.Fit(text, c.width-1)+" ")
	}
	return line.Render(iw, chosen, m.st)
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	y = 2 + m.win.Sel - m.win.Top
	return 1, y, m.Selected() != nil && m.body.W >= 4 && y < m.body.H-1
}
