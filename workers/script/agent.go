package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Options are one process of the scripted agent.
type Options struct {
	Script  string // path of the script file
	Session string // UUID
	Resume  bool   // go on with the session instead of starting it
	// AskFor are rules, as the real command writes them, of commands that it asks
	// for before it runs them.
	AskFor []string

	In       io.Reader
	Out, Err io.Writer
	Env      []string         // the whole environment; commands get it too
	Dir      string           // working directory, absolute
	Signals  <-chan os.Signal // SIGTERM, SIGINT and SIGHUP; nil: none come
	Now      func() time.Time
}

// Exit codes of the real command.
const (
	exitOK     = 0
	exitFail   = 1
	exitHangup = 129
	exitTerm   = 143
)

// exitError ends the process with a code, without a result.
type exitError struct{ code int }

func (e exitError) Error() string { return "exit " + strconv.Itoa(e.code) }

// errInterrupted ends the turn; the process lives on.
var errInterrupted = errors.New("interrupted")

// agent is one process. Everything but the reading of its input happens on one
// goroutine; a step that takes time runs beside it.
type agent struct {
	opt     Options
	file    *File
	kind    board.Kind
	ref     board.Ref
	attempt int
	wire    *wire
	session *session

	inbox   <-chan input
	signals <-chan os.Signal
	queue   []*message
	busy    bool // a turn is under way
	closing bool // SIGINT: exit after this turn

	facts  *facts
	try    *Try
	cursor int // next step of try
	set    map[string]string
	final  string // the last final message

	turns  int  // turns with a result so far
	failed bool // the last result was an error
	spent  usage
	known  bool // a message came: the session exists

	asked   *asked // what waits for the host's answer
	askFor  []*regexp.Regexp
	allowed map[string]bool // commands that the host allowed for the session
	denials []object        // calls that it did not allow
}

// Run is the scripted agent. It answers the exit code.
func Run(ctx context.Context, opt Options) int {
	a, err := start(opt)
	if err != nil {
		if errors.Is(err, errNoSession) {
			unknownSession(opt, err)
		}
		fmt.Fprintln(opt.Err, err)
		return exitFail
	}
	done := make(chan struct{})
	defer close(done)
	inbox := make(chan input)
	a.inbox = inbox
	go read(opt.In, inbox, done)
	defer a.session.close()
	return a.serve(ctx)
}

func start(opt Options) (*agent, error) {
	env := lookup(opt.Env)
	kind, ok := board.ParseKind(env("DISPATCHER_WORKER"))
	if !ok {
		return nil, fmt.Errorf("the scripted agent is started by the loop: DISPATCHER_WORKER is %q, not developer, reviewer or cleaner", env("DISPATCHER_WORKER"))
	}
	if env("DISPATCHER_REF") == "" {
		return nil, errors.New("the scripted agent is started by the loop: DISPATCHER_REF names no issue")
	}
	file, err := Load(opt.Script)
	if err != nil {
		return nil, err
	}
	attempt, err := strconv.Atoi(env("DISPATCHER_ATTEMPT"))
	if err != nil || attempt < 1 {
		attempt = 1
	}
	sess, err := openSession(stateDir(env), opt.Session, opt.Resume)
	if err != nil {
		return nil, err
	}
	return &agent{
		opt: opt, file: file, kind: kind, ref: board.Ref(env("DISPATCHER_REF")), attempt: attempt,
		wire: &wire{
			out: opt.Out, session: opt.Session, cwd: opt.Dir, now: opt.Now, mode: "acceptEdits",
		},
		askFor: rules(opt.AskFor), session: sess, signals: opt.Signals, set: map[string]string{}, allowed: map[string]bool{}, denials: []object{},
	}, nil
}

// stateDir is where sessions are kept: the loop's state folder. Without one no
// session outlives its process.
func stateDir(env func(string) string) string {
	if dir := env("DISPATCHER_STATE_DIR"); dir != "" {
		return dir
	}
	if conf := env("DISPATCHER_CONFIG"); conf != "" {
		return filepath.Join(filepath.Dir(conf), ".claude", "dispatcher")
	}
	return ""
}

func lookup(env []string) func(string) string {
	return func(name string) string {
		value := ""
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				value = v
			}
		}
		return value
	}
}

func unknownSession(opt Options, err error) {
	w := &wire{out: opt.Out, session: opt.Session, now: opt.Now}
	w.event(object{
		"type": "result", "subtype": "error_during_execution", "duration_ms": 0, "duration_api_ms": 0,
		"is_error": true, "num_turns": 0, "stop_reason": nil, "total_cost_usd": 0,
		"usage": usage{}.object(), "modelUsage": object{}, "permission_denials": []string{},
		"errors": []string{err.Error()}, "result_index": 0,
	})
}

// serve answers message after message until the input ends.
func (a *agent) serve(ctx context.Context) int {
	for {
		if len(a.queue) == 0 {
			if a.inbox == nil || a.closing {
				return a.exitCode()
			}
			if err := a.wait(ctx); err != nil {
				return codeOf(err)
			}
			continue
		}
		m := a.queue[0]
		a.queue = a.queue[1:]
		if err := a.turn(ctx, m); err != nil {
			return codeOf(err)
		}
	}
}

func (a *agent) exitCode() int {
	if a.failed && !a.closing {
		return exitFail
	}
	return exitOK
}

func codeOf(err error) int {
	if e, ok := errors.AsType[exitError](err); ok {
		return e.code
	}
	return exitFail
}

// wait takes one input while nothing is under way.
func (a *agent) wait(ctx context.Context) error {
	err := a.await(ctx, nil)
	if errors.Is(err, errInterrupted) {
		return nil // there is nothing to interrupt
	}
	return err
}

// await runs work beside the inbox and ends when work has. With no work it
// ends after one input. What ends work early is answered as an error, after
// work has ended.
func (a *agent) await(ctx context.Context, work func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var ended chan struct{} // nil, and so never ready, without work
	if work != nil {
		ended = make(chan struct{})
		go func() {
			defer close(ended)
			work(ctx)
		}()
	}
	var stop error
	for {
		var err error
		select {
		case <-ended:
			return stop
		case in, ok := <-a.inbox:
			err = a.take(in, ok)
		case s := <-a.signals:
			err = a.signal(s)
		case <-ctx.Done():
			err = exitError{exitTerm}
		}
		if err != nil && stop == nil {
			stop = err
			cancel()
		}
		switch {
		case work == nil:
			return stop
		case stop != nil:
			<-ended
			return stop
		}
	}
}

// glance takes what has come in without waiting.
func (a *agent) glance() error {
	for {
		select {
		case in, ok := <-a.inbox:
			if err := a.take(in, ok); err != nil {
				return err
			}
		case s := <-a.signals:
			return a.signal(s)
		default:
			return nil
		}
	}
}

func (a *agent) signal(s os.Signal) error {
	switch s {
	case syscall.SIGHUP:
		return exitError{exitHangup}
	case os.Interrupt:
		if a.busy {
			a.closing = true
			return errInterrupted
		}
		return exitError{exitOK}
	}
	return exitError{exitTerm}
}

// take handles one input; ok is false at the end of the input.
func (a *agent) take(in input, ok bool) error {
	switch {
	case !ok:
		a.inbox = nil
	case in.bad != nil:
		fmt.Fprintln(a.opt.Err, in.bad)
		return exitError{exitFail}
	case in.message != nil:
		if !a.known {
			a.known = true
			if err := a.session.save(); err != nil {
				fmt.Fprintln(a.opt.Err, err)
				return exitError{exitFail}
			}
		}
		a.wire.lifecycle(in.message, "queued")
		a.queue = append(a.queue, in.message)
	case in.control != nil:
		return a.control(in.control)
	case in.answer != nil:
		a.answered(in.answer)
	}
	return nil
}

func (a *agent) control(c *control) error {
	switch c.Request.Subtype {
	case "initialize":
		a.wire.success(c.ID, object{
			"commands": []string{}, "agents": []string{}, "models": []string{},
			"account": object{}, "output_style": "default", "pid": os.Getpid(),
		})
	case "interrupt":
		queued := []string{}
		for _, m := range a.queue {
			if m.UUID != "" {
				queued = append(queued, m.UUID)
			}
		}
		a.wire.success(c.ID, object{"still_queued": queued})
		return errInterrupted
	case "set_permission_mode":
		a.wire.mode = c.Request.Mode
		a.wire.success(c.ID, object{"mode": c.Request.Mode})
		a.wire.status(c.Request.Mode)
	case "set_model":
		a.wire.success(c.ID, object{"model": modelName})
	case "get_session_cost":
		a.wire.success(c.ID, object{"text": fmt.Sprintf("Estimated cost:        $%.4f", a.session.CostUSD)})
	case "mcp_status":
		a.wire.success(c.ID, object{"mcpServers": []string{}})
	case "end_session":
		a.wire.success(c.ID, nil)
		return exitError{exitOK} // without waiting for the turn
	default:
		a.wire.unsupported(c.ID, c.Request.Subtype)
	}
	return nil
}
