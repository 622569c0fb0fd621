package github_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// Public bug reports of other GitHub clients, each as a test of ours. Those of
// update-branch and of mergeable are in store_test.go (25, 26); those of the
// board in board/ghproject, of the Apps in gitapp, of deliveries in reviewsync.

// sent keeps the text of what is sent.
type sent struct {
	mu   sync.Mutex
	text []string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	text := r.Method + " " + r.URL.Path
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		text += "\n" + string(body)
	}
	s.mu.Lock()
	s.text = append(s.text, text)
	s.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// everything uses the pull requests in every way there is.
func everything(t *testing.T, w *world) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "Fixes ACM-1")
	w.pull(name, func(r *fake.Repo, _ *fake.Pull) {
		r.SetCheck(head, fake.Check{Name: "test", Done: true, Conclusion: "success"})
	})
	_, err := w.store.List(t.Context(), true)
	ok(err)
	_, err = w.store.Review(t.Context(), pulls.ReviewRequest{Name: name, Commit: head, Body: "One.", Findings: []board.Finding{{Path: "x.go", Line: 1, Severity: "nit", Body: "Why?"}}})
	ok(err)
	_, err = w.store.RequestChanges(t.Context(), pulls.ChangesRequest{Name: name, By: "olive", Body: "No."})
	ok(err)
	draft, title := true, "Another"
	_, err = w.store.Update(t.Context(), name, pulls.Edit{Draft: &draft, Title: &title})
	ok(err)
	w.main("other.txt", "x\n")
	pr, err := w.store.Freshen(t.Context(), name, head)
	ok(err)
	_, err = w.store.MergeOnly(t.Context(), name, head, pr.HeadSHA)
	ok(err)
	_, err = w.store.Diff(t.Context(), name)
	ok(err)
	_, err = w.store.ByHead(t.Context(), "task/acm-1-x")
	ok(err)
	_, err = w.store.List(t.Context(), false)
	ok(err)
}

// TestSymptom22And30AppsAskNothingForbidden: cli/cli#13281;
// actions/create-github-app-token#258, dawidd6/action-homebrew-bump-formula#66.
// A field of projects, or GET /user, fails a whole command under an App.
func TestSymptom22And30AppsAskNothingForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	everything(t, w)
	if len(w.sent.text) < 20 {
		t.Fatalf("only %d requests were seen", len(w.sent.text))
	}
	for _, text := range w.sent.text {
		if strings.Contains(text, "projectItems") || strings.Contains(text, "projectV2") || strings.Contains(text, "projectCards") ||
			strings.HasPrefix(text, "GET /user\n") || text == "GET /user" || strings.Contains(text, "viewer") {
			t.Errorf("asked under an App: %s", text)
		}
	}
}

// TestSymptom23ChecksLeftOut: cli/cli#14253. The roll-up is green, and REST
// lists a run that failed.
func TestSymptom23ChecksLeftOut(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		left fake.Check
		want board.CheckState
	}{
		"failed":  {fake.Check{Name: "e2e", Done: true, Conclusion: "failure", Unlisted: true}, board.ChecksRed},
		"pending": {fake.Check{Name: "e2e", Unlisted: true}, board.ChecksPending},
		"passed":  {fake.Check{Name: "e2e", Done: true, Conclusion: "success", Unlisted: true}, board.ChecksGreen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			head := w.branch("task/acm-1-x", "x.go", "package x\n")
			n := w.open("task/acm-1-x", "")
			w.pull(n, func(r *fake.Repo, _ *fake.Pull) {
				r.SetCheck(head, fake.Check{Name: "test", Done: true, Conclusion: "success"})
				r.SetCheck(head, tc.left)
			})
			list, err := w.store.List(t.Context(), false)
			if err != nil || len(list) != 1 || list[0].Checks != tc.want {
				t.Errorf("%+v, %v", list, err)
			}
			if _, rest := w.asked(func() { _, err = w.store.List(t.Context(), false) }); rest != 0 || err != nil {
				t.Errorf("%d more requests when nothing changed, %v", rest, err)
			}
		})
	}
}

// denies answers GraphQL as GitHub does an App without the permission for
// checks: in part.
type denies struct{}

func (denies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/graphql" {
		return http.DefaultTransport.RoundTrip(r)
	}
	text := `{"data": {"repository": null}, "errors": [{"type": "FORBIDDEN", "path": ["repository"], "message": "Resource not accessible by integration"}]}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// An App that may read nothing is sent to what says for want of which permission.
func TestReadingDenied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Forge.Transport = denies{}
	w.reopen()
	if _, err := w.store.List(t.Context(), false); err == nil || !strings.Contains(err.Error(), "`dispatcher identity` lists them") {
		t.Errorf("list: %v", err)
	}
}

// Of more checks than one page lists the roll-up says how the others are.
func TestChecksBeyondAPage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		last fake.Check
		want board.CheckState
	}{
		"failed":  {fake.Check{Name: "last", Done: true, Conclusion: "failure"}, board.ChecksRed},
		"error":   {fake.Check{Name: "last", Status: "error"}, board.ChecksRed},
		"pending": {fake.Check{Name: "last"}, board.ChecksPending},
		"passed":  {fake.Check{Name: "last", Done: true, Conclusion: "success"}, board.ChecksGreen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			head := w.branch("task/acm-1-x", "x.go", "package x\n")
			n := w.open("task/acm-1-x", "")
			w.pull(n, func(r *fake.Repo, _ *fake.Pull) {
				for i := range 120 {
					r.SetCheck(head, fake.Check{Name: "test " + strconv.Itoa(i), Done: true, Conclusion: "success"})
				}
				r.SetCheck(head, tc.last)
			})
			if pr, err := w.store.Get(t.Context(), n); err != nil || pr.Checks != tc.want {
				t.Errorf("checks %s of %d listed, %v; want %s", pr.Checks, len(pr.CheckRuns), err, tc.want)
			}
		})
	}
}

// TestSymptom27BehindByCompare: multiplex-ai/muggle-ai-works#265,
// kunchenguid/firstmate#3932. How far behind a pull request is comes from the
// compare call; mergeStateStatus, which hides it, is not asked.
func TestSymptom27BehindByCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	w.main("one.txt", "1\n")
	w.main("two.txt", "2\n")
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) { p.Draft = true }) // BLOCKED there
	list, err := w.store.List(t.Context(), false)
	if err != nil || len(list) != 1 || list[0].Behind != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range w.sent.text {
		if strings.Contains(text, "mergeStateStatus") {
			t.Errorf("asked: %s", text)
		}
	}
}

// TestSymptom31LimitInAnAnswerThatIs200: yanyongyu/githubkit#271,
// octokit/plugin-throttling.js#848. Both spellings are a limit.
func TestSymptom31LimitInAnAnswerThatIs200(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultRateLimited, fake.FaultRateLimit} {
		w := newWorld(t)
		w.server.Inject(fake.Fault{Kind: kind, Path: "/graphql", Times: 1})
		for range 3 {
			_, err := w.store.List(t.Context(), false)
			l, limited := errors.AsType[*ghapi.LimitError](err)
			if !limited || l.Secondary || l.Until.Sub(w.now.now()) < 50*time.Minute {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if graphql, _ := w.asked(func() { _, _ = w.store.Get(t.Context(), "#1") }); graphql != 0 {
			t.Errorf("%s: asked all the same", kind)
		}
	}
}

// TestFailure26CallersReturnSpread: rjmurillo/ai-agents#4690,
// hivecommons/hive PR#4640. After a secondary limit, with a full budget, no two
// callers return at one moment, none before the time, and it is no bad login.
func TestFailure26CallersReturnSpread(t *testing.T) {
	t.Parallel()
	at := map[time.Time]bool{}
	const callers = 8
	w := newWorld(t)
	w.server.Inject(fake.Fault{Kind: fake.FaultSecondary})
	for range callers {
		w.reopen() // one more process
		_, err := w.store.List(t.Context(), false)
		l, limited := errors.AsType[*ghapi.LimitError](err)
		if !limited || !l.Secondary || l.Until.Before(w.now.now().Add(time.Minute)) || strings.Contains(err.Error(), "private key") {
			t.Fatalf("err = %v", err)
		}
		at[l.Until] = true
	}
	if len(at) < callers-1 {
		t.Errorf("%d callers return at %d moments", callers, len(at))
	}
}

// TestFailure24WritesAreHeldBack: coalesce-labs/catalyst#1135. A write that is
// refused by 429 causes no other one.
func TestFailure24WritesAreHeldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	w.server.Inject(fake.Fault{Kind: fake.FaultAbuse, Path: "/pulls/", Writes: true})
	before := len(w.server.Requests())
	for range 600 { // a try each second for ten minutes
		_, err := w.store.Review(t.Context(), pulls.ReviewRequest{Name: name, Commit: head, Body: "One."})
		if _, limited := errors.AsType[*ghapi.LimitError](err); !limited {
			t.Fatalf("err = %v", err)
		}
		w.now.pass(time.Second)
	}
	writes := 0
	for _, r := range w.server.Requests()[before:] {
		if r.Write && strings.Contains(r.Path, "/pulls/") {
			writes++
		}
	}
	if writes == 0 || writes > 11 {
		t.Errorf("%d writes in ten minutes of refusals", writes)
	}
}

// TestFailure40MergedMeanwhile: Untrivial-ai/agent-orchestrator#2879, #1803;
// qf-studio/pilot#4657. The pull request is merged at each step of the work on
// it: the step says so, writes nothing, and what comes later is seen.
func TestFailure40MergedMeanwhile(t *testing.T) {
	t.Parallel()
	merge := func(w *world, name string) {
		w.pull(name, func(r *fake.Repo, p *fake.Pull) {
			if err := r.Merge(p, "olive", w.now.now()); err != nil {
				w.Error(err)
			}
		})
	}
	for step, do := range map[string]func(w *world, name, head string) error{
		"during review": func(w *world, name, head string) error {
			merge(w, name)
			_, err := w.store.Review(w.Context(), pulls.ReviewRequest{Name: name, Commit: head, Body: "One."})
			return err
		},
		"before the owner's request": func(w *world, name, head string) error {
			merge(w, name)
			_, err := w.store.RequestChanges(w.Context(), pulls.ChangesRequest{Name: name, By: "olive", Head: head, Body: "No."})
			return err
		},
		"during conflict work": func(w *world, name, head string) error {
			merge(w, name)
			w.repo.Git("fetch", "-q", "origin")
			w.main("README.md", "ours\n")
			_, err := w.store.Freshen(w.Context(), name, head)
			return err
		},
		"between check and write": func(w *world, name, _ string) error {
			if p, err := w.store.Get(w.Context(), name); err != nil || p.State != board.PullOpen {
				w.Errorf("%+v, %v", p, err)
			}
			merge(w, name)
			title := "Another"
			_, err := w.store.Update(w.Context(), name, pulls.Edit{Title: &title})
			return err
		},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			head := w.branch("task/acm-1-x", "x.go", "package x\n")
			name := w.open("task/acm-1-x", "Fixes ACM-1")
			if _, err := w.store.List(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			if err := do(w, name, head); !errors.Is(err, pulls.ErrNotOpen) {
				t.Errorf("err = %v", err)
			}
			list, err := w.store.List(t.Context(), true)
			if err != nil || len(list) != 1 || list[0].State != board.PullMerged || list[0].Mergeable == board.MergeConflict || len(list[0].Reviews) != 0 || list[0].Title != "About task/acm-1-x" {
				t.Errorf("after it %+v, %v", list, err)
			}
		})
	}
	t.Run("before push", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.branch("task/acm-1-x", "x.go", "package x\n")
		merge(w, w.open("task/acm-1-x", "Fixes ACM-1"))
		w.commit("y.go", "package x\n") // what was still to come
		later := w.open("task/acm-1-x", "Fixes ACM-1")
		if p, err := w.store.ByHead(t.Context(), "task/acm-1-x"); err != nil || p.Name != later || later == "#1" {
			t.Errorf("%+v, %v, opened %s", p, err, later)
		}
		if list, err := w.store.List(t.Context(), false); err != nil || len(list) != 1 || list[0].Name != later {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
