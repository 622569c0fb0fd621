//go:build unix

package e2e

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// escapeAlone is how long a hand rests after the escape key: what follows at
// once would be one key with it.
const escapeAlone = 120 * time.Millisecond

// seenWithin bounds the wait for what must come onto the screen or the board.
const seenWithin = 90 * time.Second

// robot is an owner at a real terminal in front of the real program. It counts
// its keys; text that it types into fields is not counted, as screens.md says.
type robot struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	emu    *vt.SafeEmulator
	ended  chan struct{}
	count  int
}

// sit starts a command of the program on a terminal.
func (p *play) sit(args ...string) *robot {
	p.t.Helper()
	return p.sitBefore(exec.Command(p.bin, args...)) //nolint:noctx // ended by the robot
}

// sitInShell starts it as a job of a shell, which waits for a line while its
// job stands still, and then lets it go on.
func (p *play) sitInShell(args ...string) *robot {
	p.t.Helper()
	const script = `set -m; "$@"; n=0; while jobs %% >/dev/null 2>&1; do n=$((n+1)); echo "the shell, $n"; read -r line; fg >/dev/null; done; echo "it has ended"`
	return p.sitBefore(exec.Command("sh", append([]string{"-c", script, "sh", p.bin}, args...)...)) //nolint:noctx // ended by the robot
}

func (p *play) sitBefore(cmd *exec.Cmd) *robot {
	p.t.Helper()
	const w, h = 140, 45
	cmd.Dir = p.repo
	cmd.Env = append(p.env, "TERM=xterm-256color")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: h, Cols: w})
	if err != nil {
		p.t.Fatalf("start %v on a terminal: %v", cmd.Args, err)
	}
	r := &robot{t: p.t, cmd: cmd, master: master, emu: vt.NewSafeEmulator(w, h), ended: make(chan struct{})}
	answered := make(chan struct{})
	go func() {
		defer close(r.ended)
		_, _ = io.Copy(r.emu, master)
		_ = cmd.Wait()
	}()
	go func() {
		defer close(answered)
		_, _ = io.Copy(master, r.emu)
	}()
	p.t.Cleanup(func() {
		r.kill()
		if c, ok := r.emu.InputPipe().(io.Closer); ok {
			_ = c.Close()
			<-answered
		}
		_ = master.Close()
	})
	return r
}

// kill ends the program as a crash would.
func (r *robot) kill() {
	_ = r.cmd.Process.Kill()
	<-r.ended
}

func (r *robot) screen() string { return ansi.Strip(r.emu.Render()) }

// see waits until the screen shows all of it.
func (r *robot) see(want ...string) {
	r.t.Helper()
	deadline := time.Now().Add(seenWithin)
	for {
		s, missing := r.screen(), ""
		for _, w := range want {
			if !strings.Contains(s, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("never on the screen: %q\n%s", missing, s)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// press types keys, each counted.
func (r *robot) press(keys ...string) {
	r.t.Helper()
	for _, k := range keys {
		r.count++
		r.text(k)
	}
}

// text types what is not counted.
func (r *robot) text(s string) {
	r.t.Helper()
	if _, err := io.WriteString(r.master, s); err != nil {
		r.t.Fatalf("type %q: %v", s, err)
	}
}

// job does one of the fourteen jobs and holds its keys to the mark.
func (r *robot) job(name string, most int, do func()) {
	r.t.Helper()
	r.count = 0
	do()
	if r.count > most {
		r.t.Errorf("%s took %d keys, the mark is %d", name, r.count, most)
	}
	r.t.Logf("%-48s %d keys of %d", name, r.count, most)
}

// home goes back to the board, which is nobody's job.
func (r *robot) home() {
	r.t.Helper()
	r.text("\x1b")
	time.Sleep(escapeAlone)
	r.text("1")
	r.see("Board")
}

// await waits for what the board says.
func (r *robot) await(ok func() bool) {
	r.t.Helper()
	deadline := time.Now().Add(seenWithin)
	for !ok() {
		if time.Now().After(deadline) {
			r.t.Fatalf("it never came to it; the screen:\n%s", r.screen())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// left waits until the program has given the terminal back.
func (r *robot) left() {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(seenWithin):
		r.t.Fatalf("it does not leave:\n%s", r.screen())
	}
}
