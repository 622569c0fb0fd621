package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// Group is some bindings under a heading, as help and documents show them.
type Group struct {
	Title    string
	Bindings []key.Binding
}

// Global are the keys that the root of the control room acts on in browsing.
type Global struct {
	Board, Workers, Needs, Pulls, Log key.Binding
	Goto                              key.Binding
	NextNeed                          key.Binding
	Open, Back, Next, Prev            key.Binding
	Answer, Stop, Transcript, Follow  key.Binding
	Find, NextMatch, PrevMatch        key.Binding
	Layout, PrevPiece, NextPiece      key.Binding
	NextError                         key.Binding
	Pause, Fire, Redraw               key.Binding
	Help, Leave                       key.Binding
}

// Bind makes a binding from its help and its keys.
func Bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// NewGlobal answers the keys of screens.md, Keys, as far as this room has them.
func NewGlobal() Global {
	return Global{
		Board:      Bind("1", "board", "1"),
		Workers:    Bind("2", "workers", "2"),
		Needs:      Bind("3", "needs you", "3"),
		Pulls:      Bind("4", "pull requests", "4"),
		Log:        Bind("5", "log", "5"),
		Goto:       Bind("g", "go to: b board, w workers, n needs you, p pull requests, l log, g first", "g"),
		NextNeed:   Bind("!", "next that needs you", "!"),
		Open:       Bind("↵", "open", "enter"),
		Back:       Bind("esc", "back", "esc"),
		Next:       Bind("tab", "next pane", "tab"),
		Prev:       Bind("shift+tab", "previous pane", "shift+tab"),
		Answer:     Bind("a", "answer", "a"),
		Stop:       Bind("x", "stop the worker", "x"),
		Transcript: Bind("t", "transcript", "t"),
		Follow:     Bind("f", "follow", "f"),
		Find:       Bind("/", "find", "/", "ctrl+f"),
		NextMatch:  Bind("n", "next match", "n"),
		PrevMatch:  Bind("N", "previous match", "N"),
		Layout:     Bind("v", "other layout", "v"),
		PrevPiece:  Bind(",", "previous piece", ","),
		NextPiece:  Bind(".", "next piece", "."),
		NextError:  Bind("e", "next error", "e"),
		Pause:      Bind("p", "pause or resume", "p"),
		Fire:       Bind("ctrl+r", "fire now", "ctrl+r"),
		Redraw:     Bind("ctrl+l", "redraw", "ctrl+l"),
		Help:       Bind("?", "help", "?", "f1"),
		Leave:      Bind("q", "leave", "q", "ctrl+c"),
	}
}

// ShortHelp lists what fits a line, the most useful first.
func (k Global) ShortHelp() []key.Binding {
	return []key.Binding{k.NextNeed, k.Needs, k.Find, k.Pause, k.Help, k.Leave}
}

// Groups lists every global binding under headings.
func (k Global) Groups() []Group {
	return []Group{
		{"Views", []key.Binding{k.Board, k.Workers, k.Needs, k.Pulls, k.Log, k.Goto, k.Next, k.Prev, k.Layout}},
		{"What is selected", []key.Binding{k.Open, k.Back, k.NextNeed, k.Answer, k.Stop, k.Transcript}},
		{"Reading", []key.Binding{k.Find, k.NextMatch, k.PrevMatch, k.Follow, k.PrevPiece, k.NextPiece, k.NextError}},
		{"The loop", []key.Binding{k.Pause, k.Fire, k.Redraw, k.Help, k.Leave}},
	}
}

// Field are the keys while a text is typed; every printable key is text.
type Field struct {
	Send, NewLine, Keep key.Binding
}

// NewField answers the keys of a field (screens.md, Keys).
func NewField() Field {
	return Field{
		Send:    Bind("↵", "send", "enter"),
		NewLine: Bind("ctrl+j", "new line", "ctrl+j", "alt+enter", "shift+enter"),
		Keep:    Bind("esc", "keep and leave", "esc", "ctrl+c"),
	}
}

// Bindings lists them for help.
func (k Field) Bindings() []key.Binding { return []key.Binding{k.Send, k.NewLine, k.Keep} }

// Menu are the keys while a menu is open; a digit chooses at once.
type Menu struct {
	Up, Down, Choose, Cancel key.Binding
	Yes, No                  key.Binding // in a confirmation
}

// NewMenu answers the keys of a menu.
func NewMenu() Menu {
	return Menu{
		Up:     Bind("↑", "up", "up", "k"),
		Down:   Bind("↓", "down", "down", "j"),
		Choose: Bind("↵", "choose", "enter"),
		Cancel: Bind("esc", "back", "esc"),
		Yes:    Bind("y", "yes, in a confirmation", "y"),
		No:     Bind("n", "no, in a confirmation", "n"),
	}
}

// Bindings lists them for help.
func (k Menu) Bindings() []key.Binding {
	return []key.Binding{k.Choose, k.Up, k.Down, k.Cancel, k.Yes, k.No}
}

// Elsewhere is a key of the table that this room does not act on: it says
// which command does instead. {ref} and {pr} stand for the subject's.
type Elsewhere struct {
	Keys []string
	Does string // what the key is for
	Way  string // the command, or what to do
}

// NotHere lists the keys of the table with the way to do the same today.
func NotHere() []Elsewhere {
	return []Elsewhere{
		{[]string{"m"}, "move", "dispatcher board state {ref} ready"},
		{[]string{"M"}, "merge", "dispatcher pulls merge {pr}"},
		{[]string{"R"}, "request changes", "dispatcher pulls request-changes {pr}"},
		{[]string{"d"}, "show the diff", "dispatcher pulls diff {pr}"},
		{[]string{"w"}, "ask every rule", "dispatcher why {ref}"},
		{[]string{"b"}, "make an issue", "dispatcher board create"},
		{[]string{"E"}, "edit an issue", "dispatcher board edit {ref}"},
		{[]string{"r"}, "release", "dispatcher board release {ref}"},
	}
}

// Markdown is docs/keys.md: every group as a table.
func Markdown(groups []Group) string {
	var b strings.Builder
	b.WriteString("# Keys of the control room\n\n" +
		"Made from the key maps by `go test ./tui -run TestKeyDocs -update`; a test checks that it is fresh.\n" +
		"One key has one meaning in every view. Small letters read, can be taken back, or ask first.\n")
	for _, g := range groups {
		b.WriteString("\n## " + g.Title + "\n\n| key | does |\n| --- | --- |\n")
		for _, k := range g.Bindings {
			b.WriteString("| " + names(k) + " | " + cell(k.Help().Desc) + " |\n")
		}
	}
	b.WriteString("\n## By a command, not by a key yet\n\nThe key says so and names the command.\n\n| key | for | command |\n| --- | --- | --- |\n")
	for _, e := range NotHere() {
		b.WriteString("| `" + strings.Join(e.Keys, "` `") + "` | " + e.Does + " | `" + strings.NewReplacer("{ref}", "<ref>", "{pr}", "<number>").Replace(e.Way) + "` |\n")
	}
	return b.String()
}

func names(k key.Binding) string {
	out := make([]string, 0, len(k.Keys()))
	for _, s := range k.Keys() {
		out = append(out, "`"+cell(s)+"`")
	}
	return strings.Join(out, " ")
}
