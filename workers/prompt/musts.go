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
	// when says whether a situation is one that it is a must for; nil is each. A
	// field is none where it is empty.
	when  func(*view) bool
	where string // the situation in which it was left out, where it is said in others
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
		{what: "the question that was asked", say: "{{.Question}}", field: "Question", when: func(v *view) bool { return v.Answer != "" }},
		field("the owner's answer to it", "Answer"),
		field("why the try before failed", "Failure"),
		part("that text of others is data", "fence"),
		part("what only the owner can decide", "question"),
		part("what a worker must not do", "prohibitions"),
	}
}

// opensOne: a pull request that is there is not opened again.
func opensOne(v *view) bool { return !v.PR }

// musts are what the task of a kind has to say.
func musts(k board.Kind) []must {
	all := everybodys()
	switch k {
	case board.KindDeveloper:
		return append(all,
			field("the branch", "Branch"), field("the worktree", "Worktree"), field("the checkboxes", "Boxes"),
			field("the sub-issues", "Children"), field("the pull request", "PRName"),
			field("what the owner asks for on it", "OwnerRequests"), field("what the reviews found", "Findings"),
			must{what: "the closing line of the pull request", say: "Fixes {{.Ref}}", text: "Fixes {{Ref}}", when: opensOne},
			must{what: "how to commit", say: "dispatcher commit", text: "dispatcher commit"},
			must{what: "how to open the pull request", say: "dispatcher pr", text: "dispatcher pr ", when: opensOne},
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

// missing lists what a kind's task leaves out in a situation that it is for:
// a must that stands in one situation only is none in the others.
func (s *Set) missing(k board.Kind, render func(*view) (string, error)) ([]must, error) {
	all := musts(k)
	lacks, said := make([]string, len(all)), make([]bool, len(all))
	for _, at := range tried(k) {
		text, err := render(at.v)
		if err != nil {
			return nil, err
		}
		for i, m := range all {
			if m.when != nil && !m.when(at.v) {
				continue
			}
			want, err := s.wanted(m, at.v)
			if err != nil {
				return nil, err
			}
			switch {
			case m.field != "" && (want == "" || want == "0"): // there is nothing to say
			case strings.Contains(text, want):
				said[i] = true
			case lacks[i] == "":
				lacks[i] = at.name
			}
		}
	}
	var left []must
	for i, m := range all {
		if lacks[i] == "" {
			continue
		}
		if said[i] {
			m.where = lacks[i]
		}
		left = append(left, m)
	}
	return left, nil
}

// situation is what a task may be made for, and how a person calls it.
type situation struct {
	name string
	v    *view
}

// tried are the situations that a kind's tasks are made for: with everything there,
// with no condition true, and each time with one thing less or the other way.
// A developer's stand once with a pull request and once before there is one.
func tried(k board.Kind) []situation {
	var all []situation
	for _, pr := range []bool{false, true} {
		if !pr && k != board.KindDeveloper {
			continue // they work on one
		}
		all = append(all, situation{where(pr, ""), marked(k, pr)})
		bare := reflect.ValueOf(marked(k, pr)).Elem()
		for i := range bare.NumField() {
			name, f := bare.Type().Field(i).Name, bare.Field(i)
			if name == "PR" || name == "Kind" || f.IsZero() {
				continue
			}
			v := marked(k, pr)
			reflect.ValueOf(v).Elem().Field(i).SetZero()
			all = append(all, situation{where(pr, name), v})
			if f.Kind() == reflect.Bool {
				f.SetZero()
			}
		}
		v := bare.Interface().(view) //nolint:forcetypeassert // it was made from one
		all = append(all, situation{where(pr, "any condition"), &v})
	}
	return all
}

func where(pr bool, without string) string {
	name := "with a pull request"
	if !pr {
		name = "before there is a pull request"
	}
	if without != "" {
		name += ", without " + without
	}
	return name
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
	if !pr {
		v.PRDraft, v.PRName, v.PRArg, v.PRURL, v.PRHead, v.PRBase, v.HeadSHA = false, "", "", "", "", "", ""
		v.OwnerRequests, v.Findings, v.PRText, v.HowToVerify, v.Prior, v.PriorCommit = "", "", "", "", "", ""
	}
	return v
}

// unsaid is the error of a task that leaves something out.
func unsaid(left []must) error {
	parts := make([]string, len(left))
	for i, m := range left {
		parts[i] = m.what + " (" + m.say + ")"
		if m.where != "" {
			parts[i] += " " + m.where
		}
	}
	return fmt.Errorf("does not say %s", strings.Join(parts, "; "))
}
