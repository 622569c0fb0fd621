package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request; the CLI sends well under a mebibyte.
const maxBody = 64 << 20

// Server plays a Script over HTTP. Its methods may be called at any time, from
// any goroutine.
type Server struct {
	script []conversation
	aux    turn

	mu       sync.Mutex
	cursors  map[string]int           // conversation and session
	gates    map[string]chan struct{} // closed when released
	waiting  map[string]int           // answers held at a gate
	arrived  chan struct{}            // closed and renewed whenever waiting grows
	requests []Request
	problems []string
}

// NewServer makes a server for a script, built or loaded.
func NewServer(s *Script) (*Server, error) {
	ready, err := compile(s)
	if err != nil {
		return nil, err
	}
	srv := &Server{script: ready, aux: turn{Turn: Turn{Text: "ok"}}}
	if s.Aux != nil {
		if srv.aux, err = compileTurn(s.Aux); err != nil {
			return nil, fmt.Errorf("script: aux: %w", err)
		}
	}
	srv.arrived = make(chan struct{})
	srv.waiting = map[string]int{}
	srv.Reset()
	return srv, nil
}

// ServeHTTP answers the endpoints that the CLI asks for, and the control ones.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, "/_fake/"):
		s.control(w, r)
	case r.Method == http.MethodPost && path == "/v1/messages":
		s.messages(w, r)
	case r.Method == http.MethodPost && path == "/v1/messages/count_tokens":
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.record(Request{Method: r.Method, Path: path, Turn: -1})
		writeJSON(w, http.StatusOK, map[string]int{"input_tokens": len(data)/4 + 1})
	case r.Method == http.MethodGet && path == "/v1/models":
		s.record(Request{Method: r.Method, Path: path, Turn: -1})
		writeJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false})
	case r.Method == http.MethodHead || path == "/":
		s.record(Request{Method: r.Method, Path: path, Turn: -1}) // a probe for a connection
		w.WriteHeader(http.StatusOK)
	default:
		s.record(Request{Method: r.Method, Path: r.URL.String(), Turn: -1})
		writeError(w, &APIError{Status: http.StatusNotFound, Message: s.problem("no such endpoint: %s", path)})
	}
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var req body
	if err := json.Unmarshal(data, &req); err != nil {
		writeError(w, &APIError{Status: http.StatusBadRequest, Message: s.problem("read a request: %v", err)})
		return
	}
	if r.Header.Get("X-Api-Key") == "" && r.Header.Get("Authorization") == "" {
		writeError(w, &APIError{Status: http.StatusUnauthorized, Message: "x-api-key header is required"})
		return
	}
	session := req.session(r.Header)
	head, last := req.texts()
	entry := Request{
		Method: r.Method, Path: r.URL.String(), Session: session, Turn: -1,
		Head: head, LastUser: last, Header: r.Header.Clone(), Body: data,
	}
	entry.Header.Del("X-Api-Key")
	entry.Header.Del("Authorization")
	for _, t := range req.Tools {
		entry.Tools = append(entry.Tools, t.Name)
	}
	t, conv, index := s.pick(session, head, len(req.Tools) > 0)
	if conv != nil {
		entry.Conversation, entry.Turn = conv.name, index
	}
	s.record(entry)

	if t == nil {
		writeError(w, &APIError{Status: http.StatusBadRequest, Message: s.problem("no conversation matches this request: %.500s", last)})
		return
	}
	if t.expect != nil && !t.expect.MatchString(last) {
		name := "aux"
		if conv != nil {
			name = conv.name
		}
		writeError(w, &APIError{
			Status:  http.StatusBadRequest,
			Message: s.problem("%s turn %d: the last user message does not match %q: %.500s", name, index, t.Expect, last),
		})
		return
	}
	s.play(w, r, &req, t, captured(conv, &req, session, head, last))
}

// captured are the values for placeholders.
func captured(conv *conversation, req *body, session, head, last string) map[string]string {
	vars := map[string]string{"session": session, "model": req.Model, "last": last, "cwd": cwd(head)}
	if conv == nil {
		return vars
	}
	all := head + "\n" + last
	for name, re := range conv.vars {
		if m := re.FindStringSubmatch(all); m != nil {
			vars[name] = m[len(m)-1]
		}
	}
	return vars
}

// pick chooses the turn that answers a request and moves the cursor. No turn
// means that no conversation wants the request.
func (s *Server) pick(session, head string, hasTools bool) (*turn, *conversation, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.script {
		c := &s.script[i]
		if (!hasTools && !c.auxTurns) || !c.match.MatchString(head) {
			continue
		}
		key := c.name + "|" + session
		n := s.cursors[key]
		s.cursors[key]++
		if n < len(c.turns) {
			return &c.turns[n], c, n
		}
		return &c.after, c, n
	}
	if !hasTools {
		return &s.aux, nil, -1
	}
	return nil, nil, -1
}

func (s *Server) record(e Request) {
	e.Time = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, e)
}

// problem keeps a mistake of the script and answers its text.
func (s *Server) problem(format string, args ...any) string {
	text := "fakeanthropic: " + fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, text)
	return text
}
