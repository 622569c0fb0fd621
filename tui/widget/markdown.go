package widget

import (
	"strings"

	"github.com/backside4charter/dispatcher/themes"
)

// Markdown lays an issue's text out for reading in w cells: headings stand
// out, boxes and list items hang, code and tables keep their lines, paragraphs
// wrap, emphasis and links lose their marks. Nothing of the text is left out
// but those marks; a link's address is shown, HTML is text.
//
// It is ours and not a library's because every line must be exactly as wide as
// its room however terminals measure, and because boxes are ticked where they
// stand.
func Markdown(text string, w int, st *themes.Styles) []string {
	out, _ := MarkdownRows(text, w, st)
	return out
}

// MarkdownRows is Markdown, with the first row of each line of the text.
func MarkdownRows(text string, w int, st *themes.Styles) (rows []string, starts []int) {
	fence := ""
	for _, line := range CleanLines(text) {
		starts = append(starts, len(rows))
		trimmed := strings.TrimLeft(line, " ")
		mark := fenceOf(trimmed)
		switch {
		case fence != "" && mark != "" && strings.HasPrefix(mark, fence):
			fence = ""
			rows = append(rows, (Line{{st.Border, line}}).Render(w, false, st))
		case fence != "":
			rows = append(rows, verbatim("  "+line, w, st)...)
		case mark != "":
			fence = mark
			rows = append(rows, (Line{{st.Border, line}}).Render(w, false, st))
		case isHeading(trimmed):
			for _, l := range wrapSpans(Line{{st.Title, strings.TrimLeft(trimmed, "# ")}}, w) {
				rows = append(rows, l.Render(w, false, st))
			}
		case isRule(trimmed):
			rows = append(rows, Divider("", w, st))
		case strings.HasPrefix(trimmed, "|"):
			rows = append(rows, verbatim(line, w, st)...)
		default:
			rows = append(rows, paragraph(line, trimmed, w, st)...)
		}
	}
	return rows, starts
}

// fenceOf is the mark that opens or closes a block of code, empty for none.
func fenceOf(s string) string {
	for _, c := range []string{"`", "~"} {
		if strings.HasPrefix(s, strings.Repeat(c, 3)) {
			return s[:len(s)-len(strings.TrimLeft(s, c))]
		}
	}
	return ""
}

func isHeading(s string) bool {
	rest := strings.TrimLeft(s, "#")
	n := len(s) - len(rest)
	return n > 0 && n < 7 && strings.HasPrefix(rest, " ") && strings.TrimSpace(rest) != ""
}

// isRule says whether a line is only a rule: three marks or more, alike.
func isRule(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 3 {
		return false
	}
	return strings.Trim(s, "-") == "" || strings.Trim(s, "*") == "" || strings.Trim(s, "_") == ""
}

func verbatim(line string, w int, st *themes.Styles) []string {
	wrapped := Wrap(line, w)
	out := make([]string, 0, len(wrapped))
	for _, l := range wrapped {
		out = append(out, (Line{{st.Accent, l}}).Render(w, false, st))
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
	wrapped := wrapSpans(Inline(rest, st.Text, st), w-hang)
	out := make([]string, 0, len(wrapped))
	for i, l := range wrapped {
		row := Line{{Text: blank(hang)}}
		if i == 0 && mark != "" {
			row = Line{{Text: blank(indent)}, {ink, mark}}
		}
		out = append(out, append(row, l...).Render(w, false, st))
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
