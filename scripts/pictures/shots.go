//go:build unix

package main

import (
	"fmt"
	"strings"
)

// shot is one picture: when it can be taken (nil is at once), what is typed, what
// must be on the screen, and what is typed afterwards to be on the board again.
type shot struct {
	name    string
	title   string // for those who cannot see it
	w, h    int
	when    func(screen string) bool
	keys    []string
	waitFor func(screen string) bool
	back    []string
}

// pause stands between two keys that together would be another one.
const pause = ""

// The sizes of which every view has a picture.
var sizes = [][2]int{{200, 60}, {80, 24}}

// esc is the escape key, alone.
const esc = "\x1b"

// home are the keys that lead back to the board from anywhere.
var home = []string{esc, pause, esc, pause, "1"}

// shots are all pictures, in the order in which they are taken in one life of
// the demo: first the moments of the README, then every view once it has
// something to show, then every theme.
func shots() []shot {
	out := append(moments(), asks()...)
	for _, size := range sizes {
		for _, v := range views() {
			v.w, v.h = size[0], size[1]
			v.name = fmt.Sprintf("%dx%d/%s", v.w, v.h, v.name)
			v.title = fmt.Sprintf("%s, %d columns by %d lines", v.title, v.w, v.h)
			out = append(out, v)
		}
	}
	for _, name := range []string{"dusk", "night", "ember", "slate", "dawn", "paper", "frost", "high-contrast", "high-contrast-light"} {
		out = append(out, shot{
			name: "themes/" + name, title: "The board in the theme " + name, w: 120, h: 30,
			keys: []string{":", pause, "theme " + name, pause, "\r", pause, "j", pause, "k"}, waitFor: shows("In progress"),
		})
	}
	return out
}

// moments are the pictures of the README, at the moments at which they tell
// most.
func moments() []shot {
	return []shot{
		{
			name: "workers", title: "A worker's transcript: what it says, the commands it runs, the changes it makes", w: 120, h: 30,
			keys: []string{"2", pause, pause, pause, pause, pause, pause, pause, pause, "j"}, waitFor: func(s string) bool { return strings.Count(s, " ✓ ") >= 9 && strings.Contains(s, "DSP-1 developer") },
		},
		{
			name: "board", title: "The board: every row says why it waits; live workers below, what needs you above", w: 120, h: 30,
			keys: []string{"1"}, waitFor: func(s string) bool {
				return strings.Contains(s, "question, ") && !strings.Contains(s, "Review 0") && strings.Count(s, "●") >= 3 && whole(s)
			},
		},
		{
			name: "needs-you", title: "What needs you: a worker's question with its options, and the field for your answer", w: 120, h: 30,
			keys: []string{":", pause, "DSP-2", pause, "\r", pause, "a", pause, "1"}, waitFor: func(s string) bool { return strings.Contains(s, "Your answer") && whole(s) },
			back: []string{esc, pause, "1"},
		},
	}
}

// asks are the pictures of a worker that waits for a permission, which it does
// for two minutes.
func asks() []shot {
	var out []shot
	for _, size := range sizes {
		out = append(out, shot{
			name: fmt.Sprintf("%dx%d/ask", size[0], size[1]), title: fmt.Sprintf("A worker asks for a permission, %d columns by %d lines", size[0], size[1]),
			w: size[0], h: size[1], when: shows("DSP-3 asks"), keys: []string{"3", pause, "h", pause, "g", "g", pause, "a"}, waitFor: shows("allow once"), back: home,
		})
	}
	return out
}

// views are all views, from the board, when the demo's agents have come to
// rest and its owner is asked.
func views() []shot {
	return []shot{
		{name: "board", title: "The board", keys: []string{"1"}, waitFor: func(s string) bool { return strings.Contains(s, "5 to re") && shows("In progress")(s) }},
		{name: "issue", title: "An issue with its reasons and its history", keys: []string{"\r"}, waitFor: shows("Description"), back: home},
		{name: "needs-you", title: "What needs you", keys: []string{"3", pause, "h"}, waitFor: shows("Needs you"), back: home},
		{name: "answer", title: "An answer to a question", keys: []string{":", pause, "DSP-2", pause, "\r", pause, "a"}, waitFor: shows("Your answer"), back: home},
		{name: "workers", title: "The workers", keys: []string{"2"}, waitFor: shows("Workers"), back: home},
		{name: "workers-grid", title: "The workers, side by side", keys: []string{"2", pause, "v"}, waitFor: shows("try 1"), back: append([]string{"v", pause}, home...)},
		{name: "transcript", title: "A worker's transcript", keys: []string{"2", pause, "\r"}, waitFor: shows("Workers"), back: home},
		{name: "pull-requests", title: "The pull requests", keys: []string{"4"}, waitFor: shows("#1"), back: home},
		{name: "diff", title: "The change of a pull request", keys: []string{"4", pause, "d"}, waitFor: shows("Files"), back: home},
		{name: "diff-side-by-side", title: "Both sides of a change", keys: []string{"4", pause, "d", pause, "v"}, waitFor: shows("Files"), back: append([]string{"v", pause}, home...)},
		{name: "log", title: "The log, one line a firing", keys: []string{"5"}, waitFor: shows("firing"), back: home},
		{name: "money", title: "What was spent", keys: []string{"g", "m"}, waitFor: shows("$"), back: home},
		{name: "next-firing", title: "What the next firing would do", keys: []string{"g", "f"}, waitFor: shows("firing"), back: home},
		{name: "find", title: "Find on the board", keys: []string{"/", "list"}, waitFor: shows("list"), back: home},
		{name: "palette", title: "The palette: every action with its key, and every issue", keys: []string{":", pause, "m"}, waitFor: shows("move"), back: home},
		{name: "move", title: "A row is moved from a menu", keys: []string{"m"}, waitFor: shows("Ready"), back: home},
		{name: "why", title: "Why a row waits, rule by rule", keys: []string{"w"}, waitFor: shows("help"), back: home},
		{name: "help", title: "The keys of a view", keys: []string{"?"}, waitFor: shows("Keys"), back: home},
		{name: "leave", title: "Leaving: the loop goes on, drains or is aborted", keys: []string{"q"}, waitFor: shows("leave"), back: home},
	}
}

// shows waits for a word on a screen that stands whole.
func shows(word string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, word) }
}

// whole: the last line says what the keys do, so that the screen has been drawn
// in its present size.
func whole(s string) bool {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	last := lines[len(lines)-1]
	return strings.Contains(last, "help") || strings.Contains(last, "send")
}

// browsing: nothing lies over the view, and no field is open.
func browsing(s string) bool { return whole(s) && strings.Contains(s, "? help") }
