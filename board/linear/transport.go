package linear

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/gqlanswer"
)

// meta is what the client library drops of an answer: its status, its errors
// whole, and what is left of the hour.
type meta struct {
	status int
	whole  bool // it holds data
	errors []wireError
	left   levels
	retry  time.Duration // Retry-After
	date   time.Time     // the server's clock
}

// levels are what an answer's headers say of the hour's budget.
type levels struct {
	known                      bool  // of requests
	requests, points, endpoint level // endpoint is the query's own limit, where it has one
}

type metaKey struct{}

// wireError is one entry of an answer's errors.
type wireError struct {
	Message    string `json:"message"`
	Extensions struct {
		Type  string `json:"type"`
		Code  string `json:"code"`
		Shown string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// judge names the error: by code and type, since Linear gives both and
// sometimes only one.
func (e *wireError) judge(status int) error {
	typ := strings.ToLower(e.Extensions.Type)
	said := e.Extensions.Shown
	if said == "" {
		said = e.Message
	}
	said = strings.TrimSuffix(board.OneLine(said), ".")
	switch {
	case e.Extensions.Code == "RATELIMITED" || typ == "ratelimited" || status == http.StatusTooManyRequests:
		return &LimitError{}
	case e.Extensions.Code == "AUTHENTICATION_ERROR" || typ == "authentication error" || status == http.StatusUnauthorized:
		return &KeyError{Said: said}
	case strings.Contains(strings.ToLower(e.Message+" "+said), "too complex"):
		return fmt.Errorf("%w: %s", errComplex, said)
	case strings.HasPrefix(strings.ToLower(e.Message), "entity not found"), strings.Contains(strings.ToLower(said), "could not find referenced"):
		return fmt.Errorf("%w: %s", board.ErrNotFound, said)
	}
	// The message is Linear's as others saw it live; the other text is for persons.
	taken := strings.HasPrefix(strings.ToLower(e.Message), "conflict on insert of") || strings.HasSuffix(said, "already exists")
	return &RefusedError{Said: said, Type: e.Extensions.Type, taken: taken}
}

// transportWithKey adds the key to each request and reads what the library
// drops of the answer.
type transportWithKey struct {
	key  string
	next http.RoundTripper
}

// maxAnswer is more than any page of ours holds, in bytes.
const maxAnswer = 64 << 20

func (t *transportWithKey) RoundTrip(in *http.Request) (*http.Response, error) {
	out := in.Clone(in.Context())
	out.Header.Set("Authorization", t.key)
	out.Header.Set("User-Agent", "dispatcher")
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	m, ok := in.Context().Value(metaKey{}).(*meta)
	if ok {
		m.read(resp, body)
	}
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func (m *meta) read(resp *http.Response, body []byte) {
	m.status = resp.StatusCode
	var answer struct {
		Errors []wireError `json:"errors"`
	}
	if json.Unmarshal(body, &answer) == nil {
		m.errors = answer.Errors
	}
	m.whole = gqlanswer.Whole(body)
	h := resp.Header
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		m.date = at.UTC()
	}
	m.left.requests = levelIn(h, "Requests")
	m.left.points = levelIn(h, "Complexity")
	m.left.endpoint = levelIn(h, "Endpoint-Requests")
	m.left.known = m.left.requests.left >= 0
	if s, ok := number(h, "Retry-After"); ok {
		m.retry = time.Duration(s) * time.Second
	}
}

// levelIn reads one of the limits.
func levelIn(h http.Header, of string) level {
	l := level{left: -1, reset: moment(h, "X-RateLimit-"+of+"-Reset")}
	if n, ok := number(h, "X-RateLimit-"+of+"-Remaining"); ok {
		l.left = max(0, n)
	}
	l.limit, _ = number(h, "X-RateLimit-"+of+"-Limit")
	return l
}

func number(h http.Header, name string) (int, bool) {
	n, err := strconv.ParseFloat(h.Get(name), 64)
	return int(n), err == nil
}

// moment reads a time in milliseconds since 1970.
func moment(h http.Header, name string) time.Time {
	n, ok := number(h, name)
	if !ok || n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n)).UTC()
}
