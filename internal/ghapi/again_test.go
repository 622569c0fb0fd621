package ghapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// tagged answers with a tag, and 304 to who has it.
type tagged struct {
	body      string
	unchanged int
}

func (g *tagged) RoundTrip(r *http.Request) (*http.Response, error) {
	tag := fmt.Sprintf("W/%q", g.body)
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Etag": {tag}, "Link": {"<next>"}}, Body: io.NopCloser(strings.NewReader(g.body)), Request: r}
	if r.Header.Get("If-None-Match") == tag {
		g.unchanged++
		resp.StatusCode, resp.Header, resp.Body = http.StatusNotModified, http.Header{}, http.NoBody
	}
	return resp, nil
}

// What has not changed is asked for at no cost and answered whole; what has is
// new; and of many things the least used are forgotten.
func TestAgain(t *testing.T) {
	t.Parallel()
	const most = 1000
	server := &tagged{body: strings.Repeat("a", 100)}
	a := &ghapi.Again{Suffix: "/check-runs", Most: most, Next: server}
	get := func(path string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.github.com"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := a.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Link") != "<next>" || r.Header.Get("If-None-Match") != "" {
			t.Errorf("%d, %v, %v, sent %v", resp.StatusCode, resp.Header, err, r.Header)
		}
		return string(text)
	}
	for range 3 {
		if text := get("/x/check-runs"); text != server.body {
			t.Errorf("answered %q", text)
		}
		get("/other")
	}
	if server.unchanged != 2 {
		t.Errorf("%d answers cost nothing", server.unchanged)
	}
	server.body = strings.Repeat("b", 100)
	if text := get("/x/check-runs"); text != server.body || server.unchanged != 2 {
		t.Errorf("answered %q when it had changed", text)
	}
	for n := range 500 {
		get(fmt.Sprint("/", n, "/check-runs"))
		get("/x/check-runs")
	}
	if a.Size() > most || server.unchanged != 502 {
		t.Errorf("%d bytes are kept, %d answers cost nothing", a.Size(), server.unchanged)
	}
}
