package script

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

func (p *parser) kinds(place string, kinds Kinds) {
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		at := place + "." + string(k)
		if _, ok := board.ParseKind(string(k)); !ok {
			p.fault(at, "is no kind of worker; they are developer, reviewer, cleaner")
			continue
		}
		for i, t := range kinds[k] {
			p.try(fmt.Sprintf("%s[%d]", at, i), k, t)
		}
	}
}

func (p *parser) try(place string, kind board.Kind, t Try) {
	p.conditions(place+".when", t.When)
	names := slices.Clone(variables)
	for _, s := range t.Steps {
		names = slices.AppendSeq(names, maps.Keys(s.Capture))
		if s.Question != nil {
			names = append(names, s.Question.As)
		}
	}
	for i, s := range t.Steps {
		p.step(fmt.Sprintf("%s.steps[%d]", place, i), kind, s, names)
	}
	if len(t.Steps) == 0 {
		p.fault(place+".steps", "is empty")
		return
	}
	last := t.Steps[len(t.Steps)-1]
	if !last.ends() || len(last.When) > 0 || last.SkipIf != nil {
		p.fault(place+".steps", "the last step must always be final, crash or exit")
	}
}

func (s *Step) ends() bool { return s.Final != "" || s.Crash != "" || s.Exit != nil }

func (p *parser) step(place string, kind board.Kind, s Step, names []string) {
	p.conditions(place+".when", s.When)
	if s.SkipIf != nil {
		p.argv(place+".skipIf.run", s.SkipIf.Run)
		p.expression(place+".skipIf.match", s.SkipIf.Match)
	}
	if n := len(s.actions()); n != 1 {
		p.fault(place, "has %d actions %v, must have one of say, think, pause, write, append, replace, run, tick, question, hear, crash, exit, final", n, s.actions())
		return
	}
	if s.Pause < 0 {
		p.fault(place+".pause", "must not be negative")
	}
	if s.Tick != "" && s.Tick != "all" {
		p.fault(place+".tick", "must be \"all\"; name single boxes with run: dispatcher board tick {{ref}} <n>")
	}
	if s.Exit != nil && (*s.Exit < 0 || *s.Exit > 255) {
		p.fault(place+".exit", "must be from 0 to 255")
	}
	if s.Run == nil && (s.Ask || s.MayFail || s.Capture != nil || s.Files != nil) {
		p.fault(place, "ask, mayFail, capture and files belong to run")
	}
	if s.Question != nil {
		for _, f := range s.Question.faults() {
			p.fault(place+".question", "%s", f)
		}
		if slices.Contains(fixed, s.Question.As) {
			p.fault(place+".question.as", "is a variable that can't be set")
		}
	}
	if s.Run != nil {
		p.argv(place+".run", s.Run)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Capture)) {
		p.expression(place+".capture."+name, s.Capture[name])
		if slices.Contains(fixed, name) {
			p.fault(place+".capture."+name, "is a variable that can't be set")
		}
	}
	for name := range s.Files {
		if name != filepath.Base(name) || name == "." || strings.ContainsAny(name, `/\:`) {
			p.fault(place+".files."+name, "must be a plain file name")
		}
	}
	p.filePath(place, kind, s)
	for _, v := range unknownVariables(s, names) {
		p.fault(place, "unknown variable {{%s}}; known are %s", v, strings.Join(names, ", "))
	}
}

func (s *Step) actions() []string {
	var out []string
	for name, set := range map[string]bool{
		"say": s.Say != "", "think": s.Think != "", "pause": s.Pause != 0, "write": s.Write != nil,
		"append": s.Append != nil, "replace": s.Replace != nil, "run": s.Run != nil,
		"tick": s.Tick != "", "question": s.Question != nil, "hear": s.Hear, "crash": s.Crash != "", "exit": s.Exit != nil, "final": s.Final != "",
	} {
		if set {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// filePath refuses paths outside the working directory before anything runs;
// links that lead outside are refused when the file is opened.
func (p *parser) filePath(place string, kind board.Kind, s Step) {
	var name, at string
	switch {
	case s.Write != nil:
		name, at = s.Write.Path, ".write"
	case s.Append != nil:
		name, at = s.Append.Path, ".append"
	case s.Replace != nil:
		name, at = s.Replace.Path, ".replace"
		if s.Replace.Old == "" {
			p.fault(place+".replace.old", "must not be empty")
		}
	default:
		return
	}
	if kind == board.KindReviewer {
		p.fault(place+at, "a reviewer writes no files")
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) == "." {
		p.fault(place+at+".path", "%q is not inside the working directory", name)
	}
	if first, _, _ := strings.Cut(path.Clean(name), "/"); strings.EqualFold(first, ".git") {
		p.fault(place+at+".path", "%q belongs to git", name)
	}
}

func (p *parser) argv(place string, argv []string) {
	if len(argv) == 0 || argv[0] == "" {
		p.fault(place, "must name a program")
		return
	}
	for i, a := range argv {
		if strings.ContainsRune(a, 0) {
			p.fault(fmt.Sprintf("%s[%d]", place, i), "holds a zero byte")
		}
	}
}

func (p *parser) expression(place, re string) {
	if re == "" {
		return
	}
	if _, err := regexp.Compile(re); err != nil {
		p.fault(place, "is no regular expression: %v", err)
	}
}

func (p *parser) conditions(place string, conds []string) {
	for i, c := range conds {
		if !slices.Contains(conditions, strings.TrimPrefix(c, "!")) {
			p.fault(fmt.Sprintf("%s[%d]", place, i), "unknown condition %q; known are %s, each also with ! before it", c, strings.Join(conditions, ", "))
		}
	}
}
