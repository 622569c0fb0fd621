package questions

import (
	"regexp"
	"strings"
)

// option is a numbered choice in a question's text.
var option = regexp.MustCompile(`(?m)^[ \t]*(?:[-*][ \t]+)?(?:\*\*)?([1-9])[.):](?:\*\*)?[ \t]+(\S.*)$`)

// Option is the text of a question's choice number n, which is one digit.
func Option(question, n string) (string, bool) {
	for _, m := range option.FindAllStringSubmatch(question, -1) {
		if m[1] == n {
			return strings.TrimSpace(m[2]), true
		}
	}
	return "", false
}

// InFull writes an answer that begins with a bare option number out: whoever
// reads `1` later should not need the question beside it. Any other answer
// stays as it is.
func InFull(question, answer string) string {
	head, rest, _ := strings.Cut(answer, "\n")
	n, tail, _ := strings.Cut(head, " ")
	n = strings.TrimRight(n, ".)")
	text, ok := Option(question, n)
	if !ok {
		return answer
	}
	out := n + ". " + text
	if tail = strings.TrimSpace(tail); tail != "" {
		out += "\n" + tail
	}
	if rest != "" {
		out += "\n" + rest
	}
	return out
}
