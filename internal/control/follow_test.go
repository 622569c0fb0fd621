package control

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// A room stays while its loop is away, says so, and takes the next one up.
func TestAttachedSurvivesItsLoop(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	begin := func() (*fakeLoop, func()) {
		l, err := Listen(dir)
		if err != nil {
			t.Fatal(err)
		}
		loop := newFakeLoop()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- Serve(ctx, l, loop, fakeReader{}) }()
		return loop, func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	first, end := begin()
	ctx, cancel := context.WithCancel(t.Context())
	a := Attach(ctx, NewClient(dir))
	first.snapshots <- &state.Snapshot{Version: 1}
	if s := <-a.Snapshots(); s.Version != 1 {
		t.Fatalf("version %d", s.Version)
	}
	end()
	if c := <-a.Contacts(); c.Lost.IsZero() || c.Again.IsZero() || c.Why == "" {
		t.Errorf("without a loop: %+v", c)
	}
	if _, err := a.Send(ctx, state.Command{Kind: state.CommandPause}); err == nil {
		t.Error("a command reaches a loop that is gone")
	}
	second, end := begin()
	defer end()
	second.snapshots <- &state.Snapshot{Version: 2}
	if s := <-a.Snapshots(); s.Version != 2 {
		t.Fatalf("version %d", s.Version)
	}
	for c := range a.Contacts() {
		if c.Lost.IsZero() {
			break
		}
	}
	cancel()
	for range a.Snapshots() { //nolint:revive // until it is over
	}
}

// A loop whose process stands still takes connections and says nothing: whoever
// asks hears so in time, and a command is not left for it.
func TestASilentLoop(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "unix", path(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nothing was said on it
	c := NewClient(dir)
	c.within = 20 * time.Millisecond
	for what, ask := range map[string]func(context.Context) error{
		"snapshot":  func(ctx context.Context) error { _, err := c.Snapshot(ctx); return err },
		"subscribe": func(ctx context.Context) error { _, err := c.Subscribe(ctx); return err },
		"events":    func(ctx context.Context) error { _, err := c.Events(ctx, 0); return err },
		"send": func(ctx context.Context) error {
			_, err := c.Send(ctx, state.Command{Kind: state.CommandPause})
			return err
		},
	} {
		if err := ask(t.Context()); !errors.Is(err, ErrSilent) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := Attach(ctx, c)
	if got := <-a.Contacts(); got.Lost.IsZero() || got.Why == "" || !got.Refused {
		t.Errorf("the attached room hears %+v", got)
	}
}

// Whatever keeps the answer to a command away, nobody knows whether it was
// done, and the reason says no more than is known.
func TestNoAnswerToACommand(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	t.Cleanup(giveUp)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		why    string
	}{
		"the loop ends":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"it answers no refusal": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", http.StatusInternalServerError) }, "the loop answered 500"},
		"it answers half":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"text": "it`)) }, "EOF"},
		"the caller gives up": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // whose end lets the server see that the caller goes
			giveUp()
			<-r.Context().Done()
		}, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := shortDir(t)
			var lc net.ListenConfig
			l, err := lc.Listen(t.Context(), "unix", path(dir))
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			mux.HandleFunc("GET /v1", func(http.ResponseWriter, *http.Request) {})
			mux.HandleFunc("POST /v1/command", c.answer)
			srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
			go srv.Serve(l)   //nolint:errcheck // it ends with the test
			defer srv.Close() //nolint:errcheck // it was only asked
			from := t.Context()
			if name == "the caller gives up" {
				from = ctx
			}
			_, err = NewClient(dir).Send(from, state.Command{Kind: state.CommandPause})
			want := "no answer says whether it was done: it may have been, look before you ask again ("
			if !errors.Is(err, ErrUnanswered) || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("it is told as %v", err)
			}
		})
	}
}
