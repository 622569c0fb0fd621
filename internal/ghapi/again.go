package ghapi

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Again asks for some things only if they have changed since: what GitHub
// answers 304 costs nothing of the hour (FACTS.md, Limits and errors). What it
// keeps of answers is bounded, and the one that was asked for longest ago goes
// first.
type Again struct {
	Suffix string // of the paths that are asked for again; of others nothing is kept
	Most   int    // bytes of answers that are kept
	Next   http.RoundTripper

	mu    sync.Mutex
	kept  map[string]*keptAnswer // by URL
	order uint64
	size  int
}

// keptAnswer is an answer that is 200, and when it was asked for last.
type keptAnswer struct {
	tag  string
	head http.Header
	body []byte
	used uint64
}

// RoundTrip sends a request, with the condition where there is one.
func (a *Again) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, a.Suffix) {
		return a.Next.RoundTrip(r)
	}
	url := r.URL.String()
	k := a.use(url)
	if k != nil {
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", k.tag)
	}
	resp, err := a.Next.RoundTrip(r)
	switch {
	case err != nil:
		return resp, err
	case k != nil && resp.StatusCode == http.StatusNotModified:
		_ = resp.Body.Close() // it is empty
		resp.StatusCode, resp.Status, resp.Header = http.StatusOK, "200 OK", k.head.Clone()
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(k.body)), int64(len(k.body))
		return resp, nil
	case resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "":
		return a.keep(url, resp)
	}
	return resp, nil
}

// use is what is kept of a URL, or nil.
func (a *Again) use(url string) *keptAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.kept[url]
	if k != nil {
		a.order++
		k.used = a.order
	}
	return k
}

// keep reads an answer whole and remembers it.
func (a *Again) keep(url string, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close() // it was only read
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		a.kept = map[string]*keptAnswer{}
	}
	a.drop(url)
	a.order++
	a.kept[url] = &keptAnswer{tag: resp.Header.Get("ETag"), head: resp.Header.Clone(), body: body, used: a.order}
	a.size += len(body)
	for a.size > a.Most {
		oldest := ""
		for u, k := range a.kept {
			if oldest == "" || k.used < a.kept[oldest].used {
				oldest = u
			}
		}
		a.drop(oldest)
	}
	return resp, nil
}

// drop forgets a URL. The lock is held.
func (a *Again) drop(url string) {
	if k := a.kept[url]; k != nil {
		a.size -= len(k.body)
		delete(a.kept, url)
	}
}

// Size is how many bytes of answers are kept.
func (a *Again) Size() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.size
}
