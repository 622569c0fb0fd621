package proc

import (
	"fmt"
	"io"
	"os/exec"
)

// Terminal is a command that has the terminal to itself while it runs, such as
// an editor. Whoever lends it the terminal sets the streams.
type Terminal struct {
	Name string // a path, or a name looked up in the PATH of Env
	Args []string
	Dir  string
	Env  []string // the whole environment; nil is this process's own

	in       io.Reader
	out, err io.Writer
}

// SetStdin gives it the terminal's keys.
func (t *Terminal) SetStdin(r io.Reader) { t.in = r }

// SetStdout gives it the terminal's screen.
func (t *Terminal) SetStdout(w io.Writer) { t.out = w }

// SetStderr gives it the terminal's screen for errors.
func (t *Terminal) SetStderr(w io.Writer) { t.err = w }

// Run runs it to its end, in this process's own group: the terminal's signals
// are meant for it.
func (t *Terminal) Run() error {
	path, err := LookPath(t.Name, t.Env)
	if err != nil {
		return fmt.Errorf("run %s: %w", t.Name, err)
	}
	cmd := exec.Command(path, t.Args...) //nolint:noctx // a person ends it
	cmd.Args[0] = t.Name
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Dir, t.Env, t.in, t.out, t.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w", t.Name, err)
	}
	return nil
}
