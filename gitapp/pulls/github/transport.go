package github

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/gitapp"
)

// LimitError says that GitHub has asked to wait; nothing was sent.
type LimitError struct {
	Until     time.Time
	Secondary bool
}

func (e *LimitError) Error() string {
	kind := "the hour's budget is used up"
	if e.Secondary {
		kind = "too many requests at once"
	}
	return fmt.Sprintf("GitHub asked to wait (%s); nothing is sent before %s", kind, e.Until.UTC().Format("15:04:05Z"))
}

// session is a token in memory, renewed before it ends.
type session struct {
	mint func(ctx context.Context) (gitapp.Token, error)
	now  func() time.Time

	mu     sync.Mutex
	token  gitapp.Token
	minted time.Time
}

// text is a token that will last for this request.
func (s *session) text(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	life := s.token.Expires.Sub(s.minted)
	if s.token.Text != "" && s.now().Before(s.token.Expires.Add(-min(5*time.Minute, life/10))) {
		return s.token.Text, nil
	}
	t, err := s.mint(ctx)
	if err != nil {
		return "", err
	}
	s.token, s.minted = t, s.now()
	return t.Text, nil
}

// refused forgets a token that GitHub no longer takes.
func (s *session) refused(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Text == text {
		s.token = gitapp.Token{}
	}
}

// gate holds requests back while GitHub has asked to wait. One gate is shared
// by all clients of a process.
type gate struct {
	now  func() time.Time
	rand func(time.Duration) time.Duration // spread, so that not all return at once

	mu    sync.Mutex
	until LimitError
}

func (g *gate) open() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now().Before(g.until.Until) {
		e := g.until
		return &e
	}
	return nil
}

func (g *gate) shut(d time.Duration, secondary bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	until := g.now().Add(d + g.rand(30*time.Second))
	if until.After(g.until.Until) {
		g.until = LimitError{Until: until, Secondary: secondary}
	}
}

// spread is a random part of d.
func spread(d time.Duration) time.Duration { return rand.N(d) }

// transport signs requests to one host and minds its limits.
type transport struct {
	host    string
	session *session
	gate    *gate
	next    http.RoundTripper
}

// maxAnswer is more than any answer of ours holds, in bytes.
const maxAnswer = 32 << 20

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.gate.open(); err != nil {
		return nil, err
	}
	if r.URL.Host != t.host {
		return t.next.RoundTrip(r)
	}
	resp, token, err := t.send(r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && r.GetBody != nil || err == nil && resp.StatusCode == http.StatusUnauthorized && r.Body == nil {
		// The token ended, or was taken away, since it was minted.
		t.session.refused(token)
		_ = resp.Body.Close() // it is thrown away
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		resp, _, err = t.send(r)
	}
	if err != nil {
		return nil, err
	}
	return t.judge(resp)
}

func (t *transport) send(r *http.Request) (*http.Response, string, error) {
	token, err := t.session.text(r.Context())
	if err != nil {
		return nil, "", err
	}
	out := r.Clone(r.Context())
	out.Header.Set("Authorization", "Bearer "+token)
	out.Header.Set("User-Agent", "dispatcher")
	resp, err := t.next.RoundTrip(out)
	return resp, token, err
}

// judge reads an answer whole and shuts the gate where it asks for that: by
// Retry-After, by a budget of nothing, or by GraphQL's error in an answer that
// is 200 (both spellings; SYMPTOMS.md, GitHub 31).
func (t *transport) judge(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close() // it was only read
	if err != nil {
		return nil, fmt.Errorf("read GitHub's answer: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	refused := resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusTooManyRequests
	after, hasAfter := seconds(resp.Header, "Retry-After")
	spent := resp.Header.Get("X-RateLimit-Remaining") == "0"
	switch {
	case refused && hasAfter:
		t.gate.shut(after, true)
	case refused && spent, limitedInBody(resp, body):
		t.gate.shut(t.reset(resp.Header), false)
	case refused && bytes.Contains(bytes.ToLower(body), []byte("secondary rate limit")), resp.StatusCode == http.StatusTooManyRequests:
		t.gate.shut(time.Minute, true)
	}
	return resp, nil
}

// reset is how long until the budget is full again; a minute where GitHub does
// not say.
func (t *transport) reset(h http.Header) time.Duration {
	if at, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
		return max(time.Second, time.Unix(at, 0).Sub(t.gate.now()))
	}
	return time.Minute
}

func seconds(h http.Header, name string) (time.Duration, bool) {
	n, err := strconv.Atoi(h.Get(name))
	return time.Duration(n) * time.Second, err == nil && n >= 0
}

func limitedInBody(resp *http.Response, body []byte) bool {
	if !strings.HasSuffix(resp.Request.URL.Path, "/graphql") {
		return false
	}
	var a struct {
		Errors []struct {
			Type       string `json:"type"`
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &a) != nil {
		return false
	}
	for _, e := range a.Errors {
		if e.Type == "RATE_LIMITED" || e.Type == "RATE_LIMIT" || e.Extensions.Code == "graphql_rate_limit" {
			return true
		}
	}
	return false
}
