//go:build unix

package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/backside4charter/dispatcher/loop/state"
)

// TestMain fails if a room leaves a goroutine behind. One is the library's: its
// reader blocks for ever on an event that arrives while the program ends.
func TestMain(m *testing.M) {
	if kind := os.Getenv(asRoom); kind != "" {
		os.Exit(playRoom(kind))
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}

// terminal is a real pty with an emulator behind it, and a robot user.
type terminal struct {
	t      *testing.T
	tty    *os.File
	master *os.File
	emu    *vt.SafeEmulator
	before *term.State
	done   chan struct{}
	wrote  atomic.Int64
	cells  sync.Mutex // held while the emulator writes: CellAt answers the cell itself
	left   Leave
	err    error
}

// open starts a control room on a pty of w by h cells.
func open(ctx context.Context, t *testing.T, w, h int, opts Options) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("open a pty: %v", err)
	}
	x := &terminal{t: t, tty: tty, master: master, emu: vt.NewSafeEmulator(max(w, 1), max(h, 1)), done: make(chan struct{})}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil { //nolint:gosec // small sizes
		t.Fatalf("set the size of a pty: %v", err)
	}
	if x.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatalf("read the state of a pty: %v", err)
	}
	drained := make(chan struct{})
	go func() { // the program's output reaches the emulator
		defer close(drained)
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			x.wrote.Add(int64(n))
			x.cells.Lock()
			_, _ = x.emu.Write(buf[:n])
			x.cells.Unlock()
			if err != nil {
				return
			}
		}
	}()
	answered := make(chan struct{})
	go func() { // the emulator's answers reach the program
		defer close(answered)
		_, _ = io.Copy(master, x.emu)
	}()
	go func() {
		defer close(x.done)
		x.left, x.err = run(ctx, opts, tty, tty, tea.WithEnvironment([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}))
	}()
	t.Cleanup(func() {
		select {
		case <-x.done:
		case <-time.After(10 * time.Second):
			t.Error("the room did not end")
		}
		// The emulator's own Close races with its reader, so both ends are
		// ended from outside.
		_ = tty.Close()
		if c, ok := x.emu.InputPipe().(io.Closer); ok {
			_ = c.Close()
			<-answered
		}
		<-drained
		_ = master.Close()
	})
	return x
}

// resize changes the window. The pty is not our controlling terminal, so the
// signal that a terminal would send is sent by hand.
func (x *terminal) resize(w, h int) {
	x.t.Helper()
	x.emu.Resize(w, h)
	if err := pty.Setsize(x.master, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil { //nolint:gosec // small sizes
		x.t.Fatalf("resize a pty: %v", err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		x.t.Fatalf("signal the resize: %v", err)
	}
}

func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, s); err != nil {
		x.t.Fatalf("type %q: %v", s, err)
	}
}

func (x *terminal) text() string { return ansi.Strip(x.emu.Render()) }

// see waits until the screen shows the text.
func (x *terminal) see(want string) {
	x.t.Helper()
	x.until("the screen shows "+want, func() bool { return strings.Contains(x.text(), want) })
}

func (x *terminal) until(what string, ok func() bool) {
	x.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			x.t.Fatalf("never: %s; the screen:\n%s", what, x.text())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// restored fails unless the terminal is as it was found.
func (x *terminal) restored() {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(15 * time.Second):
		x.t.Fatalf("the room did not end; the screen:\n%s", x.text())
	}
	x.until("the alternate screen is left", func() bool { return !x.emu.IsAltScreen() })
	after, err := term.GetState(x.tty.Fd())
	if err != nil {
		x.t.Fatalf("read the state of a pty: %v", err)
	}
	if !reflect.DeepEqual(x.before, after) {
		x.t.Error("the terminal's modes are not restored")
	}
}

func fixed() time.Time { return noon }

func TestRobotAnswersAndLeaves(t *testing.T) {
	ctl := newStub()
	ctl.ch <- sample()
	ctl.after = func(c state.Command) {
		s := sample()
		switch c.Kind {
		case state.CommandAnswer:
			s.Version, s.Needs = 8, s.Needs[1:]
		case state.CommandLeave:
			s.Version, s.Mode = 9, state.ModeStopped
		default:
			return
		}
		ctl.ch <- s
	}
	x := open(t.Context(), t, 100, 30, Options{Controller: ctl, Now: fixed})
	x.see("Cache invalidation")
	x.see("scripted agents")
	x.until("the alternate screen is on", x.emu.IsAltScreen)
	x.keys("!a1\r")
	x.see("3 need you")
	x.keys("\x1b")
	x.see("In progress 4") // an escape with a letter at once would be alt and the letter
	x.keys("q")
	x.see("2 workers are running.")
	x.keys("\r")
	x.restored()
	if x.err != nil || x.left != LeaveWorkers {
		t.Errorf("left as %q, %v", x.left, x.err)
	}
	sent := ctl.commands()
	if len(sent) != 2 || sent[0].Kind != state.CommandAnswer || sent[0].Ref != "ACM-7" || sent[1].Kind != state.CommandLeave {
		t.Fatalf("sent %+v", sent)
	}
	if want := "1. ISO 8601 everywhere: tests stay, the UI converts. (recommended)"; sent[0].Text != want {
		t.Errorf("the answer is %q, want %q", sent[0].Text, want)
	}
}

func TestSizesWhileRunning(t *testing.T) {
	ctl := newStub()
	ctl.ch <- sample()
	x := open(t.Context(), t, 120, 40, Options{Controller: ctl, Now: fixed, Attached: true})
	x.see("Cache invalidation")
	for i := range 200 { // a storm, while pictures arrive
		x.resize(1+i*7%200, 1+i*3%60)
		select {
		case ctl.ch <- sample():
		default:
		}
	}
	for _, size := range [][2]int{{1, 1}, {20, 4}, {40, 12}, {80, 24}, {200, 60}, {3, 50}, {120, 40}} {
		x.resize(size[0], size[1])
	}
	x.until("the columns stand again", func() bool {
		lines := strings.Split(x.text(), "\n")
		return len(lines) == 40 && strings.HasPrefix(lines[2], "╭─ Ready 4") && strings.Contains(lines[38], "← Backlog 3 · Done 4 →")
	})
	checkBorders(t, x, 120, 40)
	x.keys("q")
	x.restored()
	if x.left != LeaveDetached || x.err != nil {
		t.Errorf("left as %q, %v", x.left, x.err)
	}
	if len(ctl.commands()) != 0 {
		t.Errorf("an attached room sent %+v", ctl.commands())
	}
}

func TestSizeZero(t *testing.T) {
	ctl := newStub()
	ctl.ch <- sample()
	x := open(t.Context(), t, 0, 0, Options{Controller: ctl, Now: fixed, Attached: true})
	x.until("something is drawn", func() bool { return x.wrote.Load() > 0 })
	x.resize(80, 24)
	x.see("Cache invalidation")
	x.keys("q")
	x.restored()
}

func TestPanicRestoresTheTerminal(t *testing.T) {
	ctl := newStub()
	ctl.ch <- sample()
	var broken atomic.Bool
	now := func() time.Time {
		if broken.Load() {
			panic("a clock that breaks")
		}
		return noon
	}
	x := open(t.Context(), t, 80, 24, Options{Controller: ctl, Now: now})
	x.see("Cache invalidation")
	broken.Store(true)
	x.keys("j")
	x.restored()
	if !errors.Is(x.err, ErrPanic) || x.left != LeaveLost {
		t.Errorf("left as %q, %v", x.left, x.err)
	}
	if x.err != nil && !strings.Contains(x.err.Error(), "a clock that breaks") {
		t.Errorf("the error does not say what broke: %v", x.err)
	}
}

func TestCancelRestoresTheTerminal(t *testing.T) {
	ctl := newStub()
	ctl.ch <- sample()
	ctx, cancel := context.WithCancel(t.Context())
	x := open(ctx, t, 80, 24, Options{Controller: ctl, Now: fixed})
	x.see("Cache invalidation")
	cancel()
	x.restored()
	if !errors.Is(x.err, context.Canceled) || x.left != LeaveLost {
		t.Errorf("left as %q, %v", x.left, x.err)
	}
}

func TestHostileTextOnARealTerminal(t *testing.T) {
	s := sample()
	s.Rows[5].Issue.Title = "👨‍👩‍👧‍👦 हिन्दी\x1b[?1049l\x1b]0;owned\x07 👍🏽 é ❤️ 🇩🇪"
	s.Workers[0].Tail[8].Text = "\x1b[2J\x1b[H" + strings.Repeat("\r", 10_000) + "\x1b]52;c;aGk=\x07 日本語\x00"
	ctl := newStub()
	ctl.ch <- s
	x := open(t.Context(), t, 120, 40, Options{Controller: ctl, Now: fixed, Attached: true})
	x.see("← Backlog 3 · Done 4 →")
	if !x.emu.IsAltScreen() {
		t.Error("a title left the alternate screen")
	}
	checkBorders(t, x, 120, 40)
	x.keys("q")
	x.restored()
}

// checkBorders waits until the right border of the last column stands in the
// last cell of every line of the columns.
func checkBorders(t *testing.T, x *terminal, w, h int) {
	t.Helper()
	x.until("every line of the columns ends in a border", func() bool {
		x.cells.Lock()
		defer x.cells.Unlock()
		for y := 2; y < h-2; y++ {
			if c := x.emu.CellAt(w-1, y); c == nil || c.Content == "" || !strings.Contains("│╮╯┃┓┛", c.Content) {
				return false
			}
		}
		return true
	})
}

// TestUnchangedPicturesWriteNothing brackets pictures that differ in nothing a
// person sees between two that do.
func TestUnchangedPicturesWriteNothing(t *testing.T) {
	ctl := newStub()
	named := func(name string) *state.Snapshot {
		s := narrow()
		s.Repository = name
		return s
	}
	ctl.ch <- named("acme/one")
	x := open(t.Context(), t, 200, 60, Options{Controller: ctl, Now: fixed, Attached: true})
	x.see("acme/one")
	x.see("← Backlog 3 · Done 4 →")
	ctl.ch <- named("acme/two") // what the start still had to write is written by now
	x.see("acme/two")
	before := x.wrote.Load()
	for range 20 {
		ctl.ch <- named("acme/two")
	}
	ctl.ch <- named("acme/six")
	x.see("acme/six")
	if wrote := x.wrote.Load() - before; wrote > 500 {
		t.Errorf("unchanged pictures and a new name wrote %d bytes", wrote)
	}
	x.keys("q")
	x.restored()
}

// narrow is the sample without wide characters.
func narrow() *state.Snapshot {
	s := sample()
	for i := range s.Rows {
		s.Rows[i].Issue.Title = strings.Map(func(r rune) rune {
			if r > 0x7e {
				return 'x'
			}
			return r
		}, s.Rows[i].Issue.Title)
	}
	return s
}

// TestAClockWritesLittle holds what a second costs on the wire: at most a
// twentieth of the picture. Lines with wide characters are left out: the
// renderer paints them anew with every frame.
func TestAClockWritesLittle(t *testing.T) {
	ctl := newStub()
	ctl.ch <- narrow()
	started := time.Now()
	now := func() time.Time { return noon.Add(time.Since(started)) }
	x := open(t.Context(), t, 200, 60, Options{Controller: ctl, Now: now, Attached: true})
	x.see("← Backlog 3 · Done 4 →")
	left := func() int { // seconds on the clock
		_, after, _ := strings.Cut(x.text(), "poll in 0:")
		n, err := strconv.Atoi(after[:min(2, len(after))])
		if err != nil {
			return -1
		}
		return n
	}
	first := left()
	x.until("the clock moves", func() bool { n := left(); return n >= 0 && n < first })
	before, start := x.wrote.Load(), left()
	x.until("the clock moves on", func() bool { n := left(); return n >= 0 && n <= start-2 })
	m, _ := room(200, 60, narrow())
	wrote, most := x.wrote.Load()-before, int64(len(screen(m))/20)
	if ticks := int64(start - left() + 1); wrote > most*ticks {
		t.Errorf("%d seconds wrote %d bytes; a twentieth of the picture is %d", ticks, wrote, most)
	}
	x.keys("q")
	x.restored()
}

// TestPanicInACommand breaks what runs beside the room.
func TestPanicInACommand(t *testing.T) {
	ctl := breaking{newStub()}
	ctl.ch <- sample()
	kept := make(chan Crash, 1)
	x := open(t.Context(), t, 80, 24, Options{Controller: ctl, Now: fixed, Crashed: func(c Crash) (string, error) { kept <- c; return "the-file", nil }})
	x.see("Cache invalidation")
	x.keys("p")
	x.restored()
	if !errors.Is(x.err, ErrPanic) || x.left != LeaveLost || !strings.Contains(x.err.Error(), "the-file") {
		t.Errorf("left as %q, %v", x.left, x.err)
	}
	if c := <-kept; !strings.Contains(c.Panic, "a command that breaks") || c.Width != 80 {
		t.Errorf("kept %+v", c)
	}
}
