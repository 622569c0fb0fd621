package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// fakeLoop is a loop that takes every command but abort.
type fakeLoop struct {
	snapshots chan *state.Snapshot
	sent      chan state.Command
}

func newFakeLoop() *fakeLoop {
	return &fakeLoop{snapshots: make(chan *state.Snapshot, 8), sent: make(chan state.Command, 8)}
}

func (*fakeLoop) Snapshot() *state.Snapshot {
	return &state.Snapshot{Version: 7, Repository: "acme/widgets"}
}

func (l *fakeLoop) Subscribe(ctx context.Context) <-chan *state.Snapshot {
	out := make(chan *state.Snapshot)
	go func() {
		defer close(out)
		for {
			select {
			case s, ok := <-l.snapshots:
				if !ok {
					return
				}
				select {
				case out <- s:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func (*fakeLoop) LastEvent() uint64 { return 4 }

func (*fakeLoop) Events(ctx context.Context, after uint64) <-chan state.Event {
	out := make(chan state.Event)
	go func() {
		defer close(out)
		for n := after + 1; n <= 5; n++ {
			select {
			case out <- state.Event{N: n, Kind: state.EventFiring}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// fakeReader answers what it was asked.
type fakeReader struct{}

func (fakeReader) Detail(_ context.Context, ref board.Ref) (state.Detail, error) {
	if ref == "DSP-404" {
		return state.Detail{}, fmt.Errorf("read %s: %w", ref, board.ErrNotFound)
	}
	return state.Detail{Issue: board.Issue{Ref: ref}}, nil
}

func (fakeReader) Transcript(_ context.Context, run string, from, n int, find string) (state.Transcript, error) {
	return state.Transcript{Run: run + find, From: from, Total: n}, nil
}

func (fakeReader) Diff(_ context.Context, q state.DiffQuery) (state.Diff, error) {
	return state.Diff{Title: q.PR + string(q.Ref)}, nil
}

func (fakeReader) Money(context.Context) (state.Money, error) { return state.Money{Today: 1.5}, nil }

func (fakeReader) Preview(context.Context) (state.Preview, error) {
	return state.Preview{Lines: []state.PreviewLine{{Ref: "DSP-1"}}}, nil
}

func (l *fakeLoop) Send(_ context.Context, c state.Command) (state.Done, error) {
	switch c.Kind { //nolint:exhaustive // these are refused
	case state.CommandAbort:
		return state.Done{}, errors.New("not now: nothing runs")
	case state.CommandRequest:
		return state.Done{}, fmt.Errorf("request changes: %w", board.ErrNoLogin)
	}
	l.sent <- c
	return state.Done{Ref: c.Ref, Undo: 3, Text: "it is done"}, nil
}

// shortDir is a folder whose path leaves room for a socket's.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// serve serves a fake loop on a state folder until the test ends.
func serve(t *testing.T, dir string) (*fakeLoop, *Client) {
	t.Helper()
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	loop := newFakeLoop()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, loop, fakeReader{}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return loop, NewClient(dir)
}

func TestCommandsReachTheLoop(t *testing.T) {
	t.Parallel()
	loop, c := serve(t, shortDir(t))
	want := state.Command{Kind: state.CommandAnswer, Ref: "DSP-1", Text: "ISO 8601 \x00 everywhere\n"}
	done, err := c.Send(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	if (done != state.Done{Ref: "DSP-1", Undo: 3, Text: "it is done"}) {
		t.Errorf("the loop's answer arrives as %+v", done)
	}
	if got := <-loop.sent; !reflect.DeepEqual(got, want) {
		t.Errorf("the loop got %+v, want %+v", got, want)
	}
	none := state.Command{Kind: state.CommandEdit, Ref: "DSP-1", Issue: &state.IssueDraft{Labels: []string{}, Blockers: []board.Ref{}}}
	if _, err := c.Send(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	if got := <-loop.sent; !reflect.DeepEqual(got, none) {
		t.Errorf("empty lists arrive as %+v", got.Issue)
	}
	_, err = c.Send(t.Context(), state.Command{Kind: state.CommandAbort})
	if err == nil || err.Error() != "not now: nothing runs" {
		t.Errorf("a refusal arrives as %v", err)
	}
	if errors.Is(err, board.ErrNoLogin) {
		t.Errorf("%v is for want of a login", err)
	}
	_, err = c.Send(t.Context(), state.Command{Kind: state.CommandRequest})
	if !errors.Is(err, board.ErrNoLogin) || err.Error() != "request changes: it takes your own login" {
		t.Errorf("a refusal for want of a login arrives as %v", err)
	}
	s, err := c.Snapshot(t.Context())
	if err != nil || s.Version != 7 || s.Repository != "acme/widgets" {
		t.Errorf("snapshot %+v, %v", s, err)
	}
}

func TestSnapshotsStream(t *testing.T) {
	t.Parallel()
	loop, c := serve(t, shortDir(t))
	got, err := c.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for v := uint64(1); v <= 3; v++ {
		loop.snapshots <- &state.Snapshot{Version: v}
		if s := <-got; s.Version != v {
			t.Fatalf("got version %d, want %d", s.Version, v)
		}
	}
	close(loop.snapshots)
	if s, more := <-got; more {
		t.Errorf("after the end came %+v", s)
	}
}

// What is no command is refused with its fault, and reaches no loop.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no JSON":      "hold DSP-1",
		"empty":        "",
		"unknown keys": `{"kind": "pause", "colour": true}`,
		"too long":     `{"kind": "answer", "text": "` + strings.Repeat("x", maxBody) + `"}`,
		"another type": `["pause"]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loop, c := serve(t, shortDir(t))
			_, err := c.do(t.Context(), http.MethodPost, "/v1/command", []byte(body))
			if err == nil || !strings.Contains(err.Error(), "not a command") {
				t.Errorf("answered %v", err)
			}
			if len(loop.sent) != 0 {
				t.Errorf("the loop got %+v", <-loop.sent)
			}
		})
	}
}

func TestNoLoop(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	if _, err := NewClient(dir).Snapshot(t.Context()); !errors.Is(err, ErrNoLoop) {
		t.Errorf("without a socket: %v", err)
	}
	// A loop that was killed leaves its socket behind.
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	if u, ok := l.(interface{ SetUnlinkOnClose(unlink bool) }); ok {
		u.SetUnlinkOnClose(false)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := NewClient(dir).Send(t.Context(), state.Command{Kind: state.CommandPause}); !errors.Is(err, ErrNoLoop) {
		t.Errorf("on a dead socket: %v", err)
	}
	_, c := serve(t, dir)
	if _, err := c.Snapshot(t.Context()); err != nil {
		t.Errorf("the dead socket was not replaced: %v", err)
	}
}

// The socket is its owner's alone, also where the state folder is too deep for
// the path of a socket and only a pointer lies in it.
func TestSocketIsPrivateWhereverItLies(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("file modes say nothing there")
	}
	for name, deep := range map[string]string{"near": "", "too deep": strings.Repeat("d/", 60)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(shortDir(t), filepath.FromSlash(deep))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			_, c := serve(t, dir)
			if _, err := c.Snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			at := path(dir)
			info, err := os.Stat(at)
			if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != fs.ModeSocket {
				t.Errorf("%s: %v, %v", at, info.Mode(), err)
			}
			if outside := !strings.HasPrefix(at, dir); outside != (deep != "") {
				t.Errorf("the socket of %s lies at %s", dir, at)
			}
		})
	}
}
