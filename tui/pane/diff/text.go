package diff

import (
	"slices"
	"strconv"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// pair is one row of a file: a line at the left, one at the right, -1 for none.
// Unified, only one of them stands there, or the same on both. A line that is
// too long goes on below itself: part counts its rows.
type pair struct{ left, right, part int }

// textPlace is where in the text one is.
type textPlace struct {
	at, top int    // the line under the cursor, the first on the screen
	laid    []pair // for the selected file; nil where it must be made again
	about   []string
}

// layAgain forgets how the text was laid out, and keeps the place in it.
func (t *textPlace) layAgain() { t.laid, t.about = nil, nil }

// rows is how the selected file's lines stand below each other.
func (m *Model) rows(f *state.DiffFile) []pair {
	if m.text.laid != nil || f == nil {
		return m.text.laid
	}
	m.text.laid = []pair{}
	lines, num := f.Lines, numberWidth(f)
	for i := 0; i < len(lines); i++ {
		switch {
		case m.fold[f.Path]:
			if lines[i].Op == "@" {
				m.addRows(f, pair{i, i, 0}, num)
			}
		case m.beside(f) && (lines[i].Op == "-" || lines[i].Op == "+"):
			i = m.block(f, i, num)
		case lines[i].Op == "-":
			m.addRows(f, pair{i, -1, 0}, num)
		case lines[i].Op == "+":
			m.addRows(f, pair{-1, i, 0}, num)
		default:
			m.addRows(f, pair{i, i, 0}, num)
		}
	}
	return m.text.laid
}

// addRows adds a row, and those on which its lines go on.
func (m *Model) addRows(f *state.DiffFile, p pair, num int) {
	for n := m.parts(f, p, num); p.part < n; p.part++ {
		m.text.laid = append(m.text.laid, p)
	}
}

// block puts a run of removed lines beside the run of added ones after it, and
// answers the last line of both.
func (m *Model) block(f *state.DiffFile, from, num int) int {
	lines, mid := f.Lines, from
	for mid < len(lines) && lines[mid].Op == "-" {
		mid++
	}
	end := mid
	for end < len(lines) && lines[end].Op == "+" {
		end++
	}
	for k := range max(mid-from, end-mid) {
		p := pair{-1, -1, 0}
		if from+k < mid {
			p.left = from + k
		}
		if mid+k < end {
			p.right = mid + k
		}
		m.addRows(f, p, num)
	}
	return end - 1
}

// room is the size of the text.
func (m *Model) room() (w, h int) {
	w, h = widget.Inner(m.detail.W, m.detail.H)
	return w, max(h-len(m.fieldLines(w, h)), 1)
}

// count is how many rows the text has.
func (m *Model) count() int {
	if f := m.file(); f != nil {
		return len(m.rows(f))
	}
	w, _ := m.room()
	return len(m.aboutLines(w))
}

func (m *Model) moveText(mv widget.Move) {
	_, h := m.room()
	n := m.count()
	if m.file() == nil { // a text without a cursor scrolls
		m.text.top = max(0, min(m.text.top+mv.Step(n, h), n-h))
		return
	}
	win := widget.Window{Sel: m.text.at, Top: m.text.top}
	win.Apply(mv, n, h)
	m.text.at, m.text.top = win.Sel, win.Top
}

func (m *Model) clickText(row int) {
	if n := m.count(); m.file() != nil && row >= 0 && m.text.top+row < n {
		m.text.at = m.text.top + row
	}
}

// lineUnder is the number in the new file of the line under the cursor; for a
// removed line that of the line before which it stood. 0 without one.
func (m *Model) lineUnder() int {
	f := m.file()
	if f == nil {
		return 0
	}
	rows := m.rows(f)
	for i := min(m.text.at, len(rows)-1); i >= 0; i-- {
		p := rows[i]
		if p.right >= 0 && f.Lines[p.right].New > 0 {
			return f.Lines[p.right].New
		}
	}
	return 0
}

// match goes to the next line that holds the text (by 1), the one before, or
// the first from here on (by 0), from file to file and from the end to the
// start.
func (m *Model) match(by int) pane.Reply {
	d, ok := m.diff()
	if m.find == "" || !ok || len(d.Files) == 0 {
		return pane.Not("nothing is searched for; / finds in the change")
	}
	dir, at := 1, m.text.at+by
	if by < 0 {
		dir = -1
	}
	first := m.at
	if m.file() == nil {
		first, at = 1, 0
	}
	for k := range m.entries() + 1 {
		entry := (first + dir*k%m.entries() + m.entries()) % m.entries()
		was, place := m.at, m.text
		if entry != m.at {
			m.at, m.text = entry, textPlace{}
		}
		f := m.file()
		if f != nil {
			if k > 0 {
				at = 0
				if dir < 0 {
					at = len(m.rows(f)) - 1
				}
			}
			if n := m.holdsRow(f, at, dir); n >= 0 {
				m.at = entry
				m.clamp()
				m.text.at = n
				m.inside = true
				m.moveText(widget.MoveNone)
				return pane.Done()
			}
		}
		m.at, m.text = was, place
	}
	return pane.Not("no line holds `" + widget.Clean(m.find) + "`")
}

// holdsRow is the first row from at on that holds what is looked for, -1
// without one.
func (m *Model) holdsRow(f *state.DiffFile, at, dir int) int {
	rows, num := m.rows(f), numberWidth(f)
	for i := at; i >= 0 && i < len(rows); i += dir {
		if m.holdsHere(f, rows[i], num) {
			return i
		}
	}
	return -1
}

// holdsHere says whether a row holds what is looked for. Where the text is
// broken in two, its first row does.
func (m *Model) holdsHere(f *state.DiffFile, p pair, num int) bool {
	for _, n := range []int{p.left, p.right} {
		if n < 0 || !widget.Holds(f.Lines[n].Text, m.find) {
			continue
		}
		pieces := m.pieces(f, n, num)
		holds := func(s string) bool { return widget.Holds(s, m.find) }
		if p.part < len(pieces) && holds(pieces[p.part]) || p.part == 0 && !slices.ContainsFunc(pieces, holds) {
			return true
		}
	}
	return false
}

// numberWidth is the room of the line numbers of a file.
func numberWidth(f *state.DiffFile) int {
	most := 0
	for i := range f.Lines {
		most = max(most, f.Lines[i].Old, f.Lines[i].New)
	}
	return max(len(strconv.Itoa(most)), 3)
}

// textLines draws the rows on the screen.
func (m *Model) textLines(f *state.DiffFile, w, h int) []string {
	rows := m.rows(f)
	win := widget.Window{Sel: m.text.at, Top: m.text.top}
	win.Clamp(len(rows), h)
	m.text.at, m.text.top = max(win.Sel, 0), win.Top
	num := numberWidth(f)
	var out []string
	for i := m.text.top; i < len(rows) && len(out) < h; i++ {
		out = append(out, m.row(f, rows[i], w, num, i == m.text.at))
	}
	return out
}
