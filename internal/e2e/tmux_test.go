//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// tmux is a multiplexer of the test's own, with a server of its own.
type tmux struct {
	*play
	socket string
	begun  bool
}

func (p *play) tmux() *tmux {
	p.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		p.t.Fatalf("DISPATCHER_E2E is 1 and there is no tmux: %v", err)
	}
	dir, err := os.MkdirTemp("", "tm") // the path of a socket is short
	if err != nil {
		p.t.Fatal(err)
	}
	x := &tmux{play: p, socket: filepath.Join(dir, "s")}
	p.write("tmux.conf", "set -g remain-on-exit on\n")
	p.t.Cleanup(func() {
		_ = x.command("kill-server").Run() // it may have ended
		_ = os.RemoveAll(dir)
	})
	return x
}

func (x *tmux) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", x.socket, "-f", filepath.Join(x.dir, "tmux.conf")}, args...)...) //nolint:noctx // the server ends with the test
	cmd.Dir, cmd.Env = x.repo, append(x.env, "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	return cmd
}

func (x *tmux) run(args ...string) string {
	x.t.Helper()
	out, err := x.command(args...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// window runs a command of ours in a window of 120x40.
func (x *tmux) window(name string, args ...string) {
	x.t.Helper()
	run := append([]string{x.bin}, args...)
	if !x.begun {
		x.begun = true
		x.run(append([]string{"new-session", "-d", "-x", "120", "-y", "40", "-n", name}, run...)...)
		return
	}
	x.run(append([]string{"new-window", "-d", "-n", name}, run...)...)
}

// see waits until a window shows all of it.
func (x *tmux) see(window string, want ...string) {
	x.t.Helper()
	text := ""
	defer func() {
		if x.t.Failed() {
			x.t.Logf("the window %s:\n%s", window, text)
		}
	}()
	for _, w := range want {
		x.eventually(w+" in the window "+window, func() bool {
			text = x.run("capture-pane", "-p", "-t", window)
			return strings.Contains(text, w)
		})
	}
}

// ended waits until the program of a window has ended.
func (x *tmux) ended(window string) {
	x.t.Helper()
	x.eventually("the end of the window "+window, func() bool {
		return strings.TrimSpace(x.run("list-panes", "-t", window, "-F", "#{pane_dead}")) == "1"
	})
}

func (x *tmux) keys(window string, keys ...string) {
	x.t.Helper()
	x.run(append([]string{"send-keys", "-t", window}, keys...)...)
}

// The room in a multiplexer: resized, attached from another window, and left to
// the background; and without a room, clean lines.
func TestInTmux(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	ref := p.ready("Worked while I look")
	x := p.tmux()

	x.window("lines", "start", "M1", "--no-tui", "--until-idle")
	x.ended("lines")
	lines := x.run("capture-pane", "-p", "-e", "-S", "-", "-t", "lines")
	if !strings.Contains(lines, string(ref)) || strings.ContainsAny(strings.Split(lines, "Pane is dead")[0], "\x1b\r\t│╭") {
		t.Errorf("--no-tui prints:\n%q", lines)
	}
	p.wantRow(ref, board.RoleHumanReview)

	p.shut()
	busy := p.ready("Worked on")
	x.window("room", "start", "M1")
	x.see("room", "Board", string(busy), "In progress 1")
	p.working(1)
	x.keys("room", "3")
	x.see("room", "Needs you", "To review 1")
	x.keys("room", "?")
	x.see("room", "Keys ", "deeper: open")
	x.keys("room", "Escape") // with a key right behind it, it would be another key
	x.eventually("the end of the help", func() bool { return !strings.Contains(x.run("capture-pane", "-p", "-t", "room"), "esc closes") })
	x.run("resize-window", "-t", "room", "-x", "60", "-y", "16")
	x.keys("room", "1")
	x.see("room", string(busy))
	x.run("resize-window", "-t", "room", "-x", "120", "-y", "40")
	x.see("room", "Changes 0")

	x.window("guest", "attach")
	x.see("guest", "Board", string(busy))
	x.keys("guest", "q")
	x.ended("guest")

	x.keys("room", "q")
	x.see("room", "in the background")
	x.keys("room", "Enter")
	x.ended("room")
	x.see("room", "dispatcher attach")
	p.open()
	p.eventually("the review", func() bool { return p.rows()[busy].Role == board.RoleHumanReview })
	p.own("ctl", "drain")
	p.eventually("the end of the loop", func() bool { _, _, code := p.try("ctl", "status"); return code != 0 })
}
