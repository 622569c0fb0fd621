package questions

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/loop/state"
)

// option is a numbered choice in a question's text, chosen an answer that
// begins with the number of one: alone, or with the sign of a list after it.
var (
	option = regexp.MustCompile(`(?m)^([ \t]*)(?:[-*][ \t]+)?(?:\*\*)?([1-9])[.):](?:\*\*)?[ \t]+(\S.*)$`)
	chosen = regexp.MustCompile(`^([1-9])(?:[.)](?:[ \t]+(.*))?)?$`)
)

// nested is how far a list is indented that stands inside another one.
const nested = 3

// Option is the text of a question's choice number n, which is one digit. What
// can be chosen stands last: a list before it says something else, such as what
// was done.
func Option(question, n string) (string, bool) {
	choices, last, indent := map[string]string{}, "", 0
	for _, m := range option.FindAllStringSubmatch(question, -1) {
		in := len(strings.ReplaceAll(m[1], "\t", "    "))
		switch {
		case last != "" && in >= indent+nested:
			continue
		case m[2] <= last:
			clear(choices)
			indent = in
		case last == "":
			indent = in
		}
		last = m[2]
		choices[last] = strings.TrimSpace(m[3])
	}
	text, ok := choices[n]
	return text, ok
}

// InFull writes an answer that begins with an option's number out: whoever
// reads `1` later should not need the question beside it. Any other answer
// stays as it is: "3 hours" are words.
func InFull(question, answer string) string {
	head, rest, _ := strings.Cut(answer, "\n")
	m := chosen.FindStringSubmatch(strings.TrimSpace(head))
	if m == nil {
		return answer
	}
	text, ok := Option(question, m[1])
	tail := strings.TrimSpace(m[2])
	if !ok || tail == text {
		return answer
	}
	out := m[1] + ". " + text
	if tail != "" {
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
