package tui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
)

// TestACrashIsDescribed breaks the room in each of the places a panic can come
// from, and reads what is kept of it.
func TestACrashIsDescribed(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(g *guard, brk *bool) tea.Cmd{
		"Update": func(g *guard, brk *bool) tea.Cmd {
			*brk = true
			_, cmd := g.Update(namedKeys["down"])
			return cmd
		},
		"View": func(g *guard, brk *bool) tea.Cmd {
			g.room.dirty, *brk = true, true
			_ = g.View()
			_, cmd := g.Update(nil)
			return cmd
		},
		"a command": func(g *guard, _ *bool) tea.Cmd {
			_, cmd := g.Update(guarded(func() tea.Msg { panic("it broke") })())
			return cmd
		},
		"a batch": func(g *guard, _ *bool) tea.Cmd {
			both := guarded(tea.Batch(func() tea.Msg { return nil }, func() tea.Msg { panic("it broke") }))
			batch, ok := both().(tea.BatchMsg)
			if !ok {
				t.Fatal("a batch is none any more")
			}
			_, cmd := g.Update(batch[1]())
			return cmd
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			brk := false
			m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time {
				if brk {
					panic("it broke")
				}
				return noon
			}})
			m.Update(tea.WindowSizeMsg{Width: 81, Height: 25})
			s := sample()
			s.Rows[0].Issue.Title = "my password is hunter2 日本"
			take(m, s)
			quit := make(chan struct{}, 1)
			g := &guard{room: m, quit: func() { quit <- struct{}{} }}
			cmd := broken(g, &brk)
			if cmd == nil || cmd() != tea.Quit() {
				t.Error("a broken room does not end")
			}
			var kept Crash
			err := g.report(func(c Crash) (string, error) { kept = c; return "the-file", nil })
			if !errors.Is(err, ErrPanic) || !strings.Contains(err.Error(), "the-file") || !strings.Contains(err.Error(), "it broke") {
				t.Errorf("the error is %v", err)
			}
			text, jsonErr := json.Marshal(kept)
			if jsonErr != nil {
				t.Fatal(jsonErr)
			}
			if kept.Width != 81 || kept.View != "Board" || !strings.Contains(kept.Stack, "goroutine") || !strings.Contains(string(text), `"xx xxxxxxxx xx xxxxxx0 日日"`) {
				t.Errorf("kept %s", text)
			}
			for _, word := range []string{"hunter2", "Cache", "invalidation", "anna"} {
				if strings.Contains(string(text), word) {
					t.Errorf("the file holds %q", word)
				}
			}
		})
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	g := &guard{room: newModel(t.Context(), Options{Controller: newStub(), Now: fixedNow})}
	g.fail("it broke", []byte("the stack"))
	err := g.report(func(Crash) (string, error) { return "", full })
	if !errors.Is(err, ErrPanic) || !errors.Is(err, full) || !strings.Contains(err.Error(), "the stack") {
		t.Errorf("the error is %v", err)
	}
	if err := (&guard{}).report(nil); !errors.Is(err, ErrPanic) {
		t.Errorf("a panic that the library caught is %v", err)
	}
}

// breaking is a loop whose Send panics.
type breaking struct{ *stub }

func (breaking) Send(context.Context, state.Command) (state.Done, error) {
	panic("a command that breaks")
}

func TestShape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"sk-ant-Abc123": "xx-xxx-xxx000", "日本語": "日日日", "é\u0301ñ": "é\u0301é", "\x1b[31m": "\x1b[00x", "👨‍👩‍👧": "👨‍👩‍👧", "שלום": "éééé", "": "",
	} {
		if got := shape(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
