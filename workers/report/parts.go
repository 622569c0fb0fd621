package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What is kept of a message's parts, so that a runaway report stays small.
const (
	maxFollowUps  = 50
	maxEntryRunes = 2000
	maxPartRunes  = 8000
)

var (
	pullURL  = regexp.MustCompile(`https?://[A-Za-z0-9.:-]+/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+/pull/[0-9]{1,9}`)
	pullName = regexp.MustCompile(`(?i)\b(?:pull request|pull|pr)\b[^#\n\pL]{0,6}(#[0-9]{1,9})\b`)
	branch   = regexp.MustCompile(`\btask/[A-Za-z0-9][A-Za-z0-9._-]{0,199}`)
	bullet   = regexp.MustCompile(`^\s*(?:[-*+]|[0-9]{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)
)

// mentions finds the pull request and the task branch that a message names.
// A bare `#3` is not taken for a pull request: on some boards issues are
// named like that.
func mentions(text string) (pr, task string) {
	if u := pullURL.FindString(text); u != "" {
		pr = u
	} else if m := pullName.FindStringSubmatch(text); m != nil {
		pr = m[1]
	}
	return pr, strings.TrimRight(branch.FindString(text), ".-_")
}

// section is the text under a heading of that name: a Markdown heading, an
// emphasised line, or `Name:` with text after it. It ends at the next
// heading, or at the line that answers.
func section(doc document, name string) string {
	var out []string
	in := false
	for _, l := range doc.lines {
		if !l.code {
			if title, rest, ok := heading(l.text); ok {
				if in && title != name {
					break
				}
				if title == name {
					in = true
					out = append(out, rest)
					continue
				}
			}
		}
		if in {
			out = append(out, l.text)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// known are the section names that also count without heading marks, when a
// colon follows; and the words of the answers, which end a section.
var known = []string{"how to verify", "follow-ups", "follow ups", "followups", "status", "verdict", "gates", "branch", "pull request", "checkboxes"}

// heading reads a line as a heading: its name in lower case and what follows.
func heading(text string) (name, rest string, ok bool) {
	hashes := len(text) - len(strings.TrimLeft(text, "#"))
	body := strings.TrimSpace(text[hashes:])
	marked := hashes > 0 && hashes <= 6 && len(text) > hashes && text[hashes] == ' '
	if hashes > 0 && !marked {
		return "", "", false
	}
	if !marked && strings.HasPrefix(body, "**") {
		if end := strings.Index(body[2:], "**"); end > 0 {
			after := strings.TrimSpace(body[2+end+2:])
			inner := strings.TrimSpace(body[2 : 2+end])
			if after == "" || strings.HasPrefix(after, ":") || strings.HasSuffix(inner, ":") {
				return canonical(inner), strings.TrimSpace(strings.TrimPrefix(after, ":")), true
			}
		}
		return "", "", false
	}
	if marked {
		title, after, _ := strings.Cut(body, ":")
		return canonical(title), strings.TrimSpace(after), true
	}
	for _, k := range known {
		if len(body) > len(k) && strings.EqualFold(body[:len(k)], k) && body[len(k)] == ':' {
			return canonical(body[:len(k)]), strings.TrimSpace(body[len(k)+1:]), true
		}
	}
	return "", "", false
}

func canonical(title string) string {
	t := strings.ToLower(strings.Trim(title, " *_:`"))
	switch t {
	case "follow ups", "followups", "follow-up", "follow-ups":
		return "follow-ups"
	}
	return t
}

// entries are the list entries of a section, or its paragraphs when it is no
// list; "none" and its like are no entry.
func entries(text string) []string {
	var out []string
	open := false // the last entry still takes lines
	for l := range strings.SplitSeq(text, "\n") {
		mark := bullet.FindString(l)
		body := strings.TrimSpace(l[len(mark):])
		switch {
		case body == "":
			open = false
		case mark == "" && open:
			out[len(out)-1] += " " + body
		default:
			out = append(out, body)
			open = true
		}
	}
	kept := out[:0]
	for _, e := range out {
		switch strings.ToLower(strings.Trim(e, " .*_-()")) {
		case "none", "n/a", "nothing", "no", "no follow-ups", "":
			continue
		}
		if len(kept) == maxFollowUps {
			break
		}
		kept = append(kept, cut(e, maxEntryRunes))
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// cut shortens text to n runes, the last of them an ellipsis.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	i := 0
	for pos := range text {
		if i == n-1 {
			return text[:pos] + "…"
		}
		i++
	}
	return text
}
