package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/themes"
)

// Width is how many cells cleaned text takes.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// DrawnWidth is how many cells text with inks takes.
func DrawnWidth(s string) int { return ansi.StringWidth(s) }

// Pad draws an inked line behind left blank cells, exactly w cells wide.
func Pad(line string, left, w int) string {
	n := DrawnWidth(line)
	if left+n > w {
		line = ansi.Truncate(line, max(w-left, 0), "")
		n = DrawnWidth(line)
	}
	left = min(left, w)
	return blank(left) + line + blank(w-left-n)
}

// Cut shortens cleaned text to at most w cells, ending in … where something
// was left off.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if plain(s) {
		if len(s) <= w {
			return s
		}
		return s[:w-1] + "…"
	}
	return ansi.Truncate(s, w, "…")
}

// Fit cuts or pads cleaned text to exactly w cells.
func Fit(s string, w int) string {
	s = Cut(s, w)
	return s + blank(w-Width(s))
}

const spaces = "                                                                                                                                "

func blank(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(spaces) {
		return spaces[:n]
	}
	return strings.Repeat(" ", n)
}

// Span is a run of cleaned text in one ink.
type Span struct {
	Ink  themes.Ink
	Text string
}

// Line is a row of spans, in order.
type Line []Span

// Add appends a run. Text must be clean.
func (l Line) Add(ink themes.Ink, text string) Line { return append(l, Span{ink, text}) }

// Width is how many cells the line takes uncut.
func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += Width(s.Text)
	}
	return n
}

// Plain is the line's text without inks.
func (l Line) Plain() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Render draws the line exactly w cells wide. With a chosen style the whole
// line stands on the selection's ground.
func (l Line) Render(w int, chosen bool, st *themes.Styles) string {
	if w <= 0 {
		return ""
	}
	var b strings.Builder
	l.write(&b, w, chosen, st)
	return b.String()
}

func (l Line) write(b *strings.Builder, w int, chosen bool, st *themes.Styles) {
	over := l.Width() > w
	left := w
	for _, s := range l {
		if left <= 0 {
			break
		}
		text, n := s.Text, Width(s.Text)
		if over && n >= left {
			// Something is left off, here or after here: say so.
			text = ansi.Truncate(text, left-1, "") + "…"
			n = Width(text)
			b.WriteString(ground(s.Ink, chosen, st).Render(text))
			left -= n
			break
		}
		left -= n
		b.WriteString(ground(s.Ink, chosen, st).Render(text))
	}
	b.WriteString(ground(themes.Ink{}, chosen, st).Render(blank(left)))
}

func ground(ink themes.Ink, chosen bool, st *themes.Styles) themes.Ink {
	if chosen {
		return ink.On(st.Chosen)
	}
	return ink
}

// Sides draws a left and a right part on one line of w cells. The right part
// is dropped when less than half of the line would be left for the left part
// and they do not fit together.
func Sides(left, right Line, w int, chosen bool, st *themes.Styles) string {
	rw := right.Width()
	if rw == 0 || w <= 0 {
		return left.Render(w, chosen, st)
	}
	if left.Width()+1+rw > w && rw+1 > w/2 {
		return left.Render(w, chosen, st)
	}
	return left.Render(w-rw-1, chosen, st) + (Line{{Text: " "}}).Render(1, chosen, st) + right.Render(rw, chosen, st)
}

// Notes draws texts below a field that has h lines with all that stands around
// it: each on as many lines of w cells as it needs, at most a quarter of h, and
// on one where lines are scarce. What is cut is marked.
func Notes(texts []string, w, h int, ink themes.Ink, st *themes.Styles) []string {
	var out []string
	for _, text := range texts {
		lines := []string{Clean(text)}
		if h >= notesFrom {
			lines = Wrap(lines[0], max(w-2, 1))
			if most := h / 4; len(lines) > most {
				lines = append(lines[:most-1], strings.Join(lines[most-1:], " ")) // which Render cuts
			}
		}
		for _, l := range lines {
			out = append(out, Line{}.Add(ink, " "+l).Render(w, false, st))
		}
	}
	return out
}

// notesFrom is from how many lines on notes are not cut.
const notesFrom = 12

// Wrap breaks cleaned text into lines of at most w cells, at words where it
// can. It answers at least one line.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return []string{""}
	}
	if Width(s) <= w {
		return []string{s}
	}
	if !strings.Contains(s, "-") {
		return strings.Split(ansi.Wrap(s, w, ""), "\n")
	}
	// A ref or a path broken at its hyphen can't be read: wrap without them.
	s = ansi.Wrap(strings.ReplaceAll(s, "-", hyphen), w, "")
	return strings.Split(strings.ReplaceAll(s, hyphen, "-"), "\n")
}

// hyphen stands for a hyphen while text is wrapped. It is one cell wide, and
// Clean lets no private character through.
const hyphen = "\ue000"

// Blank answers h empty lines of w cells.
func Blank(w, h int) []string {
	if h <= 0 {
		return nil
	}
	lines := make([]string, h)
	for i := range lines {
		lines[i] = blank(w)
	}
	return lines
}

// Fill makes lines exactly h lines of w cells: what is over is left off, what
// is missing is blank. The lines must each be w cells already.
func Fill(lines []string, w, h int) []string {
	if len(lines) > h {
		return lines[:max(h, 0)]
	}
	return append(lines, Blank(w, h-len(lines))...)
}

// Beside joins blocks of equal height line by line.
func Beside(blocks ...[]string) []string {
	if len(blocks) == 0 {
		return nil
	}
	out := make([]string, len(blocks[0]))
	var b strings.Builder
	for i := range out {
		b.Reset()
		for _, block := range blocks {
			if i < len(block) {
				b.WriteString(block[i])
			}
		}
		out[i] = b.String()
	}
	return out
}
