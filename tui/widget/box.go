package widget

import (
	"strings"

	"github.com/backside4charter/dispatcher/themes"
)

// Box is what a box has besides its content.
type Box struct {
	Title  string // clean
	Note   string // at the right of the top line, clean
	Foot   string // at the right of the bottom line, clean
	Focus  bool   // thick border, title in reverse
	Accent bool   // title stands out without the focus
}

// Inner is the size of a box's content. It is never negative.
func Inner(w, h int) (int, int) { return max(w-2, 0), max(h-2, 0) }

// Render draws a box of exactly h lines of w cells around the content, whose
// lines must be of the inner width. A box too small for a border is only its
// title.
func (x Box) Render(content []string, w, h int, st *themes.Styles) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	if w < 4 || h < 3 {
		return Fill([]string{(Line{{st.Title, x.Title}}).Render(w, false, st)}, w, h)
	}
	border, ink := st.Borders.Thin, st.Border
	if x.Focus {
		border, ink = st.Borders.Thick, st.Focus
	}
	iw, ih := Inner(w, h)
	out := make([]string, 0, h)
	out = append(out, x.top(iw, border, ink, st))
	side := ink.Render(border.Vertical)
	for _, line := range Fill(content, iw, ih) {
		out = append(out, side+line+side)
	}
	return append(out, bottom(x.Foot, iw, border, ink, st))
}

// top is `╭─ Title ──── note ─╮`.
func (x Box) top(iw int, bd themes.Border, ink themes.Ink, st *themes.Styles) string {
	var b strings.Builder
	b.WriteString(ink.Render(bd.TopLeft))
	left := iw
	if x.Title != "" && left > 4 {
		title := Cut(x.Title, left-4)
		tw := Width(title)
		b.WriteString(ink.Render(bd.Horizontal))
		style := st.Title
		if x.Focus {
			style = st.TitleFocus
		} else if x.Accent {
			style = st.Attention
		}
		b.WriteString(style.Render(" " + title + " "))
		left -= tw + 3
	}
	note := ""
	if n := Width(x.Note); n > 0 && left >= n+4 {
		note = " " + x.Note + " "
		left -= n + 3
	}
	b.WriteString(ink.Render(strings.Repeat(bd.Horizontal, left)))
	if note != "" {
		b.WriteString(st.Muted.Render(note))
		b.WriteString(ink.Render(bd.Horizontal))
	}
	b.WriteString(ink.Render(bd.TopRight))
	return b.String()
}

func bottom(foot string, iw int, bd themes.Border, ink themes.Ink, st *themes.Styles) string {
	n := Width(foot)
	if n == 0 || iw < n+4 {
		return ink.Render(bd.BottomLeft + strings.Repeat(bd.Horizontal, iw) + bd.BottomRight)
	}
	return ink.Render(bd.BottomLeft+strings.Repeat(bd.Horizontal, iw-n-3)) +
		st.Muted.Render(" "+foot+" ") + ink.Render(bd.Horizontal+bd.BottomRight)
}

// Divider is a line across a box's content with a title: `── Comments 3 ───`.
func Divider(title string, w int, st *themes.Styles) string {
	if w <= 0 {
		return ""
	}
	rule := st.Borders.Thin.Horizontal
	if title == "" {
		return st.Border.Render(strings.Repeat(rule, w))
	}
	if Width(title)+4 > w {
		return (Line{{st.Title, title}}).Render(w, false, st)
	}
	rest := w - Width(title) - 3
	return st.Border.Render(rule) + st.Title.Render(" "+title+" ") + st.Border.Render(strings.Repeat(rule, rest))
}
