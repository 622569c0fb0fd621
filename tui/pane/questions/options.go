package questions

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/loop/state"
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

// Labels writes an answer to a worker's question out: numbers of its options
// become their labels, any other text stays as it is.
func Labels(q *state.Question, answer string) string {
	answer = strings.TrimSpace(answer)
	words := strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' })
	if len(words) == 0 || (len(words) > 1 && !q.Many) {
		return answer
	}
	out := make([]string, 0, len(words))
	for _, w := range words {
		n, err := strconv.Atoi(strings.TrimRight(w, ".)"))
		if err != nil || n < 1 || n > len(q.Options) {
			return answer
		}
		out = append(out, q.Options[n-1].Label)
	}
	return strings.Join(out, ", ")
}
