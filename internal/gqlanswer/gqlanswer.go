// Package gqlanswer holds the answers of GraphQL servers to what the client
// library takes on trust: a proxy's own JSON, with status 200, decodes without
// an error and reads as a board without rows and as a write that was made.
//
// It promises to look at the outermost part of an answer alone, and changes
// nothing.
package gqlanswer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrNone says that what came with status 200 is JSON and no GraphQL answer.
var ErrNone = errors.New("the answer holds no data")

// Whole says whether a body is a GraphQL answer: an object whose data holds
// something. One with errors is an answer too.
func Whole(body []byte) bool {
	var a struct {
		Data   map[string]json.RawMessage `json:"data"`
		Errors []json.RawMessage          `json:"errors"`
	}
	if json.Unmarshal(body, &a) != nil {
		return false
	}
	for _, v := range a.Data {
		if !bytes.Equal(v, []byte("null")) {
			return true
		}
	}
	return len(a.Errors) > 0
}

// Transport lets no answer with status 200 pass that is JSON and not Whole; the
// request fails with ErrNone. What is no JSON passes: the client finds that.
type Transport struct{ Next http.RoundTripper }

// MaxBody is more than any answer to a query of ours holds, in bytes.
const MaxBody = 64 << 20

// RoundTrip sends a request and reads its answer whole.
func (t *Transport) RoundTrip(in *http.Request) (*http.Response, error) {
	resp, err := t.Next.RoundTrip(in)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if json.Valid(body) && !Whole(body) {
		return nil, ErrNone
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
