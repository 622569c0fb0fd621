package board

import (
	"strconv"
	"strings"
)

// markPrefix starts the machine line of a tagged comment.
const markPrefix = "dispatcher:v1"

// Mark is the machine line that ends a tagged comment of ours: what another
// machine needs to know of a run when our state folder is not at hand
// (design.md, section 10):
//
//	dispatcher:v1 run=… kind=… try=n head=<sha> base=<sha> carried=<ids> from=<role>
//
// It may be believed only in comments of our own roles and account.
type Mark struct {
	Run      string
	Kind     Kind
	Try      int
	Head     string   // head of the pull request that was worked or judged
	Base     string   // default branch at that time
	Carried  []string // ids of the reviews that the prompt carried
	From     Role     // a clean-up's prior state
	Delegate Delegate // a clean-up's prior delegate
}

// String is the line, with only the keys that have a value.
func (m Mark) String() string {
	var b strings.Builder
	b.WriteString(markPrefix)
	put := func(key, value string) {
		if value = markWord(value); value != "" {
			b.WriteString(" " + key + "=" + value)
		}
	}
	put("run", m.Run)
	put("kind", string(m.Kind))
	if m.Try > 0 {
		put("try", strconv.Itoa(m.Try))
	}
	put("head", m.Head)
	put("base", m.Base)
	put("carried", strings.Join(m.Carried, ","))
	put("from", m.From.Word())
	put("delegate", string(m.Delegate))
	return b.String()
}

// markWord drops what would end a value early.
func markWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// ParseMark reads the machine line of a comment's body: its last line that is
// not empty. Unknown keys and values that make no sense are ignored; it
// reports false when there is no such line.
func ParseMark(body string) (Mark, bool) {
	_, line := cutMark(body)
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != markPrefix {
		return Mark{}, false
	}
	var m Mark
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if ok {
			m.set(key, value)
		}
	}
	return m, true
}

func (m *Mark) set(key, value string) {
	switch key {
	case "run":
		m.Run = value
	case "kind":
		m.Kind, _ = ParseKind(value)
	case "try":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			m.Try = n
		}
	case "head":
		m.Head = value
	case "base":
		m.Base = value
	case "carried":
		m.Carried = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
	case "from":
		m.From, _ = ParseRole(value)
	case "delegate":
		m.Delegate = Delegate(value)
	}
}

// WithMark is body with the machine line as its last.
func WithMark(body string, m Mark) string {
	return strings.TrimRight(body, " \t\r\n") + "\n\n" + m.String()
}

// WithoutMark is body without its machine line, for people.
func WithoutMark(body string) string {
	text, _ := cutMark(body)
	return text
}

// cutMark splits a body into its text and its machine line, which is empty
// when the body has none.
func cutMark(body string) (text, line string) {
	trimmed := strings.TrimRight(body, " \t\r\n")
	at := strings.LastIndexByte(trimmed, '\n') + 1
	last := strings.TrimSpace(trimmed[at:])
	if last != markPrefix && !strings.HasPrefix(last, markPrefix+" ") {
		return body, ""
	}
	return strings.TrimRight(trimmed[:at], " \t\r\n"), last
}
