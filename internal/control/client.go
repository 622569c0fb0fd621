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
	"syscall"

	"github.com/backside4charter/dispatcher/loop/state"
)

// Client speaks to the loop of one state folder.
type Client struct{ http *http.Client }

// NewClient makes a client; nothing is opened before the first request.
func NewClient(stateDir string) *Client {
	var d net.Dialer
	return &Client{http: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", path(stateDir))
		},
	}}}
}

// Snapshot is the loop's newest picture. ErrNoLoop says that no loop runs.
func (c *Client) Snapshot(ctx context.Context) (*state.Snapshot, error) {
	body, err := c.do(ctx, http.MethodGet, "/v1/snapshot", nil)
	if err != nil {
		return nil, fmt.Errorf("ask the loop: %w", err)
	}
	defer body.Close() //nolint:errcheck // it was only read
	var s state.Snapshot
	if err := json.NewDecoder(body).Decode(&s); err != nil {
		return nil, fmt.Errorf("read the loop's answer: %w", err)
	}
	return &s, nil
}

// Send asks something of the loop; the error is its refusal.
func (c *Client) Send(ctx context.Context, cmd state.Command) (state.Done, error) {
	var done state.Done
	data, err := json.Marshal(cmd)
	if err != nil {
		return done, fmt.Errorf("encode %s: %w", cmd.Kind, err)
	}
	body, err := c.do(ctx, http.MethodPost, "/v1/command", data)
	if err != nil {
		return done, err
	}
	defer body.Close() //nolint:errcheck // it was only read
	if err := json.NewDecoder(body).Decode(&done); err != nil {
		return done, fmt.Errorf("read the loop's answer: %w", err)
	}
	return done, nil
}

// Subscribe answers snapshots until the context ends or the loop is out of
// reach, which closes the channel.
func (c *Client) Subscribe(ctx context.Context) (<-chan *state.Snapshot, error) {
	body, err := c.do(ctx, http.MethodGet, "/v1/snapshots", nil)
	if err != nil {
		return nil, fmt.Errorf("ask the loop: %w", err)
	}
	out := make(chan *state.Snapshot)
	go func() {
		defer close(out)
		defer body.Close() //nolint:errcheck // it was only read
		d := json.NewDecoder(body)
		for {
			var s state.Snapshot
			if d.Decode(&s) != nil {
				return
			}
			select {
			case out <- &s:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

func (c *Client) do(ctx context.Context, method, path string, data []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://loop"+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNoLoop
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
	return nil, errors.New(r.Error)
}
