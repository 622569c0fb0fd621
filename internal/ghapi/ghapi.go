// Package ghapi is how this program speaks to GitHub, whoever it is then: one
// transport for REST and GraphQL that signs requests with a token from memory,
// renews it before it ends, and minds GitHub's limits.
//
// It promises that nothing is sent while GitHub has asked to wait, by
// Retry-After, by a budget of nothing, or by an error in an answer that is 200;
// that callers return spread over time; that a token follows no redirect to
// another host; and that no error holds one.
package ghapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Token is what a session sends. One without an end lasts as long as GitHub
// takes it.
type Token struct {
	Text    string
	Expires time.Time
}

// Session is a token in memory, renewed before it ends.
type Session struct {
	Mint func(ctx context.Context) (Token, error)
	Now  func() time.Time

	mu     sync.Mutex
	token  Token
	minted time.Time
}

// text is a token that will last for this request.
func (s *Session) text(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	life := s.token.Expires.Sub(s.minted)
	if s.token.Text != "" && (s.token.Expires.IsZero() || s.Now().Before(s.token.Expires.Add(-min(5*time.Minute, life/10)))) {
		return s.token.Text, nil
	}
	t, err := s.Mint(ctx)
	if err != nil {
		return "", err
	}
	s.token, s.minted = t, s.Now()
	return t.Text, nil
}

// refused forgets a token that GitHub no longer takes.
func (s *Session) refused(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Text == text {
		s.token = Token{}
	}
}

// Transport signs requests to one host and minds its limits.
type Transport struct {
	Host    string
	Session *Session
	Gate    *Gate
	Next    http.RoundTripper
}

// maxAnswer is more than any answer of ours holds, in bytes.
const maxAnswer = 32 << 20

// RoundTrip sends a request; a token that GitHub no longer takes is renewed once.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.Gate.Open(); err != nil {
		return nil, err
	}
	if r.URL.Host != t.Host {
		return t.Next.RoundTrip(r)
	}
	resp, token, err := t.send(r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && (r.GetBody != nil || r.Body == nil) {
		// The token ended, or was taken away, since it was minted.
		t.Session.refused(token)
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

func (t *Transport) send(r *http.Request) (*http.Response, string, error) {
	token, err := t.Session.text(r.Context())
	if l, limited := errors.AsType[*LimitError](err); limited {
		t.Gate.shut(refusal{wait: l.Until.Sub(t.Gate.Now()), secondary: l.Secondary, blunt: l.Blunt}) // of the mint
		if shut := t.Gate.Open(); shut != nil {
			return nil, "", shut
		}
		return nil, "", l // GitHub asked to wait for no time at all
	}
	if err != nil {
		return nil, "", &TokenError{err}
	}
	out := r.Clone(r.Context())
	out.Header.Set("Authorization", "Bearer "+token)
	out.Header.Set("User-Agent", "dispatcher")
	resp, err := t.Next.RoundTrip(out)
	return resp, token, err
}

// judge reads an answer whole and shuts the gate where it asks for that: by
// Retry-After, by a budget of nothing, or by GraphQL's error in an answer that
// is 200 (both spellings; SYMPTOMS.md, GitHub 31).
func (t *Transport) judge(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close() // it was only read
	if err != nil {
		return nil, fmt.Errorf("read GitHub's answer: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	now := t.Gate.Now()
	wait, secondary, limited := Limit(resp.StatusCode, resp.Header, string(body), now)
	if !limited && strings.HasSuffix(resp.Request.URL.Path, "/graphql") {
		wait, secondary, limited = limitInBody(resp.Header, body, now)
	}
	if limited {
		t.Gate.shut(refusal{wait: wait, secondary: secondary, blunt: blunt(secondary, resp.Header)})
	} else {
		t.Gate.passed()
	}
	return resp, nil
}

// NoAnswer is what to say of an answer that a gateway in front of GitHub gave:
// its text says nothing, and is not shown.
func NoAnswer(status string) string { return "no answer of GitHub's: HTTP " + status }

// Page is the status of an answer that the GraphQL client library could not
// read, by its error's text.
func Page(text string) (status string, ok bool) {
	rest, ok := strings.CutPrefix(text, "non-200 OK status code: ")
	status, _, _ = strings.Cut(rest, " body: ")
	return status, ok
}

// TokenError says that nothing was asked, because no token could be had.
type TokenError struct{ Err error }

func (e *TokenError) Error() string { return e.Err.Error() }

func (e *TokenError) Unwrap() error { return e.Err }
