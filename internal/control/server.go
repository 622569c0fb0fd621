package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// maxBody bounds a command, in bytes: an answer is the longest.
const maxBody = 1 << 20

// Loop is what the socket serves.
type Loop interface {
	Snapshot() *state.Snapshot
	// Subscribe answers the newest snapshot and every newer one, latest wins,
	// until the context or the loop ends.
	Subscribe(ctx context.Context) <-chan *state.Snapshot
	Send(ctx context.Context, c state.Command) (state.Done, error)
}

// refusal is the body of an answer that is not a success.
type refusal struct {
	Error string `json:"error"`
}

// Serve answers on the listener until the context ends.
func Serve(ctx context.Context, l net.Listener, loop Loop) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/snapshot", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, loop.Snapshot())
	})
	mux.HandleFunc("GET /v1/snapshots", func(w http.ResponseWriter, r *http.Request) { stream(w, r, loop) })
	mux.HandleFunc("POST /v1/command", func(w http.ResponseWriter, r *http.Request) { command(w, r, loop) })
	s := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the control socket: %w", err)
	}
	return nil
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}

func stream(w http.ResponseWriter, r *http.Request, loop Loop) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	flush := http.NewResponseController(w)
	// The reader hears at once that it is connected, whenever the first
	// snapshot comes.
	if flush.Flush() != nil {
		return
	}
	for s := range loop.Subscribe(r.Context()) {
		if enc.Encode(s) != nil || flush.Flush() != nil {
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
	if err != nil {
		answer(w, http.StatusConflict, refusal{err.Error()})
		return
	}
	answer(w, http.StatusOK, done)
}
