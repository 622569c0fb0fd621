package script

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// maxShown bounds what a tool result shows of a command's output, in bytes;
// the real command shows about as much.
const maxShown = 30000

// step does one step. It answers the final message if this was the last one.
func (t *turn) step(ctx context.Context, s *Step) (string, error) {
	switch {
	case s.Pause > 0:
		return "", t.pause(ctx, s.Pause)
	case s.Run != nil:
		return "", t.run(ctx, s)
	case s.Write != nil:
		return "", t.write(ctx, s.Write)
	case s.Append != nil:
		return "", t.append(ctx, s.Append)
	case s.Replace != nil:
		return "", t.replace(ctx, s.Replace)
	case s.Tick != "":
		return "", t.tick(ctx)
	case s.Question != nil:
		return "", t.question(ctx, s.Question)
	case s.Hear:
		return "", t.hear(ctx)
	case s.Exit != nil:
		return "", exitError{*s.Exit}
	}
	text, err := t.expand(ctx, s.Say+s.Think+s.Crash+s.Final) // one of them is set
	if err != nil {
		return "", err
	}
	switch {
	case s.Crash != "":
		fmt.Fprintln(t.opt.Err, text)
		return "", exitError{exitFail}
	case s.Think != "":
		t.think(text)
	default:
		t.say(text)
	}
	if s.Final != "" {
		return text, nil
	}
	return "", nil
}

// run runs a real command.
func (t *turn) run(ctx context.Context, s *Step) error {
	if err := t.layFiles(ctx, s.Files); err != nil {
		return err
	}
	argv, err := t.expandAll(ctx, s.Run)
	if err != nil {
		return err
	}
	bash := t.bash
	if s.Ask || t.mustAsk(argv) {
		bash = t.bashAsking
	}
	out, res, err := bash(ctx, argv)
	if err != nil {
		return err
	}
	t.fold()
	if res.failed && !s.MayFail {
		return failure{fmt.Sprintf("%s failed: %s", quote(argv), firstLine(res.text))}
	}
	if res.barred {
		return nil
	}
	for name, expr := range s.Capture {
		m := regexp.MustCompile(expr).FindSubmatch(out)
		if m == nil {
			if s.MayFail {
				continue
			}
			return failure{fmt.Sprintf("%s printed nothing that matches %s", quote(argv), expr)}
		}
		t.set[name] = string(m[min(1, len(m)-1)])
	}
	return nil
}

// tick ticks every box of the issue's list that is open still. The board is
// asked again: boxes may have been ticked since the turn began.
func (t *turn) tick(ctx context.Context) error {
	var now board.Issue
	if err := t.query(ctx, &now, t.issueCommand()...); err != nil {
		return err
	}
	for i, b := range board.Checkboxes(now.Body) {
		if b.Done {
			continue
		}
		argv := []string{"dispatcher", "board", "tick", string(t.ref), strconv.Itoa(i + 1)}
		_, res, err := t.bash(ctx, argv)
		if err != nil {
			return err
		}
		if res.failed {
			return failure{fmt.Sprintf("%s failed: %s", quote(argv), firstLine(res.text))}
		}
	}
	return nil
}

// bash shows a command as a Bash call and runs it. The first answer is what it
// printed.
func (t *turn) bash(ctx context.Context, argv []string) ([]byte, tool, error) {
	var out proc.Result
	res, err := t.call(ctx, "Bash", object{"command": quote(argv), "description": "run"}, func(ctx context.Context) tool {
		var err error
		out, err = t.exec(ctx, argv)
		return shown(out, err)
	})
	return out.Stdout, res, err
}

// exec runs a command in the working directory, with the environment that the
// real command gives its own.
func (t *turn) exec(ctx context.Context, argv []string) (proc.Result, error) {
	env := append(append([]string{}, t.opt.Env...), "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID="+t.opt.Session)
	return proc.Exec{}.Run(ctx, proc.Cmd{Name: argv[0], Args: argv[1:], Dir: t.opt.Dir, Env: env}) //nolint:wrapcheck // shown as it is
}

// shown is a command's end as a tool result.
func shown(out proc.Result, err error) tool {
	text := strings.TrimRight(string(out.Stdout), "\n")
	if errs := strings.TrimRight(string(out.Stderr), "\n"); errs != "" {
		text = strings.TrimLeft(text+"\n"+errs, "\n")
	}
	if len(text) > maxShown {
		cut := maxShown
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "\n… (output cut)"
	}
	if err == nil {
		return tool{text: text, detail: object{
			"stdout": text, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
		}}
	}
	code := 127 // the shell's for a program that is not there
	if exit, ok := errors.AsType[*proc.ExitError](err); ok {
		code = exit.Code
	} else if text == "" {
		text = err.Error()
	}
	if code < 0 || errors.Is(err, context.Canceled) {
		code = 137
	}
	text = fmt.Sprintf("Exit code %d\n%s", code, text)
	return tool{text: text, failed: true, detail: "Error: " + text}
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote is a command as a person would type it into a shell.
func quote(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		if out[i] = a; !plain.MatchString(a) {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
