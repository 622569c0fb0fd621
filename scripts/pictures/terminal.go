//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a pty with an emulator behind it and our program in front.
type terminal struct {
	cmd    *exec.Cmd
	master *os.File
	emu    *vt.SafeEmulator
	w, h   int
	also   atomic.Pointer[recorder]
	ended  chan struct{} // closed after the program's end; err is set then
	err    error
}

// openTerminal starts a program on a terminal. It is not ended with a context:
// its workers outlive it, so that only close ends it, by its own command.
func openTerminal(w, h int, dir, name string, args ...string) (*terminal, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // see above
	cmd.Dir = dir
	// Whoever takes the pictures may like their own rooms otherwise.
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "DISPATCHER_SETTINGS="+filepath.Join(dir, "settings"), "TMUX=")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
	if err != nil {
		return nil, fmt.Errorf("start the demo on a terminal: %w", err)
	}
	t := &terminal{cmd: cmd, master: master, emu: vt.NewSafeEmulator(w, h), w: w, h: h, ended: make(chan struct{})}
	t.emu.SetDefaultBackgroundColor(rgb(dark.ground))
	t.emu.SetDefaultForegroundColor(rgb(dark.ink))
	go func() { // the program's output reaches the emulator
		_, _ = io.Copy(tee{t}, master)
		t.err = cmd.Wait()
		close(t.ended)
	}()
	go func() { _, _ = io.Copy(master, t.emu) }() // and its answers the program
	return t, nil
}

// rgb is the colour that hex would write.
func rgb(s string) color.Color {
	n, _ := strconv.ParseUint(s[1:], 16, 32)
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}

// close closes the terminal of a program that has ended.
func (t *terminal) close() {
	select {
	case <-t.ended:
	case <-time.After(5 * time.Second):
		_ = t.cmd.Process.Kill()
	}
	_ = t.master.Close()
}

func (t *terminal) resize(w, h int) {
	if w == t.w && h == t.h {
		return
	}
	t.w, t.h = w, h
	t.emu.Resize(w, h)
	_ = pty.Setsize(t.master, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
}

// tee writes to the emulator, and to the recorder while there is one.
type tee struct{ *terminal }

func (t tee) Write(b []byte) (int, error) {
	if r := t.also.Load(); r != nil {
		_, _ = r.Write(b) // it keeps everything in memory
	}
	return t.emu.Write(b)
}

// record keeps what comes from now on.
func (t *terminal) record(r *recorder) { t.also.Store(r) }

// typeKeys presses keys as a person does; one a time, so that an escape is none
// of another key.
func (t *terminal) typeKeys(keys []string) error {
	for _, k := range keys {
		if k == pause {
			time.Sleep(600 * time.Millisecond)
			continue
		}
		if _, err := io.WriteString(t.master, k); err != nil {
			return fmt.Errorf("type %q: %w", k, err)
		}
		time.Sleep(60 * time.Millisecond)
	}
	return nil
}

// gone says that the program has ended.
func (t *terminal) gone() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

func (t *terminal) text() string { return ansi.Strip(t.emu.Render()) }

// see waits until the screen shows something.
func (t *terminal) see(ctx context.Context, wait time.Duration, ok func(screen string) bool) error {
	deadline := time.After(wait)
	for {
		if ok(t.text()) {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.ended:
			return errors.Join(errors.New("the program ended; its last screen:\n"+t.text()), t.err)
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("the moment did not come; the screen:\n%s", t.text())
		}
	}
}

// picture is the screen at the first moment of a kind at which nothing is being
// drawn.
func (t *terminal) picture(ctx context.Context, wait time.Duration, title string, ok func(screen string) bool) (svg, text string, err error) {
	for still := ""; ; {
		if err := t.see(ctx, wait, ok); err != nil {
			return "", "", err
		}
		before := t.emu.Render()
		if before == still {
			on := paperOf(t.emu.BackgroundColor(), t.emu.ForegroundColor())
			return draw(t.cells(on), on, title), ansi.Strip(before), nil
		}
		still = before
		time.Sleep(150 * time.Millisecond)
	}
}

// The attributes of a cell, as the emulator numbers them.
const (
	attrBold    = 1 << 0
	attrFaint   = 1 << 1
	attrItalic  = 1 << 2
	attrReverse = 1 << 5
)

// cells are the screen's, row by row.
func (t *terminal) cells(on paper) [][]cell {
	rows := make([][]cell, t.h)
	for y := range rows {
		rows[y] = make([]cell, t.w)
		for x := range rows[y] {
			c := t.emu.CellAt(x, y)
			if c == nil {
				rows[y][x] = cell{text: " ", width: 1}
				continue
			}
			s := style{
				fg: hex(c.Style.Fg), bg: hex(c.Style.Bg),
				bold: c.Style.Attrs&attrBold != 0, italic: c.Style.Attrs&attrItalic != 0, faint: c.Style.Attrs&attrFaint != 0,
				under: c.Style.Underline != 0,
			}
			if c.Style.Attrs&attrReverse != 0 {
				s.fg, s.bg = orElse(s.bg, on.ground), orElse(s.fg, on.ink)
			}
			rows[y][x] = cell{text: c.Content, width: c.Width, style: s}
		}
	}
	if at := t.emu.CursorPosition(); !t.emu.CursorHidden() && at.Y < t.h && at.X < t.w && rows[at.Y][at.X].text == " " {
		rows[at.Y][at.X].style.bg = on.ink
	}
	return rows
}
