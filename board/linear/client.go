package linear

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/logkey"
)

// DefaultURL is where Linear answers.
const DefaultURL = "https://api.linear.app/graphql"

// patience is how long one request may take.
const patience = 30 * time.Second

// purpose is what a request is for: what may wait is refused first when the
// hour runs out.
type purpose int

const (
	toPoll purpose = iota
	toRead
	toWrite
)

// client sends queries: one at a time in the mind of the budget, any number in
// flight.
type client struct {
	gql    *graphql.Client
	budget *budget
	log    *slog.Logger
}

func newClient(o *Options, b *budget) *client {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	url := o.URL
	if url == "" {
		url = DefaultURL
	}
	hc := &http.Client{
		Transport: &transportWithKey{key: o.Key, next: transport},
		// A redirect would carry the key to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &client{gql: graphql.NewClient(url, hc), budget: b, log: o.Log}
}

// query reads; why says whether it may wait.
func (c *client) query(ctx context.Context, why purpose, q any, vars map[string]any) error {
	return c.send(ctx, why, q, vars)
}

// mutate writes once. An answer that was lost is board.ErrUnknownOutcome.
func (c *client) mutate(ctx context.Context, m any, vars map[string]any) error {
	return c.send(ctx, toWrite, m, vars)
}

func (c *client) send(ctx context.Context, why purpose, q any, vars map[string]any) error {
	if err := c.budget.may(why); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m := &meta{}
	ctx = context.WithValue(ctx, metaKey{}, m)
	send := c.gql.Query
	if why == toWrite {
		send = c.gql.Mutate
	}
	err := send(ctx, q, vars)
	c.budget.note(m)
	if err = m.judge(err, why); err != nil {
		if lim, ok := errors.AsType[*LimitError](err); ok {
			lim.Until = c.budget.refused(m)
		}
		c.log.Debug("A request to Linear failed", logkey.Err, err)
	}
	return err
}

// KeyError says that Linear does not know the key, or no longer.
type KeyError struct{ Said string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("Linear refuses the API key: %s; make a new one in Linear under Settings, Security & access, and put it into LINEAR_API_KEY or .secrets/api-keys.json", e.Said)
}

// RefusedError is what Linear itself says against a request.
type RefusedError struct {
	Said string // for a person
	Type string

	taken bool // the id of what was to be made is in use
}

// lock says whether Linear gave up waiting for a lock of its own.
func (e *RefusedError) lock() bool { return strings.EqualFold(e.Type, "lock timeout") }

func (e *RefusedError) Error() string { return "Linear refuses: " + e.Said }

// LimitError says that the hour's budget is used up, or that what is left of
// it is kept for other tools.
type LimitError struct {
	Until  time.Time
	Left   int // requests that are kept for others; 0 when none are left
	Points int // points that are kept, where it is these that run out
}

func (e *LimitError) Error() string {
	at := e.Until.UTC().Format("15:04:05Z")
	switch {
	case e.Points > 0:
		return fmt.Sprintf("the board is not polled before %s: the %d points that are left of this hour are kept for your other tools", at, e.Points)
	case e.Left > 0:
		return fmt.Sprintf("the board is not polled before %s: the %d requests that are left of this hour are kept for your other tools", at, e.Left)
	}
	return fmt.Sprintf("Linear's hourly limit is reached; nothing is asked before %s", at)
}

// errComplex: the query costs more than Linear allows; a smaller page may pass.
var errComplex = errors.New("the query is too complex")

// errGarbage: what came was no answer of Linear's.
var errGarbage = errors.New("no answer of Linear's")

// judge turns what came back into one error. A write whose answer cannot be
// read may have happened.
func (m *meta) judge(err error, why purpose) error {
	if len(m.errors) > 0 {
		err := m.errors[0].judge(m.status)
		if why == toWrite && m.broke(err) {
			err = fmt.Errorf("%w: %w", board.ErrUnknownOutcome, err)
		}
		return err
	}
	switch {
	case err == nil && m.whole:
		return nil
	case err == nil:
		err = fmt.Errorf("%w: it holds no data", errGarbage)
	case m.status == http.StatusTooManyRequests:
		return &LimitError{}
	case m.status != 0 && m.status != http.StatusOK:
		err = fmt.Errorf("%w: HTTP %d", errGarbage, m.status)
	case m.status == http.StatusOK:
		err = fmt.Errorf("%w: it is cut or no JSON", errGarbage)
	default:
		err = fmt.Errorf("reach Linear: %w", err)
	}
	if why == toWrite {
		err = fmt.Errorf("%w: %w", board.ErrUnknownOutcome, err)
	}
	return err
}

// broke says whether an error is about Linear's own servers and not about what
// was asked: it may have come after the write was made.
func (m *meta) broke(err error) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok || refused.lock() {
		return false
	}
	switch strings.ToLower(refused.Type) {
	case "internal error", "network error", "unknown", "other":
		return true
	}
	return m.status >= http.StatusInternalServerError
}
