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
