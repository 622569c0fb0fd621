package script

import (
	"maps"
	"regexp"
	"slices"
)

// fixed are the variables that a script can't set.
var fixed = []string{"kind", "ref", "run", "session", "tmp"}

// variables are those that every try may use: besides the fixed ones the task
// branch, the open pull request (its number), the commit that is
// worked on, and what was last asked for (request: the review that asks for
// changes; answer: the owner's last comment). A step's capture sets further
// ones, or newer values of these.
var variables = append(slices.Clone(fixed), "answer", "branch", "head", "pr", "request", "title")

var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z][A-Za-z0-9_]*)\s*\}\}`)

// expand puts values in, once: a value is never expanded again, since it may
// come from outside.
func expand(text string, value func(string) string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		return value(placeholder.FindStringSubmatch(m)[1])
	})
}

// texts are all texts of a step that are expanded.
func (s *Step) texts() []string {
	out := []string{s.Say, s.Think, s.Crash, s.Final}
	out = append(out, s.Run...)
	if s.SkipIf != nil {
		out = append(out, s.SkipIf.Run...)
		out = append(out, s.SkipIf.Match)
	}
	if s.Write != nil {
		out = append(out, s.Write.Path, s.Write.Content)
	}
	if s.Append != nil {
		out = append(out, s.Append.Path, s.Append.Content)
	}
	if s.Replace != nil {
		out = append(out, s.Replace.Path, s.Replace.Old, s.Replace.New)
	}
	if s.Question != nil {
		out = append(out, s.Question.Text)
	}
	return slices.AppendSeq(out, maps.Values(s.Files))
}

func unknownVariables(s Step, known []string) []string {
	var out []string
	for _, t := range s.texts() {
		for _, m := range placeholder.FindAllStringSubmatch(t, -1) {
			if !slices.Contains(known, m[1]) && !slices.Contains(out, m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}
