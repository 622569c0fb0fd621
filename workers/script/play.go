package script

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// failure is a step that did not work out: the agent says so and stops.
type failure struct{ why string }

func (f failure) Error() string { return f.why }

// play goes on with the script to its final message.
func (t *turn) play(ctx context.Context) (string, error) {
	if t.try == nil {
		if err := t.choose(ctx); err != nil {
			return "", err
		}
	}
	if t.cursor >= len(t.try.Steps) {
		t.say("Noted. My script is at its end; what I reported stands.")
		t.wire.message = ""
		t.say(t.agent.final)
		return t.agent.final, nil
	}
	if t.facts == nil && t.asks() {
		if err := t.learn(ctx); err != nil {
			return "", err
		}
	}
	for t.cursor < len(t.try.Steps) {
		if err := t.glance(); err != nil {
			return "", err
		}
		s := &t.try.Steps[t.cursor]
		skip, err := t.skip(ctx, s)
		if err != nil {
			return "", err
		}
		if !skip {
			final, err := t.step(ctx, s)
			if err != nil {
				return "", err
			}
			if final != "" {
				t.cursor = len(t.try.Steps)
				return final, nil
			}
		}
		t.cursor++
	}
	return t.agent.final, nil
}

// choose picks the try, from what is on the board where the script asks.
func (t *turn) choose(ctx context.Context) error {
	tries := t.file.tries(t.ref, t.kind)
	if slices.ContainsFunc(tries, func(t Try) bool { return len(t.When) > 0 }) {
		if err := t.learn(ctx); err != nil {
			return err
		}
	}
	t.try = pick(tries, t.attempt, func(c string) bool { return t.facts.holds(c) })
	if t.try == nil {
		return failure{fmt.Sprintf("the script has nothing for a %s on %s in this situation", t.kind, t.ref)}
	}
	return nil
}

// asks says whether the try needs to know the board.
func (t *turn) asks() bool {
	fromBoard := []string{"answer", "pr", "request", "title"}
	if t.kind == board.KindReviewer {
		fromBoard = append(fromBoard, "branch", "head")
	}
	for i := range t.try.Steps {
		s := &t.try.Steps[i]
		if len(s.When) > 0 || s.Tick != "" {
			return true
		}
		for _, text := range s.texts() {
			for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
				if slices.Contains(fromBoard, m[1]) {
					return true
				}
			}
		}
	}
	return false
}

// learn reads the issue and its pull request with our own command line, in
// the open, as any agent would.
func (t *turn) learn(ctx context.Context) error {
	f := &facts{kind: t.kind}
	if err := t.query(ctx, &f.issue, t.issueCommand()...); err != nil {
		return err
	}
	var pulls []board.PullRequest
	if err := t.query(ctx, &pulls, "dispatcher", "pulls", "list", "--json"); err != nil {
		return err
	}
	for i := range pulls {
		p := &pulls[i]
		mine := slices.ContainsFunc(p.Issues, func(r board.Ref) bool { return strings.EqualFold(string(r), string(t.ref)) })
		if !mine || p.State != board.PullOpen {
			continue
		}
		var whole board.PullRequest
		if err := t.query(ctx, &whole, "dispatcher", "pulls", "view", strconv.Itoa(p.Number), "--json"); err != nil {
			return err
		}
		f.pull = &whole
		break
	}
	t.facts = f
	return nil
}

func (t *turn) issueCommand() []string {
	return []string{"dispatcher", "board", "issue", string(t.ref), "--json"}
}

func (t *turn) query(ctx context.Context, into any, argv ...string) error {
	out, res, err := t.bash(ctx, argv)
	if err != nil {
		return err
	}
	if res.failed {
		return failure{fmt.Sprintf("%s failed: %s", quote(argv), firstLine(res.text))}
	}
	if err := json.Unmarshal(out, into); err != nil {
		return failure{fmt.Sprintf("%s answered something that is not the JSON it promises: %v", quote(argv), err)}
	}
	return nil
}

// skip says whether the step is left out.
func (t *turn) skip(ctx context.Context, s *Step) (bool, error) {
	if len(s.When) > 0 && !all(s.When, t.facts.holds) {
		return true, nil
	}
	if s.SkipIf == nil {
		return false, nil
	}
	argv, err := t.expandAll(ctx, s.SkipIf.Run)
	if err != nil {
		return false, err
	}
	match, err := t.expandQuoted(ctx, s.SkipIf.Match)
	if err != nil {
		return false, err
	}
	re, err := regexp.Compile(match)
	if err != nil {
		return false, failure{fmt.Sprintf("%s is no regular expression: %v", match, err)}
	}
	var held bool
	err = t.await(ctx, func(ctx context.Context) {
		out, err := t.exec(ctx, argv)
		held = err == nil && re.MatchString(string(out.Stdout)+string(out.Stderr))
	})
	return held, err
}

// value is a variable's value now.
func (t *turn) value(ctx context.Context, name string) (string, error) {
	if v, ok := t.set[name]; ok {
		return v, nil
	}
	pull := t.facts != nil && t.facts.pull != nil
	switch name {
	case "ref":
		return string(t.ref), nil
	case "kind":
		return string(t.kind), nil
	case "run":
		return lookup(t.opt.Env)("DISPATCHER_RUN"), nil
	case "session":
		return t.opt.Session, nil
	case "tmp":
		return t.session.scratch()
	case "branch":
		if t.kind == board.KindReviewer && pull {
			return t.facts.pull.Head, nil
		}
		return t.git(ctx, "branch", "--show-current")
	case "head":
		if t.kind == board.KindReviewer && pull {
			return t.facts.pull.HeadSHA, nil
		}
		return t.git(ctx, "rev-parse", "HEAD")
	case "pr":
		if pull {
			return strconv.Itoa(t.facts.pull.Number), nil
		}
		return "", failure{fmt.Sprintf("%s has no open pull request", t.ref)}
	case "title":
		return t.facts.issue.Title, nil
	case "request":
		return firstLine(t.facts.request()), nil
	case "answer":
		return firstLine(t.facts.answer()), nil
	}
	return "", failure{fmt.Sprintf("the script uses {{%s}} before anything has set it", name)}
}

func (t *turn) git(ctx context.Context, args ...string) (string, error) {
	out, err := t.exec(ctx, append([]string{"git"}, args...))
	if err != nil {
		return "", failure{err.Error()}
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}

func (t *turn) expand(ctx context.Context, text string) (string, error) {
	return t.expandWith(ctx, text, func(s string) string { return s })
}

// expandQuoted is for regular expressions: a value stands for itself.
func (t *turn) expandQuoted(ctx context.Context, text string) (string, error) {
	return t.expandWith(ctx, text, regexp.QuoteMeta)
}

func (t *turn) expandWith(ctx context.Context, text string, as func(string) string) (string, error) {
	var bad error
	out := expand(text, func(name string) string {
		v, err := t.value(ctx, name)
		if err != nil && bad == nil {
			bad = err
		}
		return as(v)
	})
	return out, bad
}

func (t *turn) expandAll(ctx context.Context, texts []string) ([]string, error) {
	out := make([]string, len(texts))
	for i, s := range texts {
		var err error
		if out[i], err = t.expand(ctx, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// giveUp is the final message of a script that could not go on. It has no
// verdict for a reviewer: nothing was judged.
func (t *turn) giveUp(err error) string {
	text := "I could not go on: " + err.Error()
	if t.kind == board.KindReviewer {
		text += "\n\nNo review was made."
	} else {
		text += "\n\nSTATUS: INCOMPLETE"
	}
	t.wire.message = ""
	t.say(text)
	return text
}

// layFiles puts files into the scratch folder for a command to read.
func (t *turn) layFiles(ctx context.Context, files map[string]string) error {
	if len(files) == 0 {
		return nil
	}
	dir, err := t.session.scratch()
	if err != nil {
		return failure{err.Error()}
	}
	for name, content := range files {
		text, err := t.expand(ctx, content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return failure{fmt.Sprintf("write %s: %v", name, err)}
		}
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}
