package anthropic

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Release opens a gate, now and for later turns.
func (s *Server) Release(gate string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.gate(gate)
	select {
	case <-g:
	default:
		close(g)
	}
}

// AwaitGate returns when an answer is held at the gate, or with the context's
// error.
func (s *Server) AwaitGate(ctx context.Context, gate string) error {
	for {
		s.mu.Lock()
		held, arrived := s.waiting[gate] > 0, s.arrived
		s.mu.Unlock()
		if held {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return fmt.Errorf("wait for an answer at gate %q: %w", gate, ctx.Err())
		}
	}
}

// Requests is the log so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Problems are the mistakes of the script so far: requests that no
// conversation wanted, unmet expectations, unknown endpoints.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Reset forgets cursors, gates, the log and the problems. Answers held at a
// gate stay held until their client leaves.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursors, s.gates = map[string]int{}, map[string]chan struct{}{}
	s.requests, s.problems = nil, nil
}

// gate is the channel of a gate; s.mu is held.
func (s *Server) gate(name string) chan struct{} {
	g, ok := s.gates[name]
	if !ok {
		g = make(chan struct{})
		s.gates[name] = g
	}
	return g
}

// hold blocks until a gate opens; false when the client left.
func (s *Server) hold(ctx context.Context, name string) bool {
	s.mu.Lock()
	g := s.gate(name)
	s.waiting[name]++
	close(s.arrived)
	s.arrived = make(chan struct{})
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.waiting[name]--
		s.mu.Unlock()
	}()
	select {
	case <-g:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "GET /_fake/requests":
		writeJSON(w, http.StatusOK, s.Requests())
	case "GET /_fake/state":
		s.mu.Lock()
		state := map[string]any{"cursors": maps.Clone(s.cursors), "waiting": maps.Clone(s.waiting)}
		s.mu.Unlock()
		writeJSON(w, http.StatusOK, state)
	case "POST /_fake/release":
		s.Release(r.URL.Query().Get("gate"))
		w.WriteHeader(http.StatusNoContent)
	case "POST /_fake/reset":
		s.Reset()
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, r)
	}
}
