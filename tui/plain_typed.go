package tui

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/muesli/cancelreader"

	"github.com/backside4charter/dispatcher/tui/widget"
)

// maxTyped is far longer than anything a person types on one line.
const maxTyped = 64 << 10

// hear hands on what is typed, line by line, until it is told to stop. What is
// typed after that is the next reader's, wherever a read can be called off.
func hear(in io.Reader, send func(tea.Msg)) (stop func()) {
	done, off := make(chan struct{}), func() {}
	if r, err := cancelreader.NewReader(in); err == nil {
		in = r
		off = func() {
			if r.Cancel() {
				<-done
			}
			_ = r.Close()
		}
	}
	go func() {
		defer close(done)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxTyped)
		for lines.Scan() {
			send(typedMsg(lines.Text()))
		}
		send(endMsg{})
	}()
	return off
}

// typedMsg is one line from the person.
type typedMsg string

// messages are what a typed line means to the room: in a field the text and
// the key that sends it, elsewhere one key, by name or by its letter, or
// several letters.
func (s *speaker) messages(line string) []tea.Msg {
	line = strings.TrimRight(line, "\r")
	switch {
	case s.room.takesText() && line == "":
		return []tea.Msg{named("esc")}
	case s.room.takesText():
		return []tea.Msg{tea.PasteMsg{Content: line}, named("enter")}
	case line == "" && s.room.overlaid():
		return []tea.Msg{named("esc")}
	case line == "":
		return nil
	}
	if k := named(strings.ToLower(line)); k.Code != 0 {
		return []tea.Msg{k}
	}
	if why := s.unkeyed(line); why != "" {
		return []tea.Msg{unkeyedMsg(why)}
	}
	var out []tea.Msg
	for _, r := range line {
		out = append(out, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return out
}

// unkeyedMsg says why a line was not taken for keys.
type unkeyedMsg string

// keysMost is how many letters on one line are keys one after the other.
const keysMost = 4

// unkeyed says why a line is not taken for keys: a sentence that was meant for
// a field, or what an arrow sends, would do whatever its letters mean.
func (s *speaker) unkeyed(line string) string {
	switch {
	case strings.ContainsFunc(line, unicode.IsControl):
		return "that was no key; arrows and others have names here: up, down, left, right, enter, esc, tab, space"
	case line[0] == '/', line[0] == ':':
		return ""
	case utf8.RuneCountInString(line) > keysMost:
		return "no field is open, and " + strconv.Quote(widget.Clean(line)) + " is no key: nothing was done; ? lists the keys"
	}
	return ""
}

var keyNames = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1,
}

// named is a key by its name, the zero key for none.
func named(name string) tea.KeyPressMsg {
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok && len(letter) == 1 {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	if name == "shift+tab" {
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	}
	k := tea.KeyPressMsg{Code: keyNames[name]}
	if name == "space" {
		k.Text = " "
	}
	return k
}
