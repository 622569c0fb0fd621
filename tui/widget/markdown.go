package widget

import (
	"strings"

	"github.com/backside4charter/dispatcher/themes"
)

// Markdown lays an issue's text out for reading in w cells: headings stand
// out, boxes and list items hang, code keeps its lines, paragraphs wrap. It
// shows every character of the text that Clean keeps; it never interprets
// links, HTML or images.
func Markdown(text string, w int, st *themes.Styles) []string {
	var out []string
	code := false
	for _, line := range CleanLines(text) {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			code = !code
			out = append(out, (Line{{st.Muted, line}}).Render(w, false, st))
		case code:
			for _, l := range Wrap("  "+line, w) {
				out = append(out, (Line{{st.Accent, l}}).Render(w, false, st))
			}
		case strings.HasPrefix(trimmed, "#") && strings.Contains(trimmed, " "):
			for _, l := range Wrap(line, w) {
				out = append(out, (Line{{st.Title, l}}).Render(w, false, st))
			}
		default:
			out = append(out, paragraph(line, trimmed, w, st)...)
		}
	}
	return out
}

// paragraph wraps one line of text, its item mark or box hanging.
func paragraph(line, trimmed string, w int, st *themes.Styles) []string {
	indent := len(line) - len(trimmed)
	mark, rest := splitMark(trimmed)
	ink := st.Muted
	switch {
	case strings.HasPrefix(mark, "[x]"):
		ink = st.Good
	case strings.HasPrefix(mark, "[ ]"):
		ink = st.Warn
	case mark == "> ":
		ink = st.Border
	}
	indent = min(indent, w/2)
	hang := indent + Width(mark)
	if hang >= w-4 {
		hang, indent, mark, rest = 0, 0, "", line
	}
	var out []string
	for i, l := range Wrap(rest, w-hang) {
		row := Line{{Text: blank(hang)}, {st.Text, l}}
		if i == 0 && mark != "" {
			row = Line{{Text: blank(indent)}, {ink, mark}, {st.Text, l}}
		}
		out = append(out, row.Render(w, false, st))
	}
	return out
}

// splitMark takes an item mark off a line and shows boxes without their dash.
func splitMark(s string) (mark, rest string) {
	for _, m := range []string{"- ", "* ", "+ ", "> "} {
		if !strings.HasPrefix(s, m) {
			continue
		}
		rest = s[len(m):]
		if m == "> " {
			return m, rest
		}
		low := strings.ToLower(rest)
		if strings.HasPrefix(low, "[ ] ") || strings.HasPrefix(low, "[x] ") {
			return low[:4], rest[4:]
		}
		return "- ", rest
	}
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			continue
		}
		if i > 0 && i < 4 && (s[i] == '.' || s[i] == ')') && i+1 < len(s) && s[i+1] == ' ' {
			return s[:i+2], s[i+2:]
		}
		break
	}
	return "", s
}
