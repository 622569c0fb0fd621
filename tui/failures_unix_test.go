//go:build unix

package tui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/backside4charter/dispatcher/loop/state"
)

// stall is how long the process of the room stands still in TestFailure48;
// the row asks for a minute.
var stall = flag.Duration("tui.stall", 3*time.Second, "how long a stalled room stands still")

// asRoom makes this test program a room of its own, in a process that can be
// stopped: its value says which.
const asRoom = "DISPATCHER_TEST_ROOM"

// playRoom is the room in a process of its own. It answers the exit code.
func playRoom(kind string) int {
	ctl := newStub()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opts := Options{Controller: ctl, Attached: true, Suspend: standStill}
	switch kind {
	case "streams":
		var offered atomic.Int64
		go streaming(ctx, ctl, 500, 50, 1000, &offered)
	case "sample":
		opts.Editor = echoEditor
		ctl.ch <- sample()
	}
	if left, err := Run(ctx, opts, os.Stdin, os.Stdout); err != nil || left != LeaveDetached {
		fmt.Fprintln(os.Stderr, left, err)
		return 1
	}
	return 0
}

// standStill is what ctrl+z does to a job of a shell.
func standStill() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if syscall.Kill(0, syscall.SIGSTOP) == nil {
		<-goesOn
	}
}

// echoEditor is an editor that writes to the screen, and more text, if the
// terminal has its own line editing back.
func echoEditor(was string) (EditorRun, func() (string, error), error) {
	path := filepath.Join(os.TempDir(), fmt.Sprint("room-editor-", os.Getpid()))
	run := exec.Command("sh", "-c", `printf 'an editor\n'; stty -a | grep -q ' icanon' && echo "$1 more" > "$0"`, path, was)
	return &editing{run}, func() (string, error) {
		defer os.Remove(path)
		data, err := os.ReadFile(path)
		return strings.TrimSpace(string(data)), err
	}, nil
}

type editing struct{ *exec.Cmd }

func (e *editing) SetStdin(r io.Reader)  { e.Stdin = r }
func (e *editing) SetStdout(w io.Writer) { e.Stdout = w }
func (e *editing) SetStderr(w io.Writer) { e.Stderr = w }

// apart is a room in another process, on a pty that controls it.
type apart struct {
	*terminal
	cmd *exec.Cmd
}

func openApart(t *testing.T, kind string, w, h int) *apart {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	if kind == "shell" {
		// A shell with jobs, as a person has one: it says when its job stands
		// still, and goes on with it after a line.
		cmd = exec.Command("sh", "-c", `set -m; "$0"; while jobs %% >/dev/null 2>&1; do echo "the shell"; read -r line; fg >/dev/null; done; echo "it has ended"`, os.Args[0])
		kind = "sample"
	}
	cmd.Env = append(os.Environ(), asRoom+"="+kind, "TERM=xterm-256color", "COLORTERM=truecolor")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}) //nolint:gosec // small sizes
	if err != nil {
		t.Fatalf("start a room of its own: %v", err)
	}
	x := &apart{cmd: cmd, terminal: &terminal{t: t, master: master, emu: vt.NewSafeEmulator(w, h), done: make(chan struct{})}}
	drained, answered := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			x.wrote.Add(int64(n))
			_, _ = x.emu.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(answered)
		_, _ = io.Copy(master, x.emu)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
		<-drained
		if c, ok := x.emu.InputPipe().(io.Closer); ok {
			_ = c.Close()
			<-answered
		}
		_ = master.Close()
	})
	return x
}

func (x *apart) signal(s syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatalf("send %v to the room: %v", s, err)
	}
}

// waitStopped waits until the process stands still.
func (x *apart) waitStopped() {
	x.t.Helper()
	x.until("the process stands still", func() bool {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(x.cmd.Process.Pid, &ws, syscall.WUNTRACED|syscall.WNOHANG, nil)
		return err == nil && pid == x.cmd.Process.Pid && ws.Stopped()
	})
}

// used is how much processor time and memory the process has taken; Linux only.
func (x *apart) used() (ticks, rss int) {
	x.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", x.cmd.Process.Pid))
	if err != nil {
		x.t.Fatalf("read what the room has used: %v", err)
	}
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	number := func(i int) int {
		n, err := strconv.Atoi(f[i])
		if err != nil {
			x.t.Fatalf("read what the room has used: %v", err)
		}
		return n
	}
	return number(11) + number(12), number(21) * os.Getpagesize()
}

// TestFailure48AStalledRoom stops a room that shows 500 rows and 50 workers at
// 1,000 lines a second, as a laptop's lid does, and lets it go on: no storm of
// work or bytes makes up for the time, and keys act.
func TestFailure48AStalledRoom(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process has used is read from /proc")
	}
	x := openApart(t, "streams", 120, 40)
	x.see("ACM-12")
	measure := func() (bytes int64, ticks, rss int) {
		const span = 2 * time.Second
		from := x.wrote.Load()
		was, _ := x.used()
		timer := time.NewTimer(span) // a rate needs a span of time
		<-timer.C
		now, rss := x.used()
		return x.wrote.Load() - from, now - was, rss
	}
	bytes, ticks, rss := measure()
	x.signal(syscall.SIGSTOP)
	x.waitStopped()
	timer := time.NewTimer(*stall)
	<-timer.C
	x.signal(syscall.SIGCONT)
	afterBytes, afterTicks, afterRSS := measure()
	t.Logf("before: %d bytes, %d ticks, %d MiB; after %v: %d bytes, %d ticks, %d MiB", bytes, ticks, rss>>20, *stall, afterBytes, afterTicks, afterRSS>>20)
	if afterBytes > 3*bytes+64<<10 || afterTicks > 3*ticks+50 || afterRSS > 2*rss {
		t.Error("a stalled room makes up for the time it stood still")
	}
	x.keys("5")
	x.until("the log is shown", func() bool { return strings.Contains(x.text(), "Log") })
}

// TestFailure45SizeZeroAndAStorm starts a room in a window without a size, as
// a tmux does, and then resizes it 500 times in a second while workers write.
func TestFailure45SizeZeroAndAStorm(t *testing.T) {
	ctl := newStub()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x := open(ctx, t, 0, 0, Options{Controller: ctl, Now: fixed, Attached: true})
	var offered atomic.Int64
	fed := make(chan struct{})
	go func() { defer close(fed); streaming(ctx, ctl, 200, 5, 1000, &offered) }()
	x.until("the room runs", func() bool { return x.wrote.Load() > 0 })
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for i := range 500 {
		x.resize(1+i*7%200, 1+i*3%60)
		<-ticker.C
	}
	x.resize(120, 40)
	x.until("the board stands in the last size", func() bool {
		lines := strings.Split(x.text(), "\n")
		return len(lines) == 40 && strings.HasPrefix(lines[2], "╭─ Ready") && strings.Contains(lines[38], "Backlog")
	})
	for range 3 { // narrower, and nothing is repeated
		x.resize(80, 24)
		x.see("│ ACM-")
		x.resize(120, 40)
		x.until("the columns are back", func() bool {
			return strings.Count(x.text(), "╭─ Ready") == 1 && strings.Count(x.text(), "dispatcher") == 1
		})
	}
	x.keys("q")
	x.restored()
	cancel()
	<-fed
}

// TestFailure11OutputOfAnAgent sends what repaints or freezes screens through
// a worker's stream, the transcript open, on a real terminal.
func TestFailure11OutputOfAnAgent(t *testing.T) {
	s := sample()
	w := &s.Workers[0]
	for _, text := range []string{
		"\x1b[?1049l\x1b[2J\x1b[1;1Hover all", "\x1b]0;owned\x07", "\x1b]52;c;aGk=\x07", "\x1b]8;;http://x\x1b\\link", "\x1b[31mnever closed", "\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\",
		"\x00\x07\x08", strings.Repeat("\r", 10_000), strings.Repeat("x", 100_000), "\x9b31m\x85", "\x1b[?25l\x1b[?1000h", "\x1bc", "\x0e\x0f",
	} {
		w.Tail = append(w.Tail, state.Line{At: noon, Kind: state.LineTool, Tool: "Bash", Text: text, Done: true}, state.Line{At: noon, Kind: state.LineText, Text: text})
	}
	w.Lines += 26
	ctl := newStub()
	ctl.ch <- s
	titles := make(chan string, 100)
	x := open(t.Context(), t, 120, 40, Options{Controller: ctl, Now: fixed, Attached: true})
	x.emu.SetCallbacks(vt.Callbacks{Title: func(title string) { titles <- title }})
	x.see("Cache invalidation")
	x.keys("2")
	x.see("ACM-12 developer")
	x.keys("\r")
	x.keys("G")
	x.see("␛c")
	if !x.emu.IsAltScreen() {
		t.Error("a line left the alternate screen")
	}
	for y, l := range strings.Split(x.text(), "\n") {
		if width := ansi.StringWidth(l); width > 120 {
			t.Errorf("line %d is %d wide", y, width)
		}
	}
	x.keys("1")
	x.see("← Backlog 3 · Done 4 →")
	checkBorders(t, x, 120, 40)
	x.keys("q")
	x.restored()
	close(titles)
	for title := range titles {
		if strings.Contains(title, "owned") {
			t.Errorf("a line set the title %q", title)
		}
	}
}

// TestSuspendAndGoOn suspends the room to its shell, and lets it go on there.
func TestSuspendAndGoOn(t *testing.T) {
	x := openApart(t, "shell", 120, 40)
	x.see("Cache invalidation")
	for range 3 {
		x.keys("\x1a")
		x.until("the shell has the terminal", func() bool { return !x.emu.IsAltScreen() && strings.Contains(x.text(), "the shell") })
		x.keys("\n")
		x.until("the room is back", func() bool {
			return x.emu.IsAltScreen() && strings.Contains(x.text(), "Cache invalidation")
		})
		x.keys("3")
		x.see("Needs you 4")
		x.keys("1")
		x.see("╭─ Ready 4")
	}
	x.keys("q")
	x.until("the shell goes on", func() bool { return !x.emu.IsAltScreen() && strings.Contains(x.text(), "it has ended") })
}

// TestTheEditorAndBack goes to an editor on the same terminal and comes back
// with its text.
func TestTheEditorAndBack(t *testing.T) {
	x := openApart(t, "sample", 120, 40)
	x.see("Cache invalidation")
	x.keys("b")
	x.see("the first line is its title")
	x.keys("once")
	for _, want := range []string{"once more", "once more more"} {
		x.keys("\x07")
		x.until("the text of the editor stands in the field", func() bool {
			return x.emu.IsAltScreen() && strings.Contains(x.text(), want)
		})
	}
	x.keys(" and here")
	x.see("once more more and here")
}
