package github

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault makes the next requests fail.
type Fault struct {
	Path   string // only requests whose path holds it; empty is all
	Query  string // only GraphQL requests whose text holds it; empty is all
	Reads  bool   // only what changes nothing
	Writes bool   // only what changes something
	Times  int    // how many; 0 is every one until Mend
	Kind   FaultKind
	Delay  time.Duration // of FaultDelay
	// Choose, if it is set, decides on each request; Kind is not asked.
	Choose func(Request) FaultKind
}

// FaultKind is how a request fails.
type FaultKind string

// The kinds of failure. Until told otherwise nothing of the request is carried
// out.
const (
	FaultNone        FaultKind = ""
	FaultSecondary   FaultKind = "secondary"      // 403 with Retry-After, though the budget is full
	FaultInBody      FaultKind = "secondary-200"  // the same as GraphQL may say it: an error in an answer that is 200
	FaultBare        FaultKind = "secondary-bare" // 403 that says in words alone that it is a limit
	FaultPrimary     FaultKind = "primary"        // 403, remaining 0, a reset
	FaultRateLimited FaultKind = "RATE_LIMITED"   // as GraphQL says it: an error in an answer that is 200
	FaultRateLimit   FaultKind = "RATE_LIMIT"     // the same in its other spelling
	FaultAbuse       FaultKind = "429"
	FaultBadGate     FaultKind = "502"      // a page of HTML
	FaultHangUp      FaultKind = "hang-up"  // the connection breaks
	FaultExpired     FaultKind = "expired"  // the token's time is over; another one is taken
	FaultDelay       FaultKind = "delay"    // it is carried out after a while
	FaultLost        FaultKind = "lost"     // it is carried out, and no answer comes
	FaultLateGate    FaultKind = "late-502" // it is carried out, and a page of HTML comes
	FaultCut         FaultKind = "cut"      // it is carried out, and half of the answer comes
	FaultInternal    FaultKind = "internal" // it is carried out, and GitHub says that something went wrong
	FaultEmpty       FaultKind = "empty"    // a proxy's own JSON with status 200
	FaultVoid        FaultKind = "void"     // it is carried out, and GraphQL's answer holds no data
	FaultStale       FaultKind = "stale"    // a read that does not see the last write
	FaultUnknown     FaultKind = "unknown"  // a read that finds no pull request's mergeable worked out
)

// Inject makes requests fail from now on; of several that fit the first one is
// used up first.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
	s.stale = s.stale || f.Kind == FaultStale || f.Choose != nil
	s.remember()
}

// Mend ends all failures.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// call is one request under way: where it stands in the log, and how it fails.
type call struct {
	at    int
	fault FaultKind
	delay time.Duration
}

type callKey struct{}

// callOf is what is known of a request under way.
func callOf(r *http.Request) *call {
	if c, ok := r.Context().Value(callKey{}).(*call); ok {
		return c
	}
	return &call{at: -1}
}

// note writes a request down and decides how it is to fail.
func (s *Server) note(r *http.Request) (*http.Request, *call) {
	req, text := requestOf(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &call{at: -1}
	if s.o.Folder == "" { // one that is kept may serve for days
		s.log = append(s.log, req)
		c.at = len(s.log) - 1
	}
	for i := range s.faults {
		f := &s.faults[i]
		if f.Times < 0 || !strings.Contains(req.Path, f.Path) || !strings.Contains(text, f.Query) || f.Reads && req.Write || f.Writes && !req.Write {
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				f.Times = -1
			}
		}
		c.fault, c.delay = f.Kind, f.Delay
		if f.Choose != nil {
			c.fault = f.Choose(req)
		}
		if req.Write && (c.fault == FaultStale || c.fault == FaultUnknown) {
			c.fault = FaultNone
		}
		break
	}
	return r.WithContext(context.WithValue(r.Context(), callKey{}, c)), c
}

// before answers a request that is not carried out, and lets another wait.
func (s *Server) before(w http.ResponseWriter, r *http.Request, c *call) bool {
	kind := c.fault
	if graphql := r.URL.Path == "/graphql"; !graphql && (kind == FaultRateLimited || kind == FaultRateLimit) {
		kind = FaultPrimary // as REST says it
	} else if !graphql && kind == FaultInBody {
		kind = FaultSecondary
	}
	switch kind {
	case FaultSecondary, FaultInBody, FaultBare, FaultPrimary, FaultAbuse, FaultRateLimited, FaultRateLimit:
		kind.limit(w, s.now())
	case FaultBadGate:
		page(w)
	case FaultEmpty:
		empty(w, `{"message":"upstream timeout"}`)
	case FaultHangUp:
		hangUp(w)
	case FaultExpired:
		s.expire(r)
		refuse(w, http.StatusUnauthorized, "Bad credentials")
	case FaultDelay:
		wait := time.NewTimer(c.delay)
		defer wait.Stop()
		select {
		case <-wait.C:
			return false
		case <-r.Context().Done():
		}
	case FaultNone, FaultLost, FaultLateGate, FaultCut, FaultInternal, FaultVoid, FaultStale, FaultUnknown:
		return false
	}
	return true
}

// expire ends the token that a request bears; a person's stays.
func (s *Server) expire(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := bearer(r)
	if _, pass, basic := r.BasicAuth(); basic {
		token = pass
	}
	if g, known := s.tokens[token]; known && g.app != nil {
		delete(s.tokens, token)
	}
}

// after carries a request out and lets its answer get lost on the way.
func (s *Server) after(w http.ResponseWriter, r *http.Request, c *call) {
	if !slices.Contains([]FaultKind{FaultLost, FaultLateGate, FaultCut, FaultInternal, FaultVoid}, c.fault) {
		s.carryOut(w, r)
		return
	}
	kept := &keeper{head: http.Header{}, code: http.StatusOK}
	s.carryOut(kept, r)
	switch c.fault { //nolint:exhaustive // these five come here
	case FaultLost:
		hangUp(w)
	case FaultInternal:
		wentWrong(w, r)
	case FaultLateGate:
		page(w)
	case FaultVoid:
		empty(w, `{"data":{}}`)
	default:
		w.Header().Set("Content-Type", kept.head.Get("Content-Type"))
		w.WriteHeader(kept.code)
		_, _ = w.Write(kept.body.Bytes()[:kept.body.Len()/2]) // a client that left needs no answer
	}
}

// empty is an answer of status 200 that is JSON and holds nothing.
func empty(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body) // a client that left needs no answer
}

// keeper keeps an answer instead of sending it.
type keeper struct {
	head http.Header
	code int
	body bytes.Buffer
}

func (k *keeper) Header() http.Header         { return k.head }
func (k *keeper) WriteHeader(code int)        { k.code = code }
func (k *keeper) Write(b []byte) (int, error) { return k.body.Write(b) }

// maxPeek is more than any request that is looked into.
const maxPeek = 4 << 20

// requestOf says what a request is; of a GraphQL one also its text.
func requestOf(r *http.Request) (req Request, text string) {
	req = Request{Method: r.Method, Path: r.URL.Path, Write: r.Method != http.MethodGet && r.Method != http.MethodHead}
	switch {
	case r.URL.Path == "/graphql":
		body, err := io.ReadAll(io.LimitReader(r.Body, maxPeek))
		r.Body = io.NopCloser(bytes.NewReader(body))
		var q struct {
			Query string `json:"query"`
		}
		if err == nil && json.Unmarshal(body, &q) == nil {
			text = q.Query
		}
		req.Write = strings.HasPrefix(strings.TrimSpace(text), "mutation")
	case strings.HasPrefix(r.URL.Path, "/git/"):
		req.Write = strings.HasSuffix(r.URL.Path, "/git-receive-pack")
	}
	return req, text
}
