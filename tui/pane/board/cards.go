package board

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// room is how many lines a card may take for its title and for its reason, and
// between itself and the next.
type room struct{ title, why, gap int }

// rooms are tried in turn: a column with few rows shows them in full, a full
// one keeps two lines a row.
var rooms = []room{{3, 3, 1}, {3, 2, 0}, {2, 2, 0}, {2, 1, 0}}

// compact is what every row has at least.
var compact = room{1, 1, 0}

// cards draws a column's rows from top on, and says on which line the
// selection stands.
func (m *Model) cards(c, top, iw, ih int, focus bool, now time.Time) (lines []string, y int) {
	rows := m.cols[c].rows
	if len(rows)*2 <= ih && iw > 0 {
		for _, r := range rooms {
			if lines, y, ok := m.roomy(c, r, iw, ih, focus, now); ok {
				return lines, y
			}
		}
	}
	for i := top; i < len(rows) && len(lines) < ih; i++ {
		if i == m.at {
			y = len(lines)
		}
		lines = append(lines, m.card(c, i, compact, iw, focus, now)...)
	}
	return lines, y
}

// roomy draws all rows of a column; it fails if they need more than ih lines.
func (m *Model) roomy(c int, r room, iw, ih int, focus bool, now time.Time) (lines []string, y int, ok bool) {
	for i := range m.cols[c].rows {
		if i > 0 {
			lines = append(lines, widget.Blank(iw, r.gap)...)
		}
		if i == m.at {
			y = len(lines)
		}
		lines = append(lines, m.card(c, i, r, iw, focus, now)...)
		if len(lines) > ih {
			return nil, 0, false
		}
	}
	return lines, y, true
}

// card is one row: its ref and title, then why it stands where it stands.
func (m *Model) card(c, i int, r room, w int, focus bool, now time.Time) []string {
	row := &m.snap.Rows[m.cols[c].rows[i]]
	chosen := c == m.col && i == m.at
	s := m.describe(row, now)
	k := rowKey{
		ref: string(row.Issue.Ref), title: row.Issue.Title, sign: s.Sign, text: s.Text, tone: s.Tone,
		w: w, chosen: chosen, focus: focus, room: r,
	}
	drawn := m.cached(k, func() string {
		lines := m.cardTitle(row, r.title, w, chosen, focus)
		return strings.Join(append(lines, m.cardWhy(s, r.why, w, chosen && focus)...), "\n")
	})
	return strings.Split(drawn, "\n")
}

func (m *Model) cardTitle(row *state.Row, most, w int, chosen, focus bool) []string {
	ref := widget.Clean(string(row.Issue.Ref))
	ink := m.st.Text
	if chosen {
		ink = m.st.Strong
	}
	var out []string
	for i, l := range clip(widget.Wrap(ref+" "+widget.Clean(row.Issue.Title), w-1), most) {
		line := widget.Line{m.bar(chosen, focus)}
		if i == 0 && strings.HasPrefix(l, ref) {
			line = line.Add(m.st.Muted, ref)
			l = l[len(ref):]
		}
		out = append(out, line.Add(ink, l).Render(w, chosen && focus, m.st))
	}
	return out
}

func (m *Model) cardWhy(s present.Status, most, w int, chosen bool) []string {
	ink := m.st.Muted
	if s.Tone == themes.ToneAttention || s.Tone == themes.ToneDanger {
		ink = m.st.Tone(s.Tone)
	}
	var out []string
	for i, l := range clip(widget.Wrap(s.Text, w-3), most) {
		line := widget.Line{{Text: " "}}
		if i == 0 {
			line = line.Add(m.st.Tone(s.Tone), s.Sign+" ")
		} else {
			line = line.Add(ink, "  ")
		}
		out = append(out, line.Add(ink, l).Render(w, chosen, m.st))
	}
	return out
}

// clip keeps at most most lines; what is over stays on the last one, for the
// drawing to cut with a sign.
func clip(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most-1:most-1], strings.Join(lines[most-1:], " "))
}
