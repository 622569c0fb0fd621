// Package proctest is a runner for tests that expects exact commands. It fails
// the test on a command that was not expected and, at the end, on one that was
// expected and never ran.
package proctest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// Fake answers expected commands in the order in which they were expected.
type Fake struct {
	t testing.TB

	mu    sync.Mutex
	calls []*Call
	ran   []proc.Cmd
}

// Call is one expected command and its answer.
type Call struct {
	name string
	args []string
	res  proc.Result
	err  error
	do   func(proc.Cmd)
	used bool
}

// New answers a fake that checks itself when the test ends.
func New(t testing.TB) *Fake {
	t.Helper()
	f := &Fake{t: t}
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range f.calls {
			if !c.used {
				t.Errorf("expected command never ran: %s", line(c.name, c.args))
			}
		}
	})
	return f
}

// Expect expects one command with exactly these arguments.
func (f *Fake) Expect(name string, args ...string) *Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &Call{name: name, args: args}
	f.calls = append(f.calls, c)
	return c
}

// Prints sets what the command prints to standard output.
func (c *Call) Prints(s string) *Call {
	c.res.Stdout = []byte(s)
	return c
}

// Exits makes the command end with a code and a text on standard error.
func (c *Call) Exits(code int, stderr string) *Call {
	c.res.Stderr = []byte(stderr)
	c.err = &proc.ExitError{Name: c.name, Args: c.args, Code: code, Stderr: stderr}
	return c
}

// Fails makes the run itself fail.
func (c *Call) Fails(err error) *Call {
	c.err = err
	return c
}

// Does runs f when the command runs.
func (c *Call) Does(f func(proc.Cmd)) *Call {
	c.do = f
	return c
}

// Run answers the first unused expectation of this command.
func (f *Fake) Run(_ context.Context, cmd proc.Cmd) (proc.Result, error) {
	f.mu.Lock()
	f.ran = append(f.ran, cmd)
	var call *Call
	for _, c := range f.calls {
		if !c.used && c.name == cmd.Name && slices.Equal(c.args, cmd.Args) {
			c.used, call = true, c
			break
		}
	}
	f.mu.Unlock()
	if call == nil {
		f.t.Errorf("unexpected command: %s", line(cmd.Name, cmd.Args))
		return proc.Result{}, &proc.ExitError{Name: cmd.Name, Args: cmd.Args, Code: -1, Stderr: "unexpected command"}
	}
	if call.do != nil {
		call.do(cmd)
	}
	return call.res, call.err
}

// Ran lists the commands that ran, in order.
func (f *Fake) Ran() []proc.Cmd {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ran)
}

func line(name string, args []string) string {
	return strings.Join(append([]string{name}, args...), " ")
}
