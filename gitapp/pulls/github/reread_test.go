package github_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// instead answers some requests itself.
type instead func(r *http.Request) *http.Response

func (f instead) RoundTrip(r *http.Request) (*http.Response, error) {
	if resp := f(r); resp != nil {
		resp.Request = r
		return resp, nil
	}
	return http.DefaultTransport.RoundTrip(r)
}

// The owner asks for changes in the second in which a sweep has just read the
// pull request: GitHub's mark stays the same, and the request is seen all the
// same.
func TestRequestInTheSecondOfAReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "Fixes ACM-1")
	w.now.pass(time.Minute)
	w.pull(name, func(r *fake.Repo, p *fake.Pull) { r.Review(p, "olive", "COMMENTED", "nice", w.now.now()) })
	reviews := func() int {
		prs, err := w.store.List(t.Context(), false)
		if err != nil || len(prs) != 1 {
			t.Fatalf("%+v, %v", prs, err)
		}
		return len(prs[0].Reviews)
	}
	if n := reviews(); n != 1 {
		t.Fatalf("%d reviews", n)
	}
	w.says(name, "olive", "No, red")
	w.now.pass(10 * time.Second)
	if n := reviews(); n != 2 {
		t.Errorf("%d reviews ten seconds later", n)
	}
	// And what stays unchanged is not read for ever.
	w.now.pass(10 * time.Second)
	if graphql, _ := w.asked(func() { reviews() }); graphql != 1 {
		t.Errorf("an unchanged pull request costs %d requests", graphql)
	}
}

// A pull request is merged, and read by another call, while a sweep asks for
// its check runs: the sweep's older reading does not stay.
func TestMergedWhileItsChecksAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "Fixes ACM-1")
	w.server.With("acme/widgets", func(r *fake.Repo) {
		r.SetCheck(head, fake.Check{Name: "t", Done: true, Conclusion: "success"})
	})
	once := false
	w.o.Forge.Transport = instead(func(r *http.Request) *http.Response {
		if !once && strings.Contains(r.URL.Path, "/check-runs") {
			once = true
			w.now.pass(time.Minute)
			if err := w.server.MergePull("acme/widgets", 1, "olive"); err != nil {
				t.Error(err)
			}
			if pr, err := w.store.Get(t.Context(), name); err != nil || pr.State != board.PullMerged {
				t.Errorf("%+v, %v", pr, err)
			}
		}
		return nil
	})
	w.reopen()
	for range 2 {
		w.now.pass(time.Minute)
		if _, err := w.store.List(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	prs, err := w.store.List(t.Context(), true)
	if err != nil || len(prs) != 1 || prs[0].State != board.PullMerged || !once {
		t.Errorf("%+v, %v", prs, err)
	}
}

// Two commits without a common history cannot be compared: that pull request
// says so, and the others are listed as ever (failures.md, row 14).
func TestFailure14UnrelatedHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "x.go", "package x\n")
	w.open("task/acm-1-x", "Fixes ACM-1")
	bad := w.branch("other", "y.go", "package y\n")
	other := w.open("other", "")
	w.main("main.txt", "moved\n")
	asked := 0
	w.o.Forge.Transport = instead(func(r *http.Request) *http.Response {
		if !strings.Contains(r.URL.Path, "/compare/") || !strings.Contains(r.URL.Path, bad) {
			return nil
		}
		asked++
		return &http.Response{
			StatusCode: http.StatusNotFound, Status: "404 Not Found", Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(bytes.NewReader([]byte(`{"message":"No common ancestor between main and other."}`))),
		}
	})
	w.reopen()
	for range 2 {
		prs, err := w.store.List(t.Context(), false)
		if err != nil || len(prs) != 2 {
			t.Fatalf("%+v, %v", prs, err)
		}
		for _, p := range prs {
			if p.Name == other && (p.Mergeable != board.MergeUnknown || p.Behind != 0) || p.Name != other && p.Behind != 1 {
				t.Errorf("%s is %d behind, %s", p.Name, p.Behind, p.Mergeable)
			}
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// Of pull requests that came and went, and of commits that heads and the base
// were at, a store keeps nothing.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 20
	w.many(many)
	list := func() {
		t.Helper()
		w.now.pass(time.Minute)
		if _, err := w.store.List(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	list()
	for n := range 5 {
		w.main(fmt.Sprint("main", n), "moved\n")
		list()
	}
	if pulls, pairs := w.store.Known(); pulls != many || pairs != many {
		t.Errorf("%d pull requests and %d pairs are kept of %d", pulls, pairs, many)
	}
	w.server.With("acme/widgets", func(r *fake.Repo) {
		for n := range 80 { // merged long ago, and more than a sweep sees
			p := &fake.Pull{Title: "T", Base: "main", Head: "gone", Author: "olive", Created: w.now.now()}
			r.Open(p)
			p.State, p.Updated = "closed", p.Created.Add(time.Duration(n)*time.Second)
		}
	})
	w.reopen() // whose first sweep sees the 50 that ended last
	for n := range 80 {
		if _, err := w.store.Get(t.Context(), fmt.Sprint("#", many+1+n)); err != nil {
			t.Fatal(err)
		}
	}
	if pulls, _ := w.store.Known(); pulls != 80 {
		t.Errorf("%d pull requests are known", pulls)
	}
	list()
	if pulls, _ := w.store.Known(); pulls != many+50 {
		t.Errorf("%d pull requests are kept", pulls)
	}
}

// More pull requests end between two sweeps than a page holds: none is missed,
// what was seen once stays listed though others end after it, and of very many
// those that changed last do.
func TestManyThatEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "Fixes ACM-1")
	states := func() map[string]board.PullState {
		t.Helper()
		w.now.pass(time.Minute)
		prs, err := w.store.List(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]board.PullState{}
		for i := range prs {
			out[prs[i].Name] = prs[i].State
		}
		return out
	}
	end := func(n int) {
		w.server.With("acme/widgets", func(r *fake.Repo) {
			for range n {
				p := &fake.Pull{Title: "T", Base: "main", Head: "gone", Author: "olive", Created: w.now.now()}
				r.Open(p)
				w.now.pass(time.Second)
				p.State, p.Updated = "closed", w.now.now()
			}
		})
	}
	states()
	if err := w.server.MergePull("acme/widgets", 1, "olive"); err != nil {
		t.Fatal(err)
	}
	w.now.pass(time.Minute)
	end(120)
	if got := states(); got[name] != board.PullMerged || len(got) != 121 {
		t.Errorf("%s is %q among %d", name, got[name], len(got))
	}
	end(60)
	if got := states(); got[name] != board.PullMerged || len(got) != 181 {
		t.Errorf("%s is %q among %d, sixty later", name, got[name], len(got))
	}
	w.now.pass(10 * time.Minute)
	states() // what had changed just before is read once more
	if graphql, rest := w.asked(func() { states() }); graphql != 1 || rest != 0 {
		t.Errorf("%d GraphQL and %d REST requests when nothing changed", graphql, rest)
	}
	end(200)
	if got := states(); len(got) != 300 {
		t.Errorf("%d are listed", len(got))
	}
}

// One that had ended when the list was made, and is open again when it is read,
// is left out until the next list: its findings were not asked for.
func TestReopenedBetweenTwoRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "Fixes ACM-1")
	if _, err := w.store.Review(t.Context(), pulls.ReviewRequest{
		Name: name, Commit: head, Body: "One.", Findings: []board.Finding{{Path: "x.go", Line: 1, Severity: board.SeverityBlocking, Body: "No."}},
	}); err != nil {
		t.Fatal(err)
	}
	state := func(to string) {
		w.pull(name, func(_ *fake.Repo, p *fake.Pull) { p.State, p.Updated = to, w.now.now() })
	}
	state("closed")
	reopens := true
	w.o.Forge.Transport = instead(func(r *http.Request) *http.Response {
		if r.URL.Path == "/graphql" && reopens {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.Contains(string(body), "nodes(ids") {
				state("open")
				reopens = false
			}
		}
		return nil
	})
	w.reopen()
	for i, want := range []int{0, 1} {
		w.now.pass(time.Hour)
		prs, err := w.store.List(t.Context(), true)
		if err != nil || len(prs) != want {
			t.Fatalf("list %d: %+v, %v", i+1, prs, err)
		}
		for k := range prs {
			if r := prs[k].Reviews; len(r) != 1 || len(r[0].Findings) != 1 || r[0].FindingsUnread {
				t.Errorf("list %d: %+v", i+1, r)
			}
		}
	}
}
