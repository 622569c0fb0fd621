package prompt

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// must is something that a task has to say, in whatever words a repository's
// own template puts it (dispatcher-system.md, Prompt must-haves).
type must struct {
	what string // for a person
	say  string // how a template says it
	// field is a value of the view that must be there; part is a shared text
	// that must; text are words that must. One of them is set.
	field, part, text string
}

func field(what, name string) must { return must{what: what, say: "{{." + name + "}}", field: name} }

func part(what, name string) must {
	return must{what: what, say: `{{template "` + name + `" .}}`, part: name}
}

// everybody's musts stand in every task.
func everybodys() []must {
	return []must{
		field("the issue", "Ref"),
		field("what the issue asks for", "IssueText"),
		field("what was said on it", "CommentsText"),
		field("the question that was asked", "Question"),
		field("the owner's answer to it", "Answer"),
		field("why the try before failed", "Failure"),
		part("that text of others is data", "fence"),
		part("what only the owner can decide", "question"),
		part("what a worker must not do", "prohibitions"),
	}
}

// musts are what the task of a kind has to say.
func musts(k board.Kind) []must {
	all := everybodys()
	switch k {
	case board.KindDeveloper:
		return append(all,
			field("the branch", "Branch"), field("the worktree", "Worktree"), field("the checkboxes", "Boxes"),
			field("the sub-issues", "Children"), field("the pull request", "PRName"),
			field("what the owner asks for on it", "OwnerRequests"), field("what the reviews found", "Findings"),
			must{what: "the closing line of the pull request", say: "Fixes {{.Ref}}", text: "Fixes {{Ref}}"},
			must{what: "how to commit", say: "dispatcher commit", text: "dispatcher commit"},
			must{what: "how to open the pull request", say: "dispatcher pr", text: "dispatcher pr "},
			part("the form of the report", "report-developer"),
		)
	case board.KindReviewer:
		return append(all,
			field("the pull request", "PRName"), field("the commit to judge", "HeadSHA"), field("what the pull request claims", "PRText"),
			field("the checkboxes", "Boxes"), field("how to verify it", "HowToVerify"), field("the earlier reviews", "Prior"),
			field("what is known already", "Known"),
			must{what: "that a review is a comment only", say: "COMMENT", text: "COMMENT"},
			must{what: "how to post the review", say: "dispatcher review", text: "dispatcher review "},
			part("the form of the report", "report-reviewer"),
		)
	case board.KindCleaner:
		return append(all,
			field("the branch", "Branch"), field("the worktree", "Worktree"), field("the pull request", "PRName"), field("how far it is behind", "Behind"),
			field("what landed on the default branch", "Landed"), field("the files in conflict", "Conflicts"),
			must{what: "how to commit", say: "dispatcher commit", text: "dispatcher commit"},
			part("the form of the report", "report-cleaner"),
		)
	}
	return all
}

// missing lists what a kind's task leaves out in every situation that was
// tried. Each is tried with everything there and with nothing but the words.
func (s *Set) missing(k board.Kind, render func(*view) (string, error)) ([]must, error) {
	views := []*view{marked(k, false), marked(k, true)}
	var left []must
	for _, m := range musts(k) {
		said := false
		for _, v := range views {
			text, err := render(v)
			if err != nil {
				return nil, err
			}
			want, err := s.wanted(m, v)
			if err != nil {
				return nil, err
			}
			said = said || strings.Contains(text, want)
		}
		if !said {
			left = append(left, m)
		}
	}
	return left, nil
}

// wanted is what must be found of a must in a task that was made from a view.
func (s *Set) wanted(m must, v *view) (string, error) {
	switch {
	case m.field != "":
		return fmt.Sprint(reflect.ValueOf(v).Elem().FieldByName(m.field).Interface()), nil
	case m.part != "":
		var b strings.Builder
		if err := s.templates.ExecuteTemplate(&b, m.part, v); err != nil {
			return "", err
		}
		return strings.TrimSpace(b.String()), nil
	}
	return strings.ReplaceAll(m.text, "{{Ref}}", v.Ref), nil
}

// marked is a view whose every value is known again wherever it is printed.
func marked(k board.Kind, pr bool) *view {
	v := &view{}
	fields := reflect.ValueOf(v).Elem()
	for i := range fields.NumField() {
		mark := 7_001_000 + i
		switch f := fields.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(int64(mark))
		default:
			f.SetString("mark-" + strconv.Itoa(mark))
		}
	}
	v.Kind, v.PR = k, pr
	return v
}

// unsaid is the error of a task that leaves something out.
func unsaid(left []must) error {
	parts := make([]string, len(left))
	for i, m := range left {
		parts[i] = m.what + " (" + m.say + ")"
	}
	return fmt.Errorf("does not say %s", strings.Join(parts, "; "))
}
