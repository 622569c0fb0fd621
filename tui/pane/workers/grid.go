package workers

import (
	"time"

	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// A box of the grid is at least this large.
const (
	gridWidth  = 50
	gridHeight = 8
)

// cells is the shape of the grid, and the first worker on the screen.
func (m *Model) cells() (cols, rows, first int) {
	n := len(m.snap.Workers)
	cols = max(1, min(m.body.W/gridWidth, n))
	rows = max(1, min(m.body.H/gridHeight, (n+cols-1)/cols))
	if n <= cols*rows {
		return cols, rows, 0
	}
	return cols, rows, m.at / (cols * rows) * (cols * rows)
}

func (m *Model) moveGrid(mv widget.Move) {
	cols, rows, _ := m.cells()
	switch mv {
	case widget.MoveUp, widget.MoveDown:
		if to := m.at + cols*mv.Step(0, 0); to >= 0 && to < len(m.snap.Workers) {
			m.pick(to)
		}
	case widget.MovePageUp, widget.MoveHalfUp:
		m.pick(m.at - cols*rows)
	case widget.MovePageDown, widget.MoveHalfDown:
		m.pick(m.at + cols*rows)
	case widget.MoveFirst:
		m.pick(0)
	case widget.MoveLast:
		m.pick(len(m.snap.Workers) - 1)
	case widget.MoveNone:
	}
}

// grids are the rectangles of the grid, from the body's corner, in the order of
// the workers.
func (m *Model) grids() []layout.Rect {
	cols, rows, first := m.cells()
	var out []layout.Rect
	left := len(m.snap.Workers) - first
	for row := range rows {
		y, yEnd := m.body.H*row/rows, m.body.H*(row+1)/rows
		for col := range cols {
			if len(out) == left {
				return out
			}
			x, xEnd := m.body.W*col/cols, m.body.W*(col+1)/cols
			out = append(out, layout.Rect{X: x, Y: y, W: xEnd - x, H: yEnd - y})
		}
	}
	return out
}

func (m *Model) viewGrid(now time.Time) []string {
	cols, _, first := m.cells()
	rects := m.grids()
	var out []string
	for i := 0; i < len(rects); i += cols {
		var blocks [][]string
		used, h := 0, rects[i].H
		for j := i; j < min(i+cols, len(rects)); j++ {
			w := &m.snap.Workers[first+j]
			box := widget.Box{Title: present.WorkerTitle(w, now), Note: present.WorkerPlace(w), Focus: first+j == m.at}
			if n := len(m.snap.Workers); box.Focus && n > len(rects) {
				box.Foot = widget.Thousands(m.at+1) + " of " + widget.Thousands(n)
			}
			iw, ih := widget.Inner(rects[j].W, h)
			lines := body(m.r, m.snap, w, max(iw-2, 0), ih, now, m.st)
			blocks = append(blocks, box.Render(padded(lines, iw), rects[j].W, h, m.st))
			used += rects[j].W
		}
		if used < m.body.W {
			blocks = append(blocks, widget.Blank(m.body.W-used, h))
		}
		out = append(out, widget.Beside(blocks...)...)
	}
	return widget.Fill(out, m.body.W, m.body.H)
}

func (m *Model) mouseGrid(e pane.Mouse) pane.Reply {
	if m.snap == nil || len(m.snap.Workers) == 0 {
		return pane.Done()
	}
	_, _, first := m.cells()
	switch e.Kind {
	case pane.WheelUp:
		m.pick(m.at - 1)
	case pane.WheelDown:
		m.pick(m.at + 1)
	case pane.Click, pane.DoubleClick:
		for i, r := range m.grids() {
			if e.X >= r.X && e.X < r.X+r.W && e.Y >= r.Y && e.Y < r.Y+r.H {
				m.pick(first + i)
				if e.Kind == pane.DoubleClick {
					m.SetInside(true)
				}
			}
		}
	}
	return pane.Done()
}
