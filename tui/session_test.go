package tui

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
)

type noRun struct{}

func (noRun) Run() error          { return nil }
func (noRun) SetStdin(io.Reader)  {}
func (noRun) SetStdout(io.Writer) {}
func (noRun) SetStderr(io.Writer) {}

// TestTakeOverOpensTheSession: where a session can be opened, taking over opens
// it and asks the loop for nothing itself.
func TestTakeOverOpensTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run  EditorRun
		err  error
		ends error
		want string
	}{
		"in a window":        {want: "ACM-12 opens in a window of its own"},
		"refused":            {err: errors.New("no \x1b[31mtmux"), want: "take over ACM-12: no tmux"},
		"here":               {run: noRun{}, want: "ACM-12 goes back to the loop"},
		"here, with a fault": {run: noRun{}, ends: errors.New("exit status 1"), want: "exit status 1; dispatcher take-over ACM-12 says more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, ctl := room(120, 40, busyRoom())
			var opened []board.Ref
			m.opts.Session = func(ref board.Ref) (EditorRun, error) {
				opened = append(opened, ref)
				return c.run, c.err
			}
			typeKeys(m, "T", "y")
			if len(opened) != 1 || opened[0] != "ACM-12" || len(ctl.commands()) != 0 {
				t.Fatalf("opened %v, sent %v", opened, ctl.commands())
			}
			if c.run != nil {
				m.Update(sessionEndMsg{ref: "ACM-12", err: c.ends})
			}
			if got := m.View().Content; !strings.Contains(ansi.Strip(got), c.want) {
				t.Errorf("no %q in\n%s", c.want, got)
			}
		})
	}
}
