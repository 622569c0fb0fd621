package gqlanswer_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/gqlanswer"
)

type said struct {
	status int
	body   string
}

func (s said) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Body: io.NopCloser(strings.NewReader(s.body))}, nil
}

func TestTransport(t *testing.T) {
	t.Parallel()
	for body, whole := range map[string]bool{
		`{"data":{"issues":{"nodes":[]}}}`:               true,
		`{"data":{"node":null,"repository":{"id":"1"}}}`: true,
		`{"data":null,"errors":[{"message":"no"}]}`:      true,
		`{"errors":[{"message":"no"}]}`:                  true,
		`{}`:                                             false,
		`null`:                                           false,
		`[]`:                                             false,
		`{"message":"upstream timeout"}`:                 false,
		`{"data":null}`:                                  false,
		`{"data":{}}`:                                    false,
		`{"data":{"issues":null}}`:                       false,
		`{"data":[],"errors":[]}`:                        false,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/graphql", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&gqlanswer.Transport{Next: said{200, body}}).RoundTrip(req)
		if whole != (err == nil) || !whole && !errors.Is(err, gqlanswer.ErrNone) {
			t.Errorf("%s: %v", body, err)
		}
		if err == nil {
			if text, _ := io.ReadAll(resp.Body); string(text) != body {
				t.Errorf("%s became %s", body, text)
			}
			_ = resp.Body.Close()
		}
		for _, other := range []said{{502, body}, {200, body + "<html>"}} { // for others to judge
			resp, err := (&gqlanswer.Transport{Next: other}).RoundTrip(req)
			if err != nil {
				t.Errorf("%+v: %v", other, err)
				continue
			}
			_ = resp.Body.Close()
		}
	}
}
