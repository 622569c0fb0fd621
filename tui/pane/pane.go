package pane

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Subject is what the keys act on. A pane fills in what it knows; the root
// looks the rest up in the snapshot.
type Subject struct {
	Ref     board.Ref
	Run     string
	PR      string
	Head    string // the head of PR that was read, for merge and request
	Request string // what a worker asks
	Need    state.NeedKind
	Box     int    // 1 is the first box of the issue; 0 for none
	At      string // file and line under the cursor: auth/login.go:41
	Path    string // what can be copied as a path
	Text    string // the subject line, in place of the row's
}

// Reply is what an action came to.
type Reply struct {
	// Handled says that the action meant something here. If not, and the root
	// has no meaning for it either, it says so.
	Handled bool
	Say     string // passes after a moment
	Tone    themes.Tone
	Refuse  string // stays until the next key
	Send    []state.Command
	Menu    *Menu
	Field   *Field
	Go      *Go
	// Act is an action that the root carries out on the pane's subject, as if
	// its key had been pressed.
	Act keymap.Action
	Cmd tea.Cmd
}

// Done is an action that was carried out.
func Done() Reply { return Reply{Handled: true} }

// Not is an action that cannot be done, with the reason.
func Not(why string) Reply { return Reply{Handled: true, Say: why, Tone: themes.ToneMuted} }

// Go leads to another view.
type Go struct {
	View    keymap.Action // the action that leads there
	Subject Subject
}

// Menu is a question over the screen that takes all keys.
type Menu struct {
	Name    string // in the border
	Text    string
	Choices []Choice
	Sel     int // -1 chooses nothing beforehand
	// Sure asks before Do is done; a menu without choices is only that.
	Sure *Sure
	Do   Reply
	// Gone answers why the question no longer holds, after another picture;
	// nil if it always does.
	Gone func(*state.Snapshot) string
}

// Choice is one line of a menu.
type Choice struct {
	Text string
	Key  string // chooses it too, and is shown in place of its digit
	Why  string // why it cannot be chosen now; empty if it can
	Sure *Sure
	Do   Reply
}

// Sure is a confirmation: what will happen, to what, and what is not lost. With
// Word it wants the word typed instead of y.
type Sure struct {
	Text string
	Word string
}

// Field asks the root to open a field. Its text is a draft from the first key
// to the answer of what it sends.
type Field struct {
	ID    string // names the draft
	Name  string // in the border
	Start string // the text if there is no draft
	One   bool   // of one line
	Adds  bool   // Start is added to a draft that lacks it
	Over  bool   // what is sent goes over Start: the draft remembers what it was begun over
	Empty string // said instead of sending nothing; empty sends nothing, too
	// Hints say below the field what sending does.
	Hints func(text string) []string
	// Send answers what the text becomes.
	Send func(text string) Reply
	// Gone answers why it can no longer be sent; the field then says so and
	// keeps its text. Nil if it always can.
	Gone func(*state.Snapshot) string
}

// Open is a field that is open, for a pane that draws it in its own place.
type Open struct {
	Field
	Input *widget.Field
}

// MouseKind is what the mouse did.
type MouseKind int

// What a mouse can do.
const (
	Click MouseKind = iota
	DoubleClick
	WheelUp
	WheelDown
)

// Mouse is one event, from the body's top left corner.
type Mouse struct {
	Kind MouseKind
	X, Y int
}

// MoveOf is the move through a list or a text that an action means.
func MoveOf(a keymap.Action) widget.Move {
	//nolint:exhaustive // every other action is no move
	switch a {
	case keymap.Up:
		return widget.MoveUp
	case keymap.Down:
		return widget.MoveDown
	case keymap.PageUp:
		return widget.MovePageUp
	case keymap.PageDown:
		return widget.MovePageDown
	case keymap.HalfUp:
		return widget.MoveHalfUp
	case keymap.HalfDown:
		return widget.MoveHalfDown
	case keymap.First:
		return widget.MoveFirst
	case keymap.Last:
		return widget.MoveLast
	}
	return widget.MoveNone
}

// Sent is the message that panes get when a command came back: what it did, or
// why it was refused.
type Sent struct {
	Command state.Command
	Done    state.Done
	Err     error
}
