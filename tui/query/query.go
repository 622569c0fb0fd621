// Package query is what find takes on lists of issues: words, matched
// fuzzily, and fields such as `role:review` or `worker:dev`.
//
// It is pure and total: every text is a query, every query has an answer for
// every row, and what a row does not have never matches.
package query

import (
	"slices"
	"strings"
	"unicode"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Fields lists what can stand before a colon, for help.
func Fields() []string { return []string{"role", "label", "milestone", "waiting", "worker"} }

// term is one word, perhaps of a field.
type term struct {
	field string
	text  string
}

// Query is a parsed text. The zero Query matches everything.
type Query struct{ terms []term }

// Parse reads a text; every text is a query.
func Parse(text string) Query {
	var q Query
	for _, w := range words(strings.ToLower(text)) {
		t := term{text: w}
		if name, rest, ok := strings.Cut(w, ":"); ok && known(name) {
			t = term{name, strings.Trim(rest, `"`)}
		}
		t.text = strings.Trim(t.text, `"`)
		if t.text != "" {
			q.terms = append(q.terms, t)
		}
	}
	return q
}

func known(name string) bool {
	return slices.Contains(Fields(), name)
}

// words splits at blanks; quotes hold blanks together: label:"needs work".
func words(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && unicode.IsSpace(r)
	})
}

// Empty says that everything matches.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Match says whether a row passes every term. worker is the one on it, nil
// without one.
func (q Query) Match(row *state.Row, worker *state.Worker) bool {
	for _, t := range q.terms {
		if !t.match(row, worker) {
			return false
		}
	}
	return true
}

// MatchPull says whether a pull request passes every term: words of its own, and
// what is asked of its issue, whose row may be nil.
func (q Query) MatchPull(p *state.Pull, row *state.Row, worker *state.Worker) bool {
	for _, t := range q.terms {
		own := t.field == "" && (has(p.PR.Name, t.text) || has(string(p.Ref), t.text) || has(p.PR.Head, t.text) || Fuzzy(p.PR.Title, t.text))
		if !own && (row == nil || !t.match(row, worker)) {
			return false
		}
	}
	return true
}

func (t term) match(row *state.Row, w *state.Worker) bool {
	i := &row.Issue
	switch t.field {
	case "role":
		return flat(string(i.Role), t.text) || flat(i.Role.DefaultName(), t.text) || flat(i.State, t.text)
	case "label":
		return anyHas(i.Labels, t.text)
	case "milestone":
		return has(i.Milestone, t.text)
	case "waiting":
		return has(row.Hold, t.text) || has(row.Waits, t.text)
	case "worker":
		return t.matchWorker(i, w)
	}
	return has(string(i.Ref), t.text) || anyHas(i.Labels, t.text) || Fuzzy(i.Title, t.text)
}

// matchWorker looks into who works the row: `any` is anybody, `none` nobody.
func (t term) matchWorker(i *board.Issue, w *state.Worker) bool {
	worked := w != nil || i.Claim != nil || i.HumanOwned()
	switch {
	case t.text == "none":
		return !worked
	case t.text == "any":
		return worked
	case w != nil && (has(string(w.Run.Kind), t.text) || has(w.Run.Agent, t.text) || has(w.Activity, t.text)):
		return true
	case i.Claim != nil && has(string(i.Claim.Kind), t.text):
		return true
	}
	return has(i.Assignee, t.text)
}

// flat is has without blanks and hyphens: role:inprogress, role:in-progress.
func flat(s, text string) bool {
	squeeze := strings.NewReplacer(" ", "", "-", "", "_", "")
	return has(squeeze.Replace(s), squeeze.Replace(text))
}

func has(s, text string) bool { return s != "" && strings.Contains(strings.ToLower(s), text) }

func anyHas(list []string, text string) bool {
	for _, s := range list {
		if has(s, text) {
			return true
		}
	}
	return false
}

// Fuzzy says whether text, in lower case, is in s, or its letters are in order
// where the first stands at the start of a word and every other goes on in
// that word or starts a later one: `impwz` is in "Import wizard". Texts of one
// or two letters must stand there as they are.
func Fuzzy(s, text string) bool {
	s = strings.ToLower(s)
	if strings.Contains(s, text) {
		return true
	}
	want := []rune(text)
	if len(want) < 3 {
		return false
	}
	runes := []rune(s)
	if len(runes) > longest {
		runes = runes[:longest]
	}
	at := make([]bool, len(runes)) // where the letters so far can end
	for i := range runes {
		at[i] = starts(runes, i) && runes[i] == want[0]
	}
	for _, r := range want[1:] {
		if at = onward(runes, at, r); at == nil {
			return false
		}
	}
	return slices.Contains(at, true)
}

// longest is how far into a text the fuzzy search looks.
const longest = 200

func starts(s []rune, i int) bool { return i == 0 || (!letter(s[i-1]) && letter(s[i])) }

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// onward says where one more letter can stand: later in the word of a place so
// far, or at the start of any later word. Nil if nowhere.
func onward(s []rune, at []bool, r rune) []bool {
	out := make([]bool, len(s))
	some, before, inWord := false, false, false
	for i := range s {
		if starts(s, i) || !letter(s[i]) {
			inWord = false
		}
		if s[i] == r && (inWord || (before && starts(s, i))) {
			out[i], some = true, true
		}
		if at[i] {
			before, inWord = true, true
		}
	}
	if !some {
		return nil
	}
	return out
}
