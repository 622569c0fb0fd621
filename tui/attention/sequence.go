package attention

import (
	"strings"
)

// Style is how a terminal is asked for a notification.
type Style string

// The styles in use. The empty style sends none.
const (
	OSC9   Style = "osc9"
	OSC777 Style = "osc777"
)

// maxText is how many cells of a notification are sent.
const maxText = 160

// name stands before every notification. It also keeps a text that begins with
// a number from being taken for one of the commands that some terminals have
// after the same 9.
const name = "dispatcher"

// notification is the sequence that shows a clean text; through a tmux it is
// wrapped, and its escapes doubled.
func notification(s Style, tmux bool, text string) string {
	var out string
	switch s {
	case OSC9:
		out = "\x1b]9;" + name + ": " + text + "\x1b\\"
	case OSC777:
		out = "\x1b]777;notify;" + name + ";" + strings.ReplaceAll(text, ";", ",") + "\x1b\\"
	default:
		return ""
	}
	if tmux {
		return "\x1bPtmux;" + strings.ReplaceAll(out, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return out
}

// Detect says which style the terminal of this environment takes, and whether
// a tmux stands before it. A terminal that takes neither ignores them.
func Detect(getenv func(string) string) (_ Style, tmux bool) {
	tmux = getenv("TMUX") != ""
	term := getenv("TERM")
	switch {
	case term == "" || term == "dumb" || term == "linux":
		return "", tmux
	case getenv("VTE_VERSION") != "" || strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt"):
		return OSC777, tmux
	}
	return OSC9, tmux
}
