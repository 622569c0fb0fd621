package linear_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// rewritten puts another text in the place of one in every answer to a request
// that holds some words.
type rewritten struct{ in, from, to string }

func (r *rewritten) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(sent))
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || !bytes.Contains(sent, []byte(r.in)) {
		return resp, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	body = bytes.ReplaceAll(body, []byte(r.from), []byte(r.to))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, err
}

// TestConfirmedWithSomethingElse: an update that is answered with another state
// than the one asked for is no success, and says what Linear shows.
func TestConfirmedWithSomethingElse(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Body: "- [ ] one"})
	b := p.open(t, func(o *linear.Options) {
		o.Transport = &rewritten{"issueUpdate(", p.world.StateID("In Progress"), p.world.StateID("Ready")}
	})
	err := b.SetState(t.Context(), theLoop, ref, "In Progress", board.RoleReady)
	if want := "move ACM-1: Linear confirms the change with something else: it shows the state "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("move: %v", err)
	}
	b = p.open(t, func(o *linear.Options) { o.Transport = &rewritten{"issueUpdate(", "[x] one", "[ ] one"} })
	if err := b.Tick(t.Context(), theOwner, ref, board.Box{N: 1, Set: true}); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("tick: %v", err)
	}
}

// TestLockTimeout: Linear's own lock is waited for once, whatever is written,
// and then its refusal is passed on.
func TestLockTimeout(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2} {
		p := newPlace(t, fake.Options{}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Ready"})
		waits := 0
		b := p.open(t, func(o *linear.Options) {
			o.Pause = func(context.Context, time.Duration) error { waits++; return nil }
		})
		p.world.Inject(fake.Fault{Kind: fake.FaultLock, Writes: true, Times: times})
		err := b.SetState(t.Context(), theLoop, ref, "In Progress", board.RoleReady)
		if _, refused := errors.AsType[*linear.RefusedError](err); refused != (times > 1) || waits != 1 {
			t.Errorf("%d times locked: %d waits, %v", times, waits, err)
		}
		if errors.Is(err, board.ErrUnknownOutcome) {
			t.Errorf("a lock leaves nothing open: %v", err)
		}
	}
}
