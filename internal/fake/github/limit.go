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
	Write        bool // it asks for a change
	Status304    bool // answered from the condition, at no cost
	Points       int  // of GraphQL, that it cost
}

// Requests are all requests so far, oldest first; none of a fake that is kept.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.log...)
}

// Counts are requests by what they cost.
type Counts struct {
	GraphQL, Points int
	REST            int // counted against the hour
	Free            int // REST that was answered 304
	Git             int
}

// Plus are both together.
func (c Counts) Plus(o Counts) Counts {
	return Counts{c.GraphQL + o.GraphQL, c.Points + o.Points, c.REST + o.REST, c.Free + o.Free, c.Git + o.Git}
}

// Over says whether any of them is more than the most that is given.
func (c Counts) Over(most Counts) bool {
	return c.GraphQL > most.GraphQL || c.Points > most.Points || c.REST > most.REST || c.Free > most.Free || c.Git > most.Git
}

// Count adds requests up.
func Count(list []Request) Counts {
	var c Counts
	for i := range list {
		r := &list[i]
		switch {
		case r.Path == "/graphql":
			c.GraphQL++
			c.Points += r.Points
		case strings.HasPrefix(r.Path, "/git/"):
			c.Git++
		case r.Status304:
			c.Free++
		default:
			c.REST++
		}
	}
	return c
}

const secondaryWords = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."

// limit refuses a request for its number, in one of GitHub's ways.
func (k FaultKind) limit(w http.ResponseWriter, now time.Time) {
	h := w.Header()
	switch k { //nolint:exhaustive // the limits alone come here
	case FaultSecondary:
		h.Set("Retry-After", "60")
		h.Set("X-Ratelimit-Remaining", "4935")
		refuse(w, http.StatusForbidden, secondaryWords)
	case FaultInBody:
		h.Set("Retry-After", "60")
		h.Set("X-Ratelimit-Remaining", "4935")
		answer(w, http.StatusOK, map[string]any{"errors": []any{map[string]string{"message": secondaryWords}}})
	case FaultBare:
		h.Set("X-Ratelimit-Remaining", "4935")
		refuse(w, http.StatusForbidden, secondaryWords)
	case FaultAbuse:
		h.Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, secondaryWords)
	case FaultPrimary:
		spent(h, now)
		refuse(w, http.StatusForbidden, "API rate limit exceeded for installation ID 10000001.")
	case FaultRateLimited:
		spent(h, now)
		answer(w, http.StatusOK, map[string]any{"errors": []any{map[string]string{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 42."}}})
	default:
		spent(h, now)
		answer(w, http.StatusOK, map[string]any{"errors": []any{map[string]any{
			"type": "RATE_LIMIT", "message": "API rate limit already exceeded for user ID 42.", "extensions": map[string]string{"code": "graphql_rate_limit"},
		}}})
	}
}

// spent says that the hour's budget is used up.
func spent(h http.Header, now time.Time) {
	h.Set("X-Ratelimit-Limit", "5000")
	h.Set("X-Ratelimit-Remaining", "0")
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(now.Add(time.Hour).Unix(), 10))
}

// page is what a gateway in front of GitHub answers.
func page(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = w.Write([]byte("<html><head><title>502</title></head><body>\x1b[31m502 Bad Gateway</body></html>")) // a client that left needs no answer
}

// wentWrong is what GitHub answers when it took too long, or broke.
func wentWrong(w http.ResponseWriter, r *http.Request) {
	const words = "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. Please include `0000:000:00` when reporting this issue."
	if r.URL.Path != "/graphql" {
		refuse(w, http.StatusInternalServerError, "Server Error")
		return
	}
	answer(w, http.StatusOK, map[string]any{"data": nil, "errors": []any{map[string]string{"message": words}}})
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close() // that is what it is for
}
