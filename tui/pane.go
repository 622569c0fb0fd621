package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
)

// What the room and the panes ask of each other. A pane fills the body of one
// view and has all of roomPane; what else it can, it says by the smaller
// interfaces below. Panes are plain values of the root's goroutine; what takes
// time is the command of a Reply, and its message comes back through taker.
type roomPane interface {
	placed
	acting
	drawn
}

type placed interface {
	SetStyles(st *themes.Styles)
	SetBody(body layout.Rect, shape layout.Shape)
	SetSnapshot(s *state.Snapshot)
}

type acting interface {
	// Act carries an action out, or answers that it means nothing here. The
	// root asks the pane with the focus first for everything that is not its
	// own, and acts on Subject where the pane does not.
	Act(a keymap.Action) pane.Reply
	Mouse(e pane.Mouse) pane.Reply
	Subject() pane.Subject
	// Actions are what the keys can do here besides acting on the subject, the
	// most useful first.
	Actions() []keymap.Action
}

type drawn interface {
	View(now time.Time) []string
	// Cursor is where the terminal's own cursor belongs, from the body's
	// corner.
	Cursor() (x, y int, ok bool)
}

// opener is a pane that shows one thing at a time. Open answers why it cannot.
type opener interface {
	Open(s pane.Subject) (cmd tea.Cmd, why string)
}

// finder is a pane that can be searched. A list keeps what matches, a text
// jumps to it; the empty text ends the search.
type finder interface {
	Find(text string) tea.Cmd
	Found() (shown, total int)
}

// taker is a pane that gets the messages of its own commands.
type taker interface {
	Take(msg tea.Msg) pane.Reply
}

// host is a pane that draws an open field in its own place; nil closes it. It
// answers whether it does.
type host interface {
	Host(f *pane.Open) bool
}

// typist is a pane with a field of its own. While one is open every key and
// every paste goes to Type; esc closes it there and keeps its text.
type typist interface {
	Typing() bool
	Type(msg tea.Msg) pane.Reply
}

// asker is a pane that reads on demand: it is asked after every message while
// it is shown.
type asker interface {
	Ask(now time.Time) tea.Cmd
}

// divided is a pane of two parts; inside says that the second has the focus.
type divided interface {
	Inside() bool
	SetInside(v bool)
}
