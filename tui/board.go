package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	boardpane "github.com/backside4charter/dispatcher/tui/pane/board"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// boardView is the board with the strip of workers below its columns, or with
// the selected row beside its list.
type boardView struct {
	st    *themes.Styles
	snap  *state.Snapshot
	board *boardpane.Model
	strip *workers.Strip

	body    layout.Rect
	shape   layout.Shape
	place   layout.Board
	asList  bool
	onStrip bool
	empty   func() string // what stands in place of a board without rows
}

func newBoardView(st *themes.Styles) *boardView {
	return &boardView{st: st, board: boardpane.New(st), strip: workers.NewStrip(st)}
}

// SetStyles changes the theme.
func (b *boardView) SetStyles(st *themes.Styles) {
	b.st = st
	b.board.SetStyles(st)
	b.strip.SetStyles(st)
}

// SetBody says where the view stands.
func (b *boardView) SetBody(body layout.Rect, shape layout.Shape) {
	b.body, b.shape = body, shape
	something := b.snap != nil && len(b.snap.Rows)+len(b.snap.Workers) > 0
	b.place = layout.BoardOf(body, shape, b.asList, something)
	b.board.SetSize(b.place.List.W, b.place.List.H, b.asList || shape != layout.ShapeColumns)
	b.strip.SetSize(b.place.Strip.W, b.place.Strip.H)
}

// SetSnapshot takes a new picture.
func (b *boardView) SetSnapshot(s *state.Snapshot) {
	b.snap = s
	b.board.SetSnapshot(s)
	b.strip.SetSnapshot(s)
	b.SetBody(b.body, b.shape)
}

func (b *boardView) selectedRef() board.Ref {
	if r := b.board.Selected(); r != nil {
		return r.Issue.Ref
	}
	return ""
}

// stripFocus says whether the workers below the board have the focus. A window
// too low for them keeps the focus for when it grows again.
func (b *boardView) stripFocus() bool { return b.onStrip && !b.place.Strip.Empty() }

// leads says whether the selected issue itself stands first in the strip: it
// does where no worker of ours is at it.
func (b *boardView) leads() bool {
	row := b.board.Selected()
	return row != nil && present.WorkerOf(b.snap, row) == nil
}

func (b *boardView) inStrip() *state.Worker { return b.strip.Selected(b.selectedRef(), b.leads()) }

// Subject is the selected row, or the worker of the strip's box in focus.
func (b *boardView) Subject() pane.Subject {
	if b.stripFocus() {
		if w := b.inStrip(); w != nil {
			return pane.Subject{Ref: w.Run.Ref, Run: w.Run.ID}
		}
	}
	return pane.Subject{Ref: b.selectedRef()}
}

// Actions are what the keys do on the board besides acting on the row.
func (b *boardView) Actions() []keymap.Action {
	out := []keymap.Action{keymap.Find, keymap.Mark}
	if !b.place.Strip.Empty() {
		out = append(out, keymap.NextPane)
	}
	return append(out, keymap.Layout)
}

// Inside says whether the strip has the focus.
func (b *boardView) Inside() bool { return b.stripFocus() }

// SetInside gives the focus to the strip or to the board.
func (b *boardView) SetInside(v bool) { b.onStrip = v && !b.place.Strip.Empty() }

// Act moves, opens and marks.
func (b *boardView) Act(a keymap.Action) pane.Reply {
	//nolint:exhaustive // what means nothing here is the root's
	switch a {
	case keymap.Left, keymap.Right:
		by := map[keymap.Action]int{keymap.Left: -1, keymap.Right: 1}[a]
		if b.stripFocus() {
			b.strip.Step(by, b.selectedRef(), b.leads())
		} else {
			b.board.Step(by)
		}
		return pane.Done()
	case keymap.Open:
		return b.open()
	case keymap.Mark:
		if b.stripFocus() || !b.board.Mark() {
			return pane.Not("nothing is selected to mark")
		}
		return pane.Done()
	case keymap.NextMatch:
		return b.match(widget.MoveDown)
	case keymap.PrevMatch:
		return b.match(widget.MoveUp)
	case keymap.Layout:
		if b.shape != layout.ShapeColumns {
			return pane.Not("columns need a window at least 100 wide")
		}
		b.asList = !b.asList
		b.SetBody(b.body, b.shape)
		return pane.Done()
	}
	mv := pane.MoveOf(a)
	if mv == widget.MoveNone || b.stripFocus() {
		return pane.Reply{}
	}
	b.board.Move(mv)
	return pane.Done()
}

func (b *boardView) match(mv widget.Move) pane.Reply {
	if !b.board.Filtered() {
		return pane.Not("nothing is searched for; / finds on the board")
	}
	b.board.Move(mv)
	return pane.Done()
}

// open leads to the row's page, or from the strip to the transcript.
func (b *boardView) open() pane.Reply {
	s := b.Subject()
	switch {
	case s.Run != "":
		return pane.Reply{Handled: true, Go: &pane.Go{View: keymap.Transcript, Subject: s}}
	case s.Ref == "":
		return pane.Not("nothing is selected to open; b makes an issue")
	}
	return pane.Reply{Handled: true, Go: &pane.Go{View: keymap.Issue, Subject: s}}
}

// Find keeps the rows that match, in every column.
func (b *boardView) Find(text string) tea.Cmd {
	b.onStrip = false
	b.board.SetFilter(text)
	return nil
}

// Found says how many rows match, of how many.
func (b *boardView) Found() (shown, total int) { return b.board.Matches() }

func (b *boardView) marked() int { return len(b.board.Marks()) }
func (b *boardView) unmark()     { b.board.Unmark() }

// View draws the body.
func (b *boardView) View(now time.Time) []string {
	focus := !b.stripFocus()
	p := &b.place
	if text := b.empty(); text != "" {
		return note(text, p.List.W+p.Detail.W, b.body.H, b.st)
	}
	list := b.board.View(now, focus)
	if !p.Strip.Empty() {
		return append(list, b.strip.View(b.selectedRef(), b.lead(now), now, b.stripFocus())...)
	}
	if p.Detail.Empty() {
		return list
	}
	return widget.Beside(list, b.detail(p.Detail, now))
}

// lead is the selected issue as the first box of the strip.
func (b *boardView) lead(now time.Time) *workers.Lead {
	if !b.leads() {
		return nil
	}
	row := b.board.Selected()
	return &workers.Lead{
		Title: widget.Clean(string(row.Issue.Ref) + " " + row.Issue.Title),
		Lines: func(w, h int) []string { return issue.Reading(b.snap, row, w, h, now, b.st) },
	}
}

// detail is the selected issue beside the list: in short, then its worker's
// stream, or its text if no worker is at it.
func (b *boardView) detail(r layout.Rect, now time.Time) []string {
	row := b.board.Selected()
	w := r.W - 2
	if row == nil || w < 4 {
		return widget.Blank(r.W, r.H)
	}
	lines := issue.Brief(b.snap, row, w, r.H, now, b.st)
	if room := r.H - len(lines) - 1; room > 0 {
		lines = append(lines, widget.Divider("", w, b.st))
		if worker := present.WorkerOf(b.snap, row); worker != nil {
			lines = append(lines, b.strip.Stream(worker, w, room, now)...)
		} else {
			lines = append(lines, issue.Below(b.snap, row, w, room, now, b.st)...)
		}
	}
	side := b.st.Border.Render(b.st.Borders.Thin.Vertical) + " "
	out := make([]string, 0, r.H)
	for _, l := range widget.Fill(lines, w, r.H) {
		out = append(out, side+l)
	}
	return out
}

// Cursor is the selected row.
func (b *boardView) Cursor() (x, y int, ok bool) {
	if b.stripFocus() || b.empty() != "" {
		return 0, 0, false
	}
	return b.board.Cursor()
}

// Mouse selects, opens and scrolls what is under it; a wheel leaves the focus.
func (b *boardView) Mouse(e pane.Mouse) pane.Reply {
	if !b.place.Strip.Empty() && e.Y >= b.place.List.H {
		if e.Kind == pane.Click || e.Kind == pane.DoubleClick {
			b.onStrip = true
			b.strip.Step(b.stripAt(e.X)-b.strip.At(), b.selectedRef(), b.leads())
			if e.Kind == pane.DoubleClick {
				return b.open()
			}
		}
		return pane.Done()
	}
	if e.X >= b.place.List.W {
		if e.Kind == pane.DoubleClick {
			return b.open()
		}
		return pane.Done()
	}
	switch e.Kind {
	case pane.WheelUp:
		b.board.Wheel(e.X, -1)
	case pane.WheelDown:
		b.board.Wheel(e.X, 1)
	case pane.Click, pane.DoubleClick:
		b.onStrip = false
		if b.board.Click(e.X, e.Y) && e.Kind == pane.DoubleClick {
			return b.open()
		}
	}
	return pane.Done()
}

// stripAt is the number of the strip's box at a cell.
func (b *boardView) stripAt(x int) int {
	n := len(b.strip.Shown(b.selectedRef(), b.leads()))
	if b.leads() {
		n++
	}
	for i, w := range layout.Strip(b.place.Strip.W, max(n, 1)) {
		if x < w {
			return i
		}
		x -= w
	}
	return 0
}

func note(text string, w, h int, st *themes.Styles) []string {
	var out []string
	for _, l := range widget.Wrap(text, max(w-2, 1)) {
		out = append(out, widget.Line{}.Add(st.Muted, " "+l).Render(w, false, st))
	}
	return widget.Fill(out, w, h)
}
