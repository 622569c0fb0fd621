// Package proc runs external commands and knows processes by identity.
//
// It promises that a command is started from an argument list, never from a
// shell string; that it lives in a process group of its own, which is ended
// whole when the context is; that what is captured of its output is bounded;
// and that a bad exit is an *ExitError. A process is named by its id together
// with its start time, so that a reused id is never taken for the process that
// had it before. The package never knows which program it runs.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// DefaultMaxOutput bounds what is captured of each stream where Cmd.MaxOutput
// is zero, in bytes.
const DefaultMaxOutput = 64 << 20

// stopGrace is how long a cancelled command has to end after it was asked
// politely, and how long its output is read on after it has ended.
const stopGrace = 3 * time.Second

// ErrTooMuchOutput says that a command printed more than Cmd.MaxOutput. What
// was kept is incomplete and may not be decided on.
var ErrTooMuchOutput = errors.New("too much output")

// Cmd is one command to run.
type Cmd struct {
	Name  string   // a path, or a name looked up in the PATH of Env
	Args  []string // without the name
	Dir   string   // working directory; empty is this process's own
	Env   []string // the whole environment; nil is this process's own
	Stdin io.Reader

	// MaxOutput bounds each captured stream in bytes; zero is
	// DefaultMaxOutput. Beyond it the run fails with ErrTooMuchOutput, or with
	// Tail the last MaxOutput bytes are kept.
	MaxOutput int
	Tail      bool
	// Merge puts standard error into Stdout, in the order of writing.
	Merge bool
	// EndGroup ends whatever is left of the process group when the command
	// itself has ended.
	EndGroup bool
}

// Result is what a command printed. It is filled as far as possible also when
// Run answers an error.
type Result struct {
	Stdout []byte
	Stderr []byte
}

// ExitError says that a command ran and ended badly.
type ExitError struct {
	Name   string
	Args   []string
	Code   int // -1: ended by a signal
	Stderr string
}

func (e *ExitError) Error() string {
	what := e.Name
	if len(e.Args) > 0 {
		what += " " + strings.Join(e.Args, " ")
	}
	msg := strings.TrimSpace(e.Stderr)
	if msg == "" {
		return fmt.Sprintf("%s: exit status %d", what, e.Code)
	}
	return fmt.Sprintf("%s: exit status %d: %s", what, e.Code, msg)
}

// Exec runs commands for real. The zero value is ready.
type Exec struct{}

// Run runs the command to its end. A bad exit is an *ExitError; a program that
// is not there is exec.ErrNotFound; when ctx ends first, the whole process
// group is ended (asked politely, then killed) and the error is that of ctx.
func (Exec) Run(ctx context.Context, c Cmd) (Result, error) {
	path, err := LookPath(c.Name, c.Env)
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Name, err)
	}
	cmd := exec.CommandContext(ctx, path, c.Args...)
	cmd.Args[0] = c.Name
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	limit := c.MaxOutput
	if limit == 0 {
		limit = DefaultMaxOutput
	}
	out := &capture{limit: limit, tail: c.Tail}
	errs := &capture{limit: limit, tail: true}
	cmd.Stdout, cmd.Stderr = out, errs
	if c.Merge {
		cmd.Stderr = out
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return terminateGroup(cmd.Process.Pid) }
	cmd.WaitDelay = stopGrace

	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Name, err)
	}
	err = cmd.Wait()
	if ctx.Err() != nil || c.EndGroup {
		killGroup(cmd.Process.Pid)
	}
	return finish(ctx, c, err, out, errs)
}

// finish turns how a command ended into the result and error of Run.
func finish(ctx context.Context, c Cmd, err error, out, errs *capture) (Result, error) {
	res := Result{Stdout: out.bytes(), Stderr: errs.bytes()}
	if ctx.Err() != nil && err != nil {
		return res, fmt.Errorf("run %s: %w", c.Name, context.Cause(ctx))
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		stderr := string(res.Stderr)
		if c.Merge {
			stderr = string(res.Stdout)
		}
		return res, &ExitError{Name: c.Name, Args: c.Args, Code: exit.ExitCode(), Stderr: stderr}
	}
	// A child that outlived the command still held its output: the command
	// itself ended well.
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return res, fmt.Errorf("run %s: %w", c.Name, err)
	}
	if out.overflow {
		return res, fmt.Errorf("run %s: %w: more than %d bytes", c.Name, ErrTooMuchOutput, out.limit)
	}
	return res, nil
}

// LookPath finds a program in the PATH of env (nil: of this process), so that
// a command started with another environment is found where that environment
// says. A name with a path separator is taken as it is.
func LookPath(name string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, os.PathSeparator) || env == nil {
		return exec.LookPath(name) //nolint:wrapcheck // exec.Error names the program
	}
	path := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	return lookIn(name, path)
}

// capture keeps the first or the last limit bytes written to it.
type capture struct {
	limit    int
	tail     bool
	buf      bytes.Buffer
	overflow bool
}

// Write never fails: a command must not break on how much we keep.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	if !c.tail {
		if room := c.limit - c.buf.Len(); n > room {
			c.overflow = true
			p = p[:room]
		}
		c.buf.Write(p)
		return n, nil
	}
	c.buf.Write(p)
	// Cut only now and then: each cut copies what is kept.
	if c.buf.Len() > 2*c.limit {
		c.buf.Next(c.buf.Len() - c.limit)
	}
	return n, nil
}

func (c *capture) bytes() []byte {
	b := c.buf.Bytes()
	if len(b) > c.limit {
		b = b[len(b)-c.limit:]
	}
	return b
}
