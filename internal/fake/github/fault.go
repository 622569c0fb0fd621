package github

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Request is one request that reached the fake.
type Request struct {
	Method, Path string
	Status304    bool // answered from the condition, at no cost
}

// Fault makes the next requests fail.
type Fault struct {
	Path  string // only requests whose path holds it; empty is all
	Times int    // how many; 0 is every one until Mend
	Kind  FaultKind
}

// FaultKind is how a request fails.
type FaultKind string

// The kinds of failure.
const (
	FaultSecondary FaultKind = "secondary" // 403 with Retry-After, though the budget is full
	FaultPrimary   FaultKind = "primary"   // 403, remaining 0, a reset
	FaultBadGate   FaultKind = "502"       // a page of HTML
	FaultHangUp    FaultKind = "hang-up"   // the connection breaks
	FaultAbuse     FaultKind = "429"
)

// Inject makes requests fail from now on.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Mend ends all failures.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Requests are all requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.log...)
}

// note writes a request down and answers how it is to fail.
func (s *Server) note(r *http.Request) FaultKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, Request{Method: r.Method, Path: r.URL.Path})
	for i := range s.faults {
		f := &s.faults[i]
		if f.Times < 0 || !strings.Contains(r.URL.Path, f.Path) {
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				f.Times = -1
			}
		}
		return f.Kind
	}
	return ""
}

// before answers a request that is to fail.
func (k FaultKind) before(w http.ResponseWriter, now time.Time) bool {
	h := w.Header()
	switch k {
	case FaultSecondary:
		h.Set("Retry-After", "60")
		h.Set("X-Ratelimit-Remaining", "4935")
		refuse(w, http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	case FaultAbuse:
		h.Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	case FaultPrimary:
		h.Set("X-Ratelimit-Limit", "5000")
		h.Set("X-Ratelimit-Remaining", "0")
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(now.Add(time.Hour).Unix(), 10))
		refuse(w, http.StatusForbidden, "API rate limit exceeded for installation ID 10000001.")
	case FaultBadGate:
		h.Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html><body>502 Bad Gateway</body></html>")) // a client that left needs no answer
	case FaultHangUp:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	default:
		return false
	}
	return true
}
