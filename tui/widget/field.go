package widget

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/themes"
)

// fieldMax is how many bytes a field takes: more than any answer, less than
// what a board's comment may hold.
const fieldMax = 16_000

// FieldKeys are the line editing keys. Enter is not among them: whoever owns
// the field decides what sends.
type FieldKeys struct {
	Left, Right, Up, Down, WordLeft, WordRight, Start, End, First, Last key.Binding
	Backspace, Delete, DeleteWord, DeleteToStart, DeleteToEnd, NewLine  key.Binding
}

func newFieldKeys() FieldKeys {
	bind := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	return FieldKeys{
		Left: bind("left", "ctrl+b"), Right: bind("right"), Up: bind("up"), Down: bind("down"),
		WordLeft: bind("ctrl+left", "alt+left", "alt+b"), WordRight: bind("ctrl+right", "alt+right", "alt+f"),
		Start: bind("home", "ctrl+a"), End: bind("end", "ctrl+e"),
		First: bind("ctrl+home"), Last: bind("ctrl+end"),
		Backspace: bind("backspace", "ctrl+h"), Delete: bind("delete", "ctrl+d"),
		DeleteWord: bind("ctrl+w", "alt+backspace"), DeleteToStart: bind("ctrl+u"), DeleteToEnd: bind("ctrl+k"),
		NewLine: bind("ctrl+j", "alt+enter", "shift+enter"),
	}
}

// Field is a text being typed, of one line or of several. It reads no
// clipboard: a paste arrives from the terminal as a message.
type Field struct {
	keys  FieldKeys
	text  string
	at    int // byte offset of the cursor, always between two clusters
	w, h  int
	multi bool
}

// NewField answers an empty field; multi lets it hold line breaks.
func NewField(multi bool) *Field { return &Field{keys: newFieldKeys(), w: 1, h: 1, multi: multi} }

// Value is the text as typed.
func (f *Field) Value() string { return f.text }

// SetValue replaces the text and puts the cursor behind it.
func (f *Field) SetValue(s string) { f.text, f.at = s, len(s) }

// SetSize says how much room there is; it is never less than one cell.
func (f *Field) SetSize(w, h int) { f.w, f.h = max(w, 1), max(h, 1) }

// Update types a key or a paste; it reports whether the key was one of a
// field's.
func (f *Field) Update(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.insert(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(msg.Content))
		return true
	case tea.KeyPressMsg:
		if f.edit(msg) || f.move(msg) {
			return true
		}
		if msg.Text != "" && !msg.Mod.Contains(tea.ModCtrl) && !msg.Mod.Contains(tea.ModAlt) {
			f.insert(msg.Text)
			return true
		}
	}
	return false
}

func (f *Field) edit(msg tea.KeyPressMsg) bool {
	k := &f.keys
	switch {
	case key.Matches(msg, k.Backspace):
		f.cut(f.left(f.at), f.at)
	case key.Matches(msg, k.Delete):
		f.cut(f.at, f.right(f.at))
	case key.Matches(msg, k.DeleteWord):
		f.cut(f.wordLeft(), f.at)
	case key.Matches(msg, k.DeleteToStart):
		f.cut(f.lineStart(), f.at)
	case key.Matches(msg, k.DeleteToEnd):
		f.cut(f.at, f.lineEnd())
	case key.Matches(msg, k.NewLine):
		f.insert("\n")
	default:
		return false
	}
	return true
}

func (f *Field) move(msg tea.KeyPressMsg) bool {
	k := &f.keys
	switch {
	case key.Matches(msg, k.Left):
		f.at = f.left(f.at)
	case key.Matches(msg, k.Right):
		f.at = f.right(f.at)
	case key.Matches(msg, k.WordLeft):
		f.at = f.wordLeft()
	case key.Matches(msg, k.WordRight):
		f.at = f.wordRight()
	case key.Matches(msg, k.Start):
		f.at = f.lineStart()
	case key.Matches(msg, k.End):
		f.at = f.lineEnd()
	case key.Matches(msg, k.First):
		f.at = 0
	case key.Matches(msg, k.Last):
		f.at = len(f.text)
	case key.Matches(msg, k.Up):
		f.vertical(-1)
	case key.Matches(msg, k.Down):
		f.vertical(1)
	default:
		return false
	}
	return true
}

// Break turns a backslash before the cursor into a line break: the way to one
// that every keyboard has. It reports whether there was a backslash.
func (f *Field) Break() bool {
	if !f.multi || !strings.HasSuffix(f.text[:f.at], `\`) {
		return false
	}
	f.cut(f.at-1, f.at)
	f.insert("\n")
	return true
}

func (f *Field) insert(s string) {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if !f.multi {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if len(f.text)+len(s) > fieldMax {
		return
	}
	f.text = f.text[:f.at] + s + f.text[f.at:]
	f.at += len(s)
}

func (f *Field) cut(from, to int) {
	f.text = f.text[:from] + f.text[to:]
	f.at = from
}

func (f *Field) left(at int) int {
	start := 0
	for _, c := range clusters(f.text[:at]) {
		if start+len(c) >= at {
			return start
		}
		start += len(c)
	}
	return start
}

func (f *Field) right(at int) int {
	c, _ := ansi.FirstGraphemeCluster(f.text[at:], ansi.GraphemeWidth)
	return at + len(c)
}

func (f *Field) wordLeft() int {
	s := strings.TrimRight(f.text[:f.at], " \n")
	return strings.LastIndexAny(s, " \n") + 1
}

func (f *Field) wordRight() int {
	rest := f.text[f.at:]
	skipped := len(rest) - len(strings.TrimLeft(rest, " \n"))
	if i := strings.IndexAny(rest[skipped:], " \n"); i >= 0 {
		return f.at + skipped + i
	}
	return len(f.text)
}

func (f *Field) lineStart() int { return strings.LastIndexByte(f.text[:f.at], '\n') + 1 }

func (f *Field) lineEnd() int {
	if i := strings.IndexByte(f.text[f.at:], '\n'); i >= 0 {
		return f.at + i
	}
	return len(f.text)
}

// vertical moves by lines on the screen and keeps the cell.
func (f *Field) vertical(by int) {
	rows := f.rows()
	x, y := f.locate(rows)
	y += by
	if y < 0 || y >= len(rows) {
		return
	}
	at, width := rows[y].from, 0
	for _, c := range clusters(f.text[rows[y].from:rows[y].to]) {
		width += Width(Clean(c))
		if width > x {
			break
		}
		at += len(c)
	}
	f.at = at
}

// fieldRow is one line on the screen: the bytes [from, to) of the text.
type fieldRow struct{ from, to int }

// rows breaks the text into lines of the field's width, at spaces if it can.
func (f *Field) rows() []fieldRow {
	var out []fieldRow
	start := 0
	for _, line := range strings.SplitAfter(f.text, "\n") {
		body := strings.TrimSuffix(line, "\n")
		from, at, width, space := start, start, 0, -1
		for _, c := range clusters(body) {
			n := Width(Clean(c))
			if width+n > f.w && at > from {
				to := at
				if space > from && c != " " {
					to = space
				}
				out = append(out, fieldRow{from, to})
				width = DrawnWidth(Clean(f.text[to:at]))
				from, space = to, -1
			}
			at += len(c)
			width += n
			if c == " " {
				space = at
			}
		}
		out = append(out, fieldRow{from, at})
		start += len(line)
	}
	return out
}

// locate is the cell of the cursor in the laid out text.
func (f *Field) locate(rows []fieldRow) (x, y int) {
	for i, r := range rows {
		last := i+1 == len(rows) || rows[i+1].from > f.at || rows[i+1].from > r.to
		if f.at >= r.from && (f.at < r.to || (f.at == r.to && last)) {
			return min(Width(Clean(f.text[r.from:f.at])), max(f.w-1, 0)), i
		}
	}
	return 0, max(len(rows)-1, 0)
}

func clusters(s string) []string {
	var out []string
	for s != "" {
		c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if c == "" {
			c = s
		}
		out = append(out, c)
		s = s[len(c):]
	}
	return out
}

// View draws the field: h lines of w cells, the cursor's line among them.
func (f *Field) View(st *themes.Styles) []string {
	rows := f.rows()
	_, y := f.locate(rows)
	top := max(0, y-f.h+1)
	out := make([]string, 0, f.h)
	for i := top; i < len(rows) && len(out) < f.h; i++ {
		out = append(out, Line{{st.Text, Clean(f.text[rows[i].from:rows[i].to])}}.Render(f.w, false, st))
	}
	return Fill(out, f.w, f.h)
}

// Lines is how many lines the text takes in the field's width.
func (f *Field) Lines() int { return len(f.rows()) }

// Cursor is where typing goes on, from the field's top left corner.
func (f *Field) Cursor() (x, y int) {
	rows := f.rows()
	x, y = f.locate(rows)
	return x, y - max(0, y-f.h+1)
}
