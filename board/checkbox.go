package board

import (
	"fmt"
	"regexp"
	"strings"
)

// Checkbox is one item of a Markdown task list in an issue's description.
type Checkbox struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
	Line int    `json:"line"` // 1-based line of the body
}

// checkboxItem is a list item that starts with a box: `- [ ] text`, at any
// depth, numbered lists and quotes included.
var checkboxItem = regexp.MustCompile(`^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([ xX])(\](?:[ \t]+(.*)|[ \t]*))$`)

// Checkboxes lists the boxes of a Markdown text in order. What stands in a
// code fence or an HTML comment is an example, not a box.
func Checkboxes(body string) []Checkbox {
	var boxes []Checkbox
	eachBox(body, func(line int, _ string, m []string) string {
		boxes = append(boxes, Checkbox{Text: strings.TrimSpace(m[4]), Done: m[2] != " ", Line: line})
		return ""
	})
	return boxes
}

// AllTicked says whether every box is ticked, and how many are and exist.
func AllTicked(body string) (done, all int, ok bool) {
	for _, b := range Checkboxes(body) {
		all++
		if b.Done {
			done++
		}
	}
	return done, all, done == all
}

// Tick sets or clears one box and answers the new text; every other byte stays
// as it is. A box that already is as asked is no error. It fails with
// ErrNotFound when there is no such box, or when a text fits more than one.
func Tick(body string, box Box) (string, error) {
	n, err := findBox(Checkboxes(body), box)
	if err != nil {
		return "", err
	}
	i := 0
	return eachBox(body, func(_ int, line string, m []string) string {
		i++
		if i != n {
			return line
		}
		mark := " "
		if box.Set {
			mark = "x"
		}
		if (m[2] != " ") == box.Set {
			mark = m[2]
		}
		return m[1] + mark + m[3]
	}), nil
}

// findBox is the 1-based number of the box that is meant.
func findBox(boxes []Checkbox, box Box) (int, error) {
	if len(boxes) == 0 {
		return 0, fmt.Errorf("%w: the description has no checkbox", ErrNotFound)
	}
	if box.N != 0 || box.Text == "" {
		if box.N < 1 || box.N > len(boxes) {
			return 0, fmt.Errorf("%w: checkbox %d; the description has 1 to %d", ErrNotFound, box.N, len(boxes))
		}
		return box.N, nil
	}
	found := 0
	for i, b := range boxes {
		if b.Text == box.Text {
			return i + 1, nil
		}
		if !strings.Contains(strings.ToLower(b.Text), strings.ToLower(box.Text)) {
			continue
		}
		if found != 0 {
			return 0, fmt.Errorf("%w: %q fits the checkboxes %d and %d; name one by its number", ErrNotFound, box.Text, found, i+1)
		}
		found = i + 1
	}
	if found == 0 {
		return 0, fmt.Errorf("%w: no checkbox contains %q", ErrNotFound, box.Text)
	}
	return found, nil
}

// eachBox calls fn for every line that is a box and answers the text with
// those lines replaced by what fn answers. Line ends stay as they are.
func eachBox(body string, fn func(n int, line string, m []string) string) string {
	var out strings.Builder
	fence, comment := "", false
	n := 0
	for rest := body; rest != ""; {
		n++
		line, end := rest, ""
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			line, end = rest[:i], "\n"
		}
		rest = rest[len(line)+len(end):]
		if strings.HasSuffix(line, "\r") {
			line, end = line[:len(line)-1], "\r"+end
		}
		code := fence != ""
		fence = nextFence(line, fence)
		if !code && fence == "" {
			hidden := comment
			comment = inComment(line, comment)
			if m := checkboxItem.FindStringSubmatch(line); m != nil && !hidden {
				line = fn(n, line, m)
			}
		}
		out.WriteString(line)
		out.WriteString(end)
	}
	return out.String()
}

// nextFence follows code fences: it answers the fence that is open after the
// line, given the one that is open before it.
func nextFence(line, open string) string {
	t := strings.TrimLeft(line, " \t>")
	if t == "" || (t[0] != '`' && t[0] != '~') {
		return open
	}
	run := len(t) - len(strings.TrimLeft(t, t[:1]))
	switch {
	case run < 3:
		return open
	case open == "":
		if t[0] == '`' && strings.Contains(t[run:], "`") {
			return "" // inline code, not a fence
		}
		return t[:run]
	case t[0] == open[0] && run >= len(open) && strings.TrimSpace(t[run:]) == "":
		return ""
	}
	return open
}

// inComment follows HTML comments the same way.
func inComment(line string, open bool) bool {
	for {
		mark := "<!--"
		if open {
			mark = "-->"
		}
		i := strings.Index(line, mark)
		if i < 0 {
			return open
		}
		line, open = line[i+len(mark):], !open
	}
}
