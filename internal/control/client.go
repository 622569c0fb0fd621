package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// answersWithin is how long a loop may take to say anything at all. What it is
// asked for may take longer.
const answersWithin = 10 * time.Second

// ErrSilent says that there is a loop, and that it does not answer.
var ErrSilent = errors.New("the loop does not answer: its process may be stopped (kill -CONT lets it go on) or hung")

// ErrUnanswered says that a command may have reached the loop and that no answer
// says what came of it: the loop ended meanwhile, the caller waited no longer, or
// what came is neither a refusal nor the answer. What of these is in the text.
var ErrUnanswered = errors.New("no answer says whether it was done: it may have been, look before you ask again")

// Client speaks to the loop of one state folder.
type Client struct {
	http    *http.Client
	version string
	within  time.Duration
}

// NewClient makes a client; nothing is opened before the first request.
func NewClient(stateDir string) *Client {
	var d net.Dialer
	return &Client{version: strconv.Itoa(Version), within: answersWithin, http: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", path(stateDir))
		},
	}}}
}

// Snapshot is the loop's newest picture. ErrNoLoop says that no loop runs, and
// ErrSilent that it does not answer.
func (c *Client) Snapshot(ctx context.Context) (*state.Snapshot, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.within, ErrSilent)
	defer cancel()
	return read[*state.Snapshot](ctx, c, "/v1/snapshot", nil)
}

// Detail is one issue in full.
func (c *Client) Detail(ctx context.Context, ref board.Ref) (state.Detail, error) {
	return read[state.Detail](ctx, c, "/v1/issues/"+url.PathEscape(string(ref)), nil)
}

// Transcript is a window of a run's stream.
func (c *Client) Transcript(ctx context.Context, run string, from, n int, find string) (state.Transcript, error) {
	q := url.Values{"from": {strconv.Itoa(from)}, "n": {strconv.Itoa(n)}}
	if find != "" {
		q.Set("find", find)
	}
	return read[state.Transcript](ctx, c, "/v1/runs/"+url.PathEscape(run)+"/lines", q)
}

// Diff is the change of a pull request, or of a worktree against its base.
func (c *Client) Diff(ctx context.Context, q state.DiffQuery) (state.Diff, error) {
	return read[state.Diff](ctx, c, "/v1/diff", url.Values{"pr": {q.PR}, "ref": {string(q.Ref)}})
}

// Money is what runs have cost.
func (c *Client) Money(ctx context.Context) (state.Money, error) {
	return read[state.Money](ctx, c, "/v1/money", nil)
}

// Preview is what the next firing would do.
func (c *Client) Preview(ctx context.Context) (state.Preview, error) {
	return read[state.Preview](ctx, c, "/v1/next", nil)
}

// read asks for one value.
func read[T any](ctx context.Context, c *Client, path string, q url.Values) (v T, err error) {
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	body, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return v, fmt.Errorf("ask the loop: %w", err)
	}
	defer body.Close() //nolint:errcheck // it was only read
	if err := json.NewDecoder(body).Decode(&v); err != nil {
		return v, fmt.Errorf("read the loop's answer: %w", err)
	}
	return v, nil
}

// alive asks a loop nothing but to answer.
func (c *Client) alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.within, ErrSilent)
	defer cancel()
	body, err := c.do(ctx, http.MethodGet, "/v1", nil)
	if err != nil {
		return err
	}
	return body.Close()
}

// Send asks something of the loop. The error is a RefusalError when the loop
// refused, ErrNoLoop or ErrSilent when nothing was sent, and ErrUnanswered when
// nobody knows: a loop that does not answer is not sent what it would do
// whenever it wakes up, but one may end between the deed and the answer.
func (c *Client) Send(ctx context.Context, cmd state.Command) (state.Done, error) {
	var done state.Done
	if err := c.alive(ctx); err != nil {
		return done, err
	}
	data, err := json.Marshal(cmd)
	if err != nil {
		return done, fmt.Errorf("encode %s: %w", cmd.Kind, err)
	}
	body, err := c.do(ctx, http.MethodPost, "/v1/command", data)
	if _, refused := errors.AsType[*RefusalError](err); refused || errors.Is(err, ErrNoLoop) {
		return done, err
	}
	if err != nil {
		return done, unanswered(err)
	}
	defer body.Close() //nolint:errcheck // it was only read
	if err := json.NewDecoder(body).Decode(&done); err != nil {
		return state.Done{}, unanswered(err)
	}
	return done, nil
}

// unanswered says why no answer came, without the address that nobody typed.
func unanswered(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fmt.Errorf("%w (%w)", ErrUnanswered, err)
}

// Subscribe answers snapshots until the context ends or the loop is out of
// reach, which closes the channel.
func (c *Client) Subscribe(ctx context.Context) (<-chan *state.Snapshot, error) {
	return follow[*state.Snapshot](ctx, c, "/v1/snapshots")
}

// Events answers what happened after an event, and then what happens, until the
// context ends or the loop is out of reach, which closes the channel.
func (c *Client) Events(ctx context.Context, after uint64) (<-chan state.Event, error) {
	return follow[state.Event](ctx, c, "/v1/events?after="+strconv.FormatUint(after, 10))
}

// EventsSoFar answers what happened after an event until now, and closes the
// channel.
func (c *Client) EventsSoFar(ctx context.Context, after uint64) (<-chan state.Event, error) {
	return follow[state.Event](ctx, c, "/v1/events?follow=false&after="+strconv.FormatUint(after, 10))
}

func follow[T any](ctx context.Context, c *Client, path string) (<-chan T, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	silent := time.AfterFunc(c.within, func() { cancel(ErrSilent) })
	body, err := c.do(ctx, http.MethodGet, path, nil)
	silent.Stop()
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("ask the loop: %w", err)
	}
	out := make(chan T)
	go func() {
		defer close(out)
		defer cancel(nil)
		defer body.Close() //nolint:errcheck // it was only read
		d := json.NewDecoder(body)
		for {
			var v T
			if d.Decode(&v) != nil {
				return
			}
			select {
			case out <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

func (c *Client) do(ctx context.Context, method, path string, data []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://loop"+path, bytes.NewReader(data)) //nolint:gosec // the socket of this state folder, whatever the path
	if err != nil {
		return nil, err
	}
	req.Header.Set(versionHeader, c.version)
	resp, err := c.http.Do(req) //nolint:gosec // as above
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNoLoop
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrSilent) {
		return nil, ErrSilent
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	var r refusal
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&r); err != nil || r.Error == "" {
		return nil, fmt.Errorf("the loop answered %s", resp.Status)
	}
	refused := &RefusalError{Text: r.Error}
	if resp.StatusCode == http.StatusUnauthorized {
		refused.why = board.ErrNoLogin
	}
	return nil, refused
}

// RefusalError is what a loop said instead of doing what it was asked. It is
// board.ErrNoLogin where that is why.
type RefusalError struct {
	Text string
	why  error
}

func (e *RefusalError) Error() string { return e.Text }
func (e *RefusalError) Unwrap() error { return e.why }
