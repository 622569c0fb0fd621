package issue

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// KeyMap are the keys of the page besides the global ones.
type KeyMap struct {
	widget.ListKeys
}

// FullHelp lists every key.
func (k KeyMap) FullHelp() []key.Binding { return k.All() }

// Model is the issue page.
type Model struct {
	st   *themes.Styles
	keys KeyMap
	snap *state.Snapshot
	ref  board.Ref
	body layout.Rect
	wide bool
	top  int

	text     []string // laid out, for textKey
	comments []int    // lines at which comments begin
	textKey  textKey
}

// textKey is what the laid out text depends on.
type textKey struct {
	ref     board.Ref
	version uint64
	w       int
	minute  int64
	theme   string
}

// New answers an empty page.
func New(st *themes.Styles) *Model {
	return &Model{st: st, keys: KeyMap{widget.NewListKeys()}}
}

// Keys is the page's key map.
func (m *Model) Keys() KeyMap { return m.keys }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the page stands.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	m.body, m.wide = body, shape == layout.ShapeColumns
}

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) { m.snap = s }

// OpenRef shows an issue from its start.
func (m *Model) OpenRef(ref board.Ref) { m.ref, m.top = ref, 0 }

// Ref is the issue on the page.
func (m *Model) Ref() board.Ref { return m.ref }

// Update scrolls.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		m.Move(m.keys.Match(press))
	}
	return nil
}

// Move scrolls the text.
func (m *Model) Move(mv widget.Move) {
	_, h := m.room()
	m.top += mv.Step(len(m.text), h)
	m.clamp()
}

// Piece goes to the next comment (by 1) or the one before (by -1); it reports
// whether there is one.
func (m *Model) Piece(by int) bool {
	for i := range m.comments {
		at := m.comments[i]
		if by < 0 {
			at = m.comments[len(m.comments)-1-i]
		}
		if (by > 0 && at > m.top) || (by < 0 && at < m.top) {
			m.top = at
			m.clamp()
			return true
		}
	}
	return false
}

func (m *Model) clamp() {
	_, h := m.room()
	m.top = max(0, min(m.top, len(m.text)-h))
}

// sideWidth is the width of the facts beside the text.
func (m *Model) sideWidth() int {
	if !m.wide {
		return 0
	}
	return min(max(m.body.W/3, 40), 64)
}

// room is the size of the scrolling text.
func (m *Model) room() (w, h int) {
	iw, ih := widget.Inner(m.body.W-m.sideWidth(), m.body.H)
	return max(iw-2, 0), ih
}

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	row := present.RowOf(m.snap, m.ref)
	if row == nil {
		iw, _ := widget.Inner(m.body.W, m.body.H)
		gone := widget.Line{}.Add(m.st.Muted, " "+widget.Clean(string(m.ref))+" is not on the board any more; esc goes back").Render(iw, false, m.st)
		return widget.Box{Title: "Issue", Focus: true}.Render([]string{gone}, m.body.W, m.body.H, m.st)
	}
	m.layText(row, now)
	side := m.sideWidth()
	main := m.viewText(row, m.body.W-side)
	if side == 0 {
		return main
	}
	return widget.Beside(main, m.viewSide(row, side, now))
}

func (m *Model) viewText(row *state.Row, w int) []string {
	iw, ih := widget.Inner(w, m.body.H)
	m.clamp()
	lines := make([]string, 0, ih)
	for i := m.top; i < len(m.text) && len(lines) < ih; i++ {
		lines = append(lines, widget.Pad(m.text[i], 1, iw))
	}
	box := widget.Box{Title: widget.Clean(string(row.Issue.Ref) + " " + row.Issue.Title), Focus: true}
	if n := len(m.text); n > ih {
		box.Foot = fmt.Sprintf("%d of %d lines", min(m.top+ih, n), n)
	}
	return box.Render(lines, w, m.body.H, m.st)
}

// layText lays the scrolling text out if anything in it has changed.
func (m *Model) layText(row *state.Row, now time.Time) {
	w, _ := m.room()
	k := textKey{m.ref, m.snap.Version, w, now.Unix() / 60, m.st.Name}
	if k == m.textKey && m.text != nil {
		return
	}
	m.textKey, m.comments = k, nil
	m.text = nil
	if !m.wide {
		m.text = append(m.text, m.lead(row, w, now)...)
		m.text = append(m.text, widget.Divider("Description", w, m.st))
	}
	if asked := Asked(m.snap, row, w, m.st); len(asked) > 0 {
		m.text = append(m.text, asked...)
		m.text = append(m.text, widget.Blank(w, 1)...)
	}
	m.text = append(m.text, description(&row.Issue, w, m.st)...)
	m.text = append(m.text, widget.Blank(w, 1)...)
	m.text = append(m.text, widget.Divider("Comments "+fmt.Sprint(len(row.Issue.Comments)), w, m.st))
	for i := range row.Issue.Comments {
		m.comments = append(m.comments, len(m.text))
		m.text = append(m.text, comment(&row.Issue.Comments[i], w, now, m.st)...)
	}
	if !m.wide {
		m.text = append(m.text, widget.Divider("Facts", w, m.st))
		m.text = append(m.text, m.facts(row, w, now)...)
		m.text = append(m.text, widget.Divider("History", w, m.st))
		m.text = append(m.text, m.history(w, 1000, now)...)
	}
}

// lead is the row in two lines, where there is no room for the facts beside.
func (m *Model) lead(row *state.Row, w int, now time.Time) []string {
	brief := Brief(m.snap, row, w, 8, now, m.st)
	if n := len(widget.Wrap(widget.Clean(string(row.Issue.Ref)+" "+row.Issue.Title), w)); len(brief) > min(n, 2) {
		return brief[min(n, 2):] // the title stands on the box already
	}
	return brief
}

func description(issue *board.Issue, w int, st *themes.Styles) []string {
	lines := widget.Markdown(issue.Body, w, st)
	if len(lines) == 0 {
		lines = append(lines, widget.Line{}.Add(st.Muted, "no description").Render(w, false, st))
	}
	return lines
}

func comment(c *board.Comment, w int, now time.Time, st *themes.Styles) []string {
	who := string(c.Role)
	if c.Author != "" && c.Role == board.ActorOwner {
		who = c.Author
	}
	head := widget.Line{}.Add(st.Accent, widget.Clean(who)).Add(st.Muted, "  "+widget.Ago(c.At, now))
	body, mark := c.Body, ""
	if found, ok := board.ParseMark(body); ok && c.Role != board.ActorOwner {
		body, mark = board.WithoutMark(body), widget.Cut(widget.Clean(found.Run), 9)
	}
	if mark != "" {
		head = head.Add(st.Muted, "  run "+mark)
	}
	out := []string{head.Render(w, false, st)}
	for _, l := range widget.Markdown(body, max(w-2, 0), st) {
		out = append(out, widget.Pad(l, 2, w))
	}
	return append(out, widget.Blank(w, 1)...)
}

// Boxes counts an issue's ticked boxes: `1 of 2 boxes`, empty without any.
func Boxes(body string) string {
	done, all := 0, 0
	for l := range strings.SplitSeq(body, "\n") {
		l = strings.ToLower(strings.TrimLeft(l, " \t"))
		if len(l) < 6 || !strings.ContainsRune("-*+", rune(l[0])) {
			continue
		}
		switch rest := strings.TrimLeft(l[1:], " "); {
		case strings.HasPrefix(rest, "[x] "):
			done++
			all++
		case strings.HasPrefix(rest, "[ ] "):
			all++
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d boxes", done, all)
}
