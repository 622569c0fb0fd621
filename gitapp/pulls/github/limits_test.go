package github_test

import (
	"errors"
	"testing"
	"time"

	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// While GitHub asks to wait nothing is sent, whatever it calls it
// (failures.md, rows 24 and 26; SYMPTOMS.md, GitHub 31).
func TestFailure24And26Limits(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultSecondary, fake.FaultInBody, fake.FaultPrimary, fake.FaultAbuse} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if _, err := w.store.List(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			w.server.Inject(fake.Fault{Kind: kind})
			before := len(w.server.Requests())
			for range 600 { // ten minutes of firings a second
				_, err := w.store.List(t.Context(), true)
				if _, limited := errors.AsType[*ghapi.LimitError](err); !limited {
					t.Fatalf("err = %v", err)
				}
				w.now.pass(time.Second)
			}
			if n := len(w.server.Requests()) - before; n > 11 {
				t.Errorf("%d requests in ten minutes of refusals", n)
			}
			w.server.Mend()
			w.now.pass(2 * time.Hour)
			if _, err := w.store.List(t.Context(), true); err != nil {
				t.Errorf("after the reset: %v", err)
			}
		})
	}
}

// A limit met while a token is minted holds everything back as any other does:
// each in a row that says no time for longer.
func TestLimitsOfMints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Inject(fake.Fault{Kind: fake.FaultBare, Path: "/access_tokens", Times: 4})
	for i, minutes := range []int{1, 2, 4, 8} {
		before := len(w.server.Requests())
		_, err := w.store.List(t.Context(), true)
		limit, limited := errors.AsType[*ghapi.LimitError](err)
		if !limited {
			t.Fatalf("refusal %d: %v", i+1, err)
		}
		wait, least := limit.Until.Sub(w.now.now()), time.Duration(minutes)*time.Minute
		if wait < least || wait > least+30*time.Second {
			t.Errorf("refusal %d is waited for %s, want %s and a little", i+1, wait, least)
		}
		if _, err := w.store.List(t.Context(), true); err == nil || len(w.server.Requests()) != before+1 {
			t.Errorf("refusal %d: %d requests, %v", i+1, len(w.server.Requests())-before, err)
		}
		w.now.pass(wait)
	}
	if _, err := w.store.List(t.Context(), true); err != nil {
		t.Errorf("after the last: %v", err)
	}
}

// A token that ends, or is taken away, costs one more and no error (failures.md,
// row 27).
func TestFailure27TokenEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := func() {
		t.Helper()
		if _, err := w.store.List(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	list()
	list()
	if n := w.server.Minted(); n != 1 {
		t.Errorf("%d tokens for two sweeps", n)
	}
	w.now.pass(57 * time.Minute)
	list()
	if n := w.server.Minted(); n != 2 {
		t.Errorf("%d tokens after most of an hour", n)
	}
	w.server.Revoke()
	list()
	if n := w.server.Minted(); n != 3 {
		t.Errorf("%d tokens after one was revoked", n)
	}
}
