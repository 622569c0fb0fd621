package ghapi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// said is one answer, sent to every request.
type said struct {
	code int
	body string
	head map[string]string
}

func (s *said) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{}
	for k, v := range s.head {
		h.Set(k, v)
	}
	return &http.Response{StatusCode: s.code, Header: h, Body: io.NopCloser(bytes.NewBufferString(s.body)), Request: r}, nil
}

// client asks, at a time of its own, and without a spread.
type client struct {
	*testing.T
	at   time.Time
	says *said
	t    *ghapi.Transport
}

func newClient(t *testing.T) *client {
	t.Helper()
	c := &client{T: t, at: time.Date(2026, 8, 27, 14, 0, 0, 0, time.UTC), says: &said{code: http.StatusOK}}
	now := func() time.Time { return c.at }
	c.t = &ghapi.Transport{
		Host: "api.github.com", Next: c.says, Gate: &ghapi.Gate{Now: now, Spread: func(time.Duration) time.Duration { return 0 }},
		Session: &ghapi.Session{Now: now, Mint: func(context.Context) (ghapi.Token, error) { return ghapi.Token{Text: "t"}, nil }},
	}
	return c
}

// waits asks once and says how long nothing is sent then.
func (c *client) waits(path string) (time.Duration, bool) {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), http.MethodGet, "https://api.github.com"+path, http.NoBody)
	if err != nil {
		c.Fatal(err)
	}
	resp, err := c.t.RoundTrip(r)
	if err != nil {
		c.Fatal(err)
	}
	_ = resp.Body.Close() // it was read
	limit, limited := errors.AsType[*ghapi.LimitError](c.t.Gate.Open())
	if !limited {
		return 0, false
	}
	return limit.Until.Sub(c.at), limit.Secondary
}

// How long each refusal of GitHub's is waited for (FACTS.md, Limits and errors).
func TestWaits(t *testing.T) {
	t.Parallel()
	const (
		words  = `"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."`
		inBody = `{"errors": [{` + words + `}]}`
		hour   = `{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}`
	)
	in := func(d time.Duration) string {
		return strconv.FormatInt(time.Date(2026, 8, 27, 14, 0, 0, 0, time.UTC).Add(d).Unix(), 10)
	}
	for name, tc := range map[string]struct {
		path      string
		says      said
		want      time.Duration
		secondary bool
	}{
		"no refusal":                      {"/graphql", said{200, `{"data": {"title": "secondary rate limit"}}`, nil}, 0, false},
		"REST, with a time":               {"/repos", said{403, `{}`, map[string]string{"Retry-After": "90"}}, 90 * time.Second, true},
		"REST, in words alone":            {"/repos", said{403, `{` + words + `}`, nil}, time.Minute, true},
		"REST, a 403 for another cause":   {"/repos", said{403, `{"message": "Resource not accessible by integration"}`, nil}, 0, false},
		"REST, an answer that quotes it":  {"/repos", said{200, `[{"title": "secondary rate limit"}]`, nil}, 0, false},
		"GraphQL 200, with a time":        {"/graphql", said{200, inBody, map[string]string{"Retry-After": "90"}}, 90 * time.Second, true},
		"GraphQL 200, in words alone":     {"/graphql", said{200, inBody, nil}, time.Minute, true},
		"GraphQL 403, in words alone":     {"/graphql", said{403, inBody, nil}, time.Minute, true},
		"GraphQL 200, the hour's budget":  {"/graphql", said{200, hour, map[string]string{"X-RateLimit-Reset": in(20 * time.Minute)}}, 20 * time.Minute, false},
		"the hour's budget":               {"/repos", said{403, `{}`, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in(20 * time.Minute)}}, 20 * time.Minute, false},
		"a time beyond reason":            {"/repos", said{403, `{}`, map[string]string{"Retry-After": "86400"}}, 90 * time.Minute, true},
		"a time beyond numbers":           {"/repos", said{403, `{}`, map[string]string{"Retry-After": "9223372036854775807"}}, 90 * time.Minute, true},
		"a reset beyond reason":           {"/graphql", said{200, hour, map[string]string{"X-RateLimit-Reset": in(48 * time.Hour)}}, 90 * time.Minute, false},
		"a reset in another unit of time": {"/graphql", said{200, hour, map[string]string{"X-RateLimit-Reset": "1787846400000"}}, 90 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			*c.says = tc.says
			if got, secondary := c.waits(tc.path); got != tc.want || secondary != tc.secondary {
				t.Errorf("waits %s, secondary %v; want %s, %v", got, secondary, tc.want, tc.secondary)
			}
		})
	}
}

// Where GitHub does not say how long, each refusal in a row is waited for longer.
func TestWaitsGrow(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	refused := said{code: 403, body: `{"message": "You have exceeded a secondary rate limit."}`}
	*c.says = refused
	for i, minutes := range []int{1, 2, 4, 8, 16, 16} {
		want := time.Duration(minutes) * time.Minute
		got, _ := c.waits("/repos")
		if got != want {
			t.Errorf("refusal %d: waits %s, want %s", i+1, got, want)
		}
		c.at = c.at.Add(got)
	}
	*c.says = said{code: 200, body: `{}`}
	if got, _ := c.waits("/repos"); got != 0 {
		t.Errorf("waits %s after an answer", got)
	}
	*c.says = refused
	if got, _ := c.waits("/repos"); got != time.Minute {
		t.Errorf("waits %s at the first refusal after an answer", got)
	}
}

// A mint that is asked to wait for no time is a limit too, and the next request
// tries again.
func TestMintAskedToWaitForNothing(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.t.Session.Mint = func(context.Context) (ghapi.Token, error) {
		return ghapi.Token{}, &ghapi.LimitError{Until: c.at, Secondary: true}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.github.com/repos", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.t.RoundTrip(r)
	if _, limited := errors.AsType[*ghapi.LimitError](err); !limited || resp != nil {
		t.Errorf("%v, %v", resp, err)
	}
}
