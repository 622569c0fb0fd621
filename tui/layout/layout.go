// Package layout says what stands where: a size and a view in, rectangles out.
//
// It is pure and total: every size from 1x1 up has an answer, no rectangle
// leaves the screen, none overlaps another, and together the rectangles of a
// frame cover it. It draws nothing and knows neither issues nor styles.
package layout

// Rect is a part of the screen in cells, from its top left corner.
type Rect struct{ X, Y, W, H int }

// Empty says that nothing can be drawn there.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Shape is how much stands side by side (screens.md, Board).
type Shape int

// From 100 columns columns, from 60 a list beside its detail, below one pane.
const (
	ShapeSingle Shape = iota
	ShapeSplit
	ShapeColumns
)

// The widths at which the shape changes.
const (
	SplitFrom   = 60
	ColumnsFrom = 100
)

// ShapeOf answers the shape of a screen w cells wide.
func ShapeOf(w int) Shape {
	switch {
	case w >= ColumnsFrom:
		return ShapeColumns
	case w >= SplitFrom:
		return ShapeSplit
	}
	return ShapeSingle
}

// Frame is the screen around every view: three lines of facts, the body, one
// line of keys. A line with height 0 had no room.
type Frame struct {
	Title, Attention, Body, Subject, Keys Rect
	Shape                                 Shape
}

// FrameOf lays the frame out. As the height shrinks the title goes first, then
// the keys, the subject, and last the attention line.
func FrameOf(w, h int) Frame {
	f := Frame{Shape: ShapeOf(w)}
	y := 0
	line := func(from int) Rect {
		if h < from {
			return Rect{0, y, w, 0}
		}
		y++
		return Rect{0, y - 1, w, 1}
	}
	f.Title = line(8)
	f.Attention = line(4)
	below := 0
	if h >= 5 {
		below++
	}
	if h >= 6 {
		below++
	}
	f.Body = Rect{0, y, w, max(h-y-below, 0)}
	y = f.Body.Y + f.Body.H
	f.Subject = line(5)
	f.Keys = line(6)
	return f
}

// Board is the body of the board view.
type Board struct {
	List   Rect // columns or grouped list
	Detail Rect // beside the list; empty in the other shapes
	Strip  Rect // the workers below the columns; empty when there is no room
}

// The strip needs this much body to stand below the columns, and never takes
// more than a third of it.
const (
	stripFrom = 16
	stripMin  = 5
	stripMax  = 20
)

// BoardOf lays the board's body out. asList asks for the list at any width;
// workers says whether there is anything to show in the strip.
func BoardOf(body Rect, shape Shape, asList, workers bool) Board {
	if shape == ShapeColumns && !asList {
		b := Board{List: body}
		if workers && body.H >= stripFrom {
			sh := min(max(body.H/3, stripMin), stripMax)
			b.List.H -= sh
			b.Strip = Rect{body.X, body.Y + b.List.H, body.W, sh}
		}
		return b
	}
	list, detail := SideBySide(body, shape, 46, 0)
	return Board{List: list, Detail: detail}
}

// SideBySide splits a body into a list and what the selection holds: the list
// takes percent of the width, at most most cells if most is positive. In one
// pane everything is the list's.
func SideBySide(body Rect, shape Shape, percent, most int) (list, detail Rect) {
	if shape == ShapeSingle {
		return body, Rect{body.X + body.W, body.Y, 0, body.H}
	}
	lw := body.W * percent / 100
	if most > 0 {
		lw = min(lw, most)
	}
	return Rect{body.X, body.Y, lw, body.H}, Rect{body.X + lw, body.Y, body.W - lw, body.H}
}

// Column is what the width of a board column depends on.
type Column struct {
	Title  int  // cells of its title
	Rows   int  // how many rows it holds
	Weight int  // share of the room among those with rows
	Focus  bool // holds the selection
}

// columnMin is the least width in which a row still says something.
const columnMin = 14

// Columns shares w cells among the columns. A column without rows and without
// the focus shrinks to its title; the others share the rest by weight. The
// widths sum to w.
func Columns(w int, cols []Column) []int {
	widths := make([]int, len(cols))
	if len(cols) == 0 {
		return widths
	}
	weights, rest := 0, w
	for i, c := range cols {
		if c.Rows == 0 && !c.Focus {
			widths[i] = c.Title + 6
			rest -= widths[i]
			continue
		}
		weights += max(c.Weight, 1)
	}
	if weights == 0 || rest < columnMin*open(cols) {
		return even(w, len(cols))
	}
	left, last := rest, 0
	for i, c := range cols {
		if widths[i] > 0 {
			continue
		}
		widths[i] = rest * max(c.Weight, 1) / weights
		left -= widths[i]
		last = i
	}
	widths[last] += left
	return widths
}

func open(cols []Column) int {
	n := 0
	for _, c := range cols {
		if c.Rows > 0 || c.Focus {
			n++
		}
	}
	return n
}

func even(w, n int) []int {
	widths := make([]int, n)
	for i := range widths {
		widths[i] = w * (i + 1) / n
		if i > 0 {
			widths[i] -= w * i / n
		}
	}
	return widths
}

// Strip says how many workers stand side by side in a strip w cells wide, and
// how wide each is. The widths sum to w.
func Strip(w, workers int) []int {
	const least = 44
	n := max(min(workers, w/least), 1)
	return even(w, n)
}

// Center places a box of w by h in the middle of a screen, as large as fits.
func Center(screenW, screenH, w, h int) Rect {
	w, h = min(w, screenW), min(h, screenH)
	return Rect{(screenW - w) / 2, (screenH - h) / 2, w, h}
}
