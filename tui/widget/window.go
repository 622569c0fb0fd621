package widget

// Window is the visible part of a list: which item is chosen, and which is the
// first one on the screen. The zero Window shows the start.
type Window struct {
	Sel int
	Top int
}

// Clamp keeps the selection inside n items and visible in a window of h lines
// of one item each.
func (w *Window) Clamp(n, h int) {
	w.Sel = max(0, min(w.Sel, n-1))
	h = max(h, 1)
	if w.Sel < w.Top {
		w.Top = w.Sel
	}
	if w.Sel >= w.Top+h {
		w.Top = w.Sel - h + 1
	}
	w.Top = max(0, min(w.Top, n-h))
}

// Move is a step through a list.
type Move int

// The moves of a list.
const (
	MoveNone Move = iota
	MoveUp
	MoveDown
	MovePageUp
	MovePageDown
	MoveHalfUp
	MoveHalfDown
	MoveFirst
	MoveLast
)

// Apply carries a move out in n items, h of them on the screen.
func (w *Window) Apply(m Move, n, h int) {
	w.Sel += m.Step(n, h)
	w.Clamp(n, h)
}

// Step is how far a move goes in n items, h of them on the screen.
func (m Move) Step(n, h int) int {
	page := max(h-1, 1)
	switch m {
	case MoveUp:
		return -1
	case MoveDown:
		return 1
	case MovePageUp:
		return -page
	case MovePageDown:
		return page
	case MoveHalfUp:
		return -max(h/2, 1)
	case MoveHalfDown:
		return max(h/2, 1)
	case MoveFirst:
		return -n
	case MoveLast:
		return n
	case MoveNone:
	}
	return 0
}
