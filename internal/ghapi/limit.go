package ghapi

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// LimitError says that GitHub has asked to wait; nothing was sent.
type LimitError struct {
	Until     time.Time
	Secondary bool
	// Blunt is that GitHub did not say how long: each such refusal in a row is
	// waited for longer.
	Blunt bool
}

func (e *LimitError) Error() string {
	kind := "the hour's budget is used up"
	if e.Secondary {
		kind = "too many requests at once"
	}
	return fmt.Sprintf("GitHub asked to wait (%s); nothing is sent before %s", kind, e.Until.UTC().Format("15:04:05Z"))
}

// Gate holds requests back while GitHub has asked to wait. One is shared by all
// clients of a process.
type Gate struct {
	Now func() time.Time
	// Spread is a part of a time by which callers return later than asked, so
	// that not all return at once; nil is a random part.
	Spread func(time.Duration) time.Duration

	mu    sync.Mutex
	until LimitError
	blunt int // refusals in a row that did not say how long to wait
}

// Open answers a LimitError while nothing may be sent.
func (g *Gate) Open() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Now().Before(g.until.Until) {
		e := g.until
		return &e
	}
	return nil
}

// How long is waited: where GitHub does not say, a minute and twice as long each
// time (FACTS.md, Limits and errors), and never longer than any limit of
// GitHub's lasts, whatever an answer says.
const (
	bluntWait  = time.Minute
	maxDoubles = 4
	maxWait    = 90 * time.Minute
)

// refusal is an answer that asks to wait.
type refusal struct {
	wait      time.Duration
	secondary bool
	blunt     bool // it does not say how long
}

func (g *Gate) shut(r refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.Now()
	if r.blunt && !now.Before(g.until.Until) { // those that were under way together count once
		r.wait <<= min(g.blunt, maxDoubles)
		g.blunt++
	}
	later := spread
	if g.Spread != nil {
		later = g.Spread
	}
	until := now.Add(min(r.wait, maxWait) + later(30*time.Second))
	if until.After(g.until.Until) {
		g.until = LimitError{Until: until, Secondary: r.secondary, Blunt: r.blunt}
	}
}

// passed is told of an answer that does not ask to wait.
func (g *Gate) passed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.Now().Before(g.until.Until) {
		g.blunt = 0
	}
}

// spread is a random part of d, so that not all callers return at once.
func spread(d time.Duration) time.Duration { return rand.N(d) } //nolint:gosec // it hides nothing

// Limit says whether an answer refuses for the number of requests, how long it
// asks to wait, and whether that is for too many at once, which a full budget
// does not rule out (failures.md, row 26).
func Limit(status int, h http.Header, body string, now time.Time) (wait time.Duration, secondary, limited bool) {
	if status != http.StatusForbidden && status != http.StatusTooManyRequests {
		return 0, false, false
	}
	after, hasAfter := seconds(h, "Retry-After")
	switch {
	case hasAfter:
		return after, true, true
	case h.Get("X-Ratelimit-Remaining") == "0":
		return reset(h, now), false, true
	case isSecondary(body), status == http.StatusTooManyRequests:
		return bluntWait, true, true
	}
	return 0, false, false
}

// Limited is Limit as an error; nil where the answer refuses for no number of
// requests.
func Limited(status int, h http.Header, body string, now time.Time) *LimitError {
	wait, secondary, limited := Limit(status, h, body, now)
	if !limited {
		return nil
	}
	return &LimitError{Until: now.Add(wait), Secondary: secondary, Blunt: blunt(secondary, h)}
}

// blunt says whether a refusal leaves open how long to wait.
func blunt(secondary bool, h http.Header) bool { return secondary && h.Get("Retry-After") == "" }

// reset is how long until the budget is full again; a minute where GitHub does
// not say.
func reset(h http.Header, now time.Time) time.Duration {
	if at, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil {
		return min(max(time.Second, time.Unix(at, 0).Sub(now)), maxWait)
	}
	return time.Minute
}

func seconds(h http.Header, name string) (time.Duration, bool) {
	n, err := strconv.Atoi(h.Get(name))
	return time.Duration(min(n, int(maxWait.Seconds()))) * time.Second, err == nil && n >= 0
}

func isSecondary(text string) bool {
	return strings.Contains(strings.ToLower(text), "secondary rate limit")
}

// limitInBody is Limit of a GraphQL answer that is 200: the error that it holds
// refuses for the hour's budget, or for too many at once.
func limitInBody(h http.Header, body []byte, now time.Time) (wait time.Duration, secondary, limited bool) {
	var a struct {
		Errors []struct {
			Type       string `json:"type"`
			Message    string `json:"message"`
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &a) != nil {
		return 0, false, false
	}
	for _, e := range a.Errors {
		after, hasAfter := seconds(h, "Retry-After")
		switch {
		case isSecondary(e.Message) && hasAfter:
			return after, true, true
		case isSecondary(e.Message):
			return bluntWait, true, true
		case e.Type == "RATE_LIMITED" || e.Type == "RATE_LIMIT" || e.Extensions.Code == "graphql_rate_limit":
			return reset(h, now), false, true
		}
	}
	return 0, false, false
}
