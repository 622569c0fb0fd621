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

// cards draws a column's rows from top on, and says which row stands on each
// line.
func (m *Model) cards(c, top, iw, ih int, focus bool, now time.Time) (lines []string, rows []int) {
	all := m.cols[c].rows
	if len(all)*2 <= ih && iw > 0 {
		for _, r := range rooms {
			if lines, rows := m.stack(c, 0, r, iw, ih+1, focus, now); len(lines) <= ih {
				return lines, rows
			}
		}
	}
	return m.stack(c, top, compact, iw, ih, focus, now)
}

// stack draws rows one below the other until there are ih lines.
func (m *Model) stack(c, top int, r room, iw, ih int, focus bool, now time.Time) (lines []string, rows []int) {
	for i := top; i < len(m.cols[c].rows) && len(lines) < ih; i++ {
		if i > top {
			lines = append(lines, widget.Blank(iw, r.gap)...)
		}
		card := m.card(c, i, r, iw, focus, now)
		for len(rows) < len(lines) {
			rows = append(rows, -1)
		}
		for range card {
			rows = append(rows, i)
		}
		lines = append(lines, card...)
	}
	return lines, rows
}

// card is one row: its ref and title, then why it stands where it stands.
func (m *Model) card(c, i int, r room, w int, focus bool, now time.Time) []string {
	row := &m.snap.Rows[m.cols[c].rows[i]]
	chosen := c == m.col && i == m.at
	s := m.describe(row, now)
	k := rowKey{
		ref: string(row.Issue.Ref), title: row.Issue.Title, sign: s.Sign, text: s.Text, tone: s.Tone,
		w: w, chosen: chosen, focus: focus, room: r, marked: m.marks[row.Issue.Ref],
	}
	drawn := m.cached(k, func() string {
		lines := m.cardTitle(row, r.title, w, k)
		return strings.Join(append(lines, m.cardWhy(s, r.why, w, chosen && focus)...), "\n")
	})
	return strings.Split(drawn, "\n")
}

func (m *Model) cardTitle(row *state.Row, most, w int, k rowKey) []string {
	ref, ink := mark(k.marked)+widget.Clean(string(row.Issue.Ref)), m.st.Text
	refInk := m.refInk(k.marked)
	if k.chosen {
		ink = m.st.Strong
	}
	var out []string
	for i, l := range clip(widget.Wrap(ref+" "+widget.Clean(row.Issue.Title), w-1), most) {
		line := widget.Line{m.bar(k.chosen, k.focus)}
		if i == 0 && strings.HasPrefix(l, ref) {
			line = line.Add(refInk, ref)
			l = l[len(ref):]
		}
		out = append(out, line.Add(ink, l).Render(w, k.chosen && k.focus, m.st))
	}
	return out
}

// mark stands before the ref of a marked row.
func mark(marked bool) string {
	if marked {
		return "*"
	}
	return ""
}

func (m *Model) refInk(marked bool) themes.Ink {
	if marked {
		return m.st.Attention
	}
	return m.st.Muted
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
