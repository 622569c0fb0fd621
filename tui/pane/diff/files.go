package diff

import (
	"fmt"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

func totals(d *state.Diff) (added, removed int) {
	for i := range d.Files {
		added += d.Files[i].Added
		removed += d.Files[i].Removed
	}
	return added, removed
}

func (m *Model) viewFiles(d *state.Diff) []string {
	iw, ih := widget.Inner(m.list.W, m.list.H)
	seen := 0
	for i := range d.Files {
		if m.isSeen(&d.Files[i]) {
			seen++
		}
	}
	box := widget.Box{Title: "Files " + widget.Thousands(len(d.Files)), Focus: !m.inside}
	if seen > 0 {
		box.Title += " · seen " + widget.Thousands(seen)
	}
	n := m.entries()
	if n > ih {
		box.Foot = fmt.Sprintf("%d of %d", m.at+1, n)
	}
	var out []string
	for i := m.top; i < n && len(out) < ih; i++ {
		out = append(out, m.fileLine(d, i, iw))
	}
	if len(d.Files) == 0 {
		for _, l := range widget.Wrap("no change against "+base(d), max(iw-2, 1)) {
			out = append(out, widget.Line{}.Add(m.st.Muted, " "+l).Render(iw, false, m.st))
		}
	}
	return box.Render(widget.Fill(out, iw, ih), m.list.W, m.list.H, m.st)
}

func (m *Model) fileLine(d *state.Diff, i, w int) string {
	chosen := i == m.at
	bar, ink := widget.Span{Text: " "}, m.st.Text
	if chosen {
		bar, ink = widget.Span{Ink: m.st.Muted, Text: m.st.Signs.Bar}, m.st.Strong
		if !m.inside {
			bar.Ink = m.st.Focus
		}
	}
	if m.about && i == 0 {
		return (widget.Line{bar}).Add(ink, "  text and reviews").Render(w, chosen && !m.inside, m.st)
	}
	at := i
	if m.about {
		at--
	}
	f := &d.Files[at]
	mark := widget.Span{Text: "  "}
	if m.isSeen(f) {
		mark = widget.Span{Ink: m.st.Good, Text: m.st.Signs.Done + " "}
	}
	right := counts(f, m.st)
	path := tailOf(clean(f.Path), w-right.Width()-4)
	return widget.Sides(widget.Line{bar, mark}.Add(ink, path).Mark(m.find, m.st.Accent.Reverse()), right, w, chosen && !m.inside, m.st)
}

// counts is what a file's change amounts to.
func counts(f *state.DiffFile, st *themes.Styles) widget.Line {
	switch f.Kind {
	case "binary":
		return widget.Line{}.Add(st.Muted, "binary")
	case "added":
		return widget.Line{}.Add(st.Good, fmt.Sprintf("new +%d", f.Added))
	case "deleted":
		return widget.Line{}.Add(st.Danger, "deleted")
	}
	return widget.Line{}.Add(st.Good, fmt.Sprintf("+%d ", f.Added)).Add(st.Danger, fmt.Sprintf("−%d", f.Removed))
}

// tailOf keeps a path's end, which tells files apart.
func tailOf(path string, w int) string {
	if widget.Width(path) <= w || w < 2 {
		return path
	}
	for i := range path {
		if rest := path[i:]; widget.Width(rest) < w {
			return "…" + rest
		}
	}
	return path
}
