package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Bounds of what one client may ask for.
const (
	maxBody    = 1 << 20          // of a command, in bytes: an answer is the longest
	maxClients = 64               // open connections; more wait until one ends
	maxLines   = 5000             // of a transcript at once
	maxQuery   = 4096             // of an address, in bytes
	patience   = 30 * time.Second // for a reader that takes nothing
)

// Loop is what the socket serves.
type Loop interface {
	Snapshot() *state.Snapshot
	// Subscribe answers the newest snapshot and every newer one, latest wins,
	// until the context or the loop ends.
	Subscribe(ctx context.Context) <-chan *state.Snapshot
	// Events answers what happened after an event, and then what happens.
	Events(ctx context.Context, after uint64) <-chan state.Event
	// LastEvent is the number of the newest one.
	LastEvent() uint64
	Send(ctx context.Context, c state.Command) (state.Done, error)
}

// Reader answers what is in no snapshot.
type Reader interface {
	Detail(ctx context.Context, ref board.Ref) (state.Detail, error)
	Transcript(ctx context.Context, run string, from, n int, find string) (state.Transcript, error)
	Diff(ctx context.Context, q state.DiffQuery) (state.Diff, error)
	Money(ctx context.Context) (state.Money, error)
	Preview(ctx context.Context) (state.Preview, error)
}

// refusal is the body of an answer that is not a success.
type refusal struct {
	Error string `json:"error"`
}

// Routes are what the socket answers, in the order of the documentation.
func Routes() []string {
	var out []string
	for _, r := range routes(nil, nil) {
		out = append(out, r.pattern)
	}
	return out
}

type route struct {
	pattern string
	do      http.HandlerFunc
}

func routes(loop Loop, read Reader) []route {
	return []route{
		{"GET /v1", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, hello{API: Version}) }},
		{"GET /v1/snapshot", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, loop.Snapshot()) }},
		{"GET /v1/snapshots", func(w http.ResponseWriter, r *http.Request) { stream(w, loop.Subscribe(r.Context())) }},
		{"GET /v1/events", func(w http.ResponseWriter, r *http.Request) { events(w, r, loop) }},
		{"POST /v1/command", func(w http.ResponseWriter, r *http.Request) { command(w, r, loop) }},
		{"GET /v1/issues/{ref}", func(w http.ResponseWriter, r *http.Request) {
			reply(w, func() (any, error) { return read.Detail(r.Context(), board.Ref(r.PathValue("ref"))) })
		}},
		{"GET /v1/runs/{id}/lines", func(w http.ResponseWriter, r *http.Request) { lines(w, r, read) }},
		{"GET /v1/diff", func(w http.ResponseWriter, r *http.Request) {
			q := state.DiffQuery{PR: r.URL.Query().Get("pr"), Ref: board.Ref(r.URL.Query().Get("ref"))}
			reply(w, func() (any, error) { return read.Diff(r.Context(), q) })
		}},
		{"GET /v1/money", func(w http.ResponseWriter, r *http.Request) {
			reply(w, func() (any, error) { return read.Money(r.Context()) })
		}},
		{"GET /v1/next", func(w http.ResponseWriter, r *http.Request) {
			reply(w, func() (any, error) { return read.Preview(r.Context()) })
		}},
	}
}

// Serve answers on the listener until the context ends.
func Serve(ctx context.Context, l net.Listener, loop Loop, read Reader) error {
	mux := http.NewServeMux()
	for _, r := range routes(loop, read) {
		mux.HandleFunc(r.pattern, r.do)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusNotFound, refusal{fmt.Sprintf("this loop speaks version %d of the control API and knows no %s %.100q", Version, r.Method, r.URL.Path)})
	})
	s := &http.Server{
		Handler:           negotiated(mux),
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    16 << 10,
		IdleTimeout:       patience,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(bounded(l)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the control socket: %w", err)
	}
	return nil
}

// negotiated refuses a client of another version before it is understood
// half, and one with an address that nobody needs.
func negotiated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.Header.Get(versionHeader); v != "" && v != strconv.Itoa(Version) {
			answer(w, http.StatusUpgradeRequired, refusal{fmt.Sprintf(
				"this loop speaks version %d of the control API, and you version %.20q; use the dispatcher that started the loop, or restart the loop with yours", Version, v)})
			return
		}
		if len(r.RequestURI) > maxQuery {
			answer(w, http.StatusRequestURITooLong, refusal{fmt.Sprintf("the address is longer than %d bytes", maxQuery)})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience)) // where there is none, it waits
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}

// reply answers what is read on demand, or why it cannot be.
func reply(w http.ResponseWriter, read func() (any, error)) {
	v, err := read()
	switch {
	case errors.Is(err, board.ErrNotFound):
		answer(w, http.StatusNotFound, refusal{err.Error()})
	case err != nil:
		answer(w, http.StatusConflict, refusal{err.Error()})
	default:
		answer(w, http.StatusOK, v)
	}
}

func lines(w http.ResponseWriter, r *http.Request, read Reader) {
	q := r.URL.Query()
	from, err := number(q.Get("from"), -1)
	n, nerr := number(q.Get("n"), 200)
	if err = errors.Join(err, nerr); err != nil || n < 0 || n > maxLines {
		answer(w, http.StatusBadRequest, refusal{fmt.Sprintf("from and n are numbers, and n is at most %d", maxLines)})
		return
	}
	reply(w, func() (any, error) { return read.Transcript(r.Context(), r.PathValue("id"), from, n, q.Get("find")) })
}

func number(s string, other int) (int, error) {
	if s == "" {
		return other, nil
	}
	return strconv.Atoi(s)
}

func events(w http.ResponseWriter, r *http.Request, loop Loop) {
	var after uint64
	if s := r.URL.Query().Get("after"); s != "" {
		var err error
		if after, err = strconv.ParseUint(s, 10, 64); err != nil {
			answer(w, http.StatusBadRequest, refusal{"after is the number of an event"})
			return
		}
	}
	if r.URL.Query().Get("follow") != "false" {
		stream(w, loop.Events(r.Context(), after))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	stream(w, upTo(ctx, loop, after))
}

// upTo are the events after a number that there are by now.
func upTo(ctx context.Context, loop Loop, after uint64) <-chan state.Event {
	out := make(chan state.Event)
	last := loop.LastEvent()
	go func() {
		defer close(out)
		if last == 0 || after == last {
			return
		}
		for ev := range loop.Events(ctx, after) {
			select {
			case out <- ev:
			case <-ctx.Done():
				return
			}
			if ev.N >= last {
				return
			}
		}
	}()
	return out
}

// stream writes one JSON value a line for as long as there are any. A reader
// that takes nothing for a while is let go.
func stream[T any](w http.ResponseWriter, values <-chan T) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	c := http.NewResponseController(w)
	// The reader hears at once that it is connected, whenever the first value
	// comes.
	if c.Flush() != nil {
		return
	}
	for v := range values {
		_ = c.SetWriteDeadline(time.Now().Add(patience)) // where there is none, it waits
		if enc.Encode(v) != nil || c.Flush() != nil {
			return
		}
	}
}

func command(w http.ResponseWriter, r *http.Request, loop Loop) {
	var c state.Command
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		answer(w, http.StatusBadRequest, refusal{"not a command: " + err.Error()})
		return
	}
	done, err := loop.Send(r.Context(), c)
	switch {
	case errors.Is(err, board.ErrNoLogin):
		answer(w, http.StatusUnauthorized, refusal{err.Error()})
	case err != nil:
		answer(w, http.StatusConflict, refusal{err.Error()})
	default:
		answer(w, http.StatusOK, done)
	}
}
