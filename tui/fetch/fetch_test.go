package fetch

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func TestLateAnswersAreDropped(t *testing.T) {
	t.Parallel()
	f := New(func(k string) (string, error) { return "text of " + k, nil })
	first := f.Want("a", noon)
	second := f.Want("b", noon)
	if f.Want("b", noon) != nil {
		t.Fatal("the same key is asked for twice")
	}
	if mine, _ := f.Take(first(), noon); !mine {
		t.Fatal("an old answer of its own was not recognised")
	}
	if _, ok := f.Get("b"); ok || !f.State("b").Pending {
		t.Fatal("an old answer was taken for the new one")
	}
	f.Take(second(), noon)
	if v, ok := f.Get("b"); !ok || v != "text of b" {
		t.Fatalf("got %q, %v", v, ok)
	}
	if _, ok := f.Get("a"); ok {
		t.Fatal("the value stands under another key")
	}
}

func TestAValueStandsUntilItsSuccessor(t *testing.T) {
	t.Parallel()
	n, fail := 0, false
	f := New(func(string) (int, error) {
		if fail {
			return 0, errors.New("gone")
		}
		n++
		return n, nil
	})
	if f.Renew(noon) != nil {
		t.Fatal("nothing was asked yet, and is asked again")
	}
	take := func(cmd tea.Cmd) tea.Cmd {
		t.Helper()
		mine, next := f.Take(cmd(), noon)
		if !mine {
			t.Fatal("not recognised")
		}
		return next
	}
	take(f.Want("a", noon))
	again := f.Renew(noon)
	if v, ok := f.Get("a"); !ok || v != 1 {
		t.Fatalf("while it is read again there is %d, %v", v, ok)
	}
	if f.Renew(noon) != nil {
		t.Fatal("two questions are under way")
	}
	next := take(again)
	if next == nil {
		t.Fatal("a change during a question is not asked for")
	}
	take(next)
	fail = true
	take(f.Renew(noon))
	if v, ok := f.Get("a"); !ok || v != 3 || f.State("a").Err == nil {
		t.Fatalf("after a failure there is %d, %v, %+v", v, ok, f.State("a"))
	}
	f.Forget()
	if _, ok := f.Get("a"); ok {
		t.Fatal("not forgotten")
	}
}

func TestOthersMessages(t *testing.T) {
	t.Parallel()
	f, other := New[string, int](nil), New[string, int](nil)
	if mine, _ := f.Take(other.Want("a", noon)(), noon); mine {
		t.Fatal("another's answer was taken")
	}
	cmd := f.Want("a", noon)
	f.Take(cmd(), noon)
	if !errors.Is(f.State("a").Err, ErrNone) {
		t.Fatalf("without a loader: %v", f.State("a").Err)
	}
}
