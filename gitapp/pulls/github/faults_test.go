package github_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/gqlanswer"
)

// An answer that is none, with status 200, is an error at every request of every
// read: the pull requests that it does not hold are not gone.
func TestAnswersWithoutData(t *testing.T) {
	t.Parallel()
	reads := map[string]func(context.Context, *world) (int, error){
		"list": func(ctx context.Context, w *world) (int, error) {
			prs, err := w.store.List(ctx, true)
			return len(prs), err
		},
		"outlines": func(ctx context.Context, w *world) (int, error) {
			prs, err := w.store.Outlines(ctx)
			return len(prs), err
		},
		"find": func(ctx context.Context, w *world) (int, error) {
			prs, err := w.store.Find(ctx, "task/acm-1-x", []string{"#1"})
			return min(len(prs), 1), err
		},
		"get": func(ctx context.Context, w *world) (int, error) {
			pr, err := w.store.Get(ctx, "#1")
			return pr.Number, err
		},
		"more reviews": func(ctx context.Context, w *world) (int, error) {
			pr, err := w.store.Get(ctx, "#1")
			return len(pr.Reviews) / 60, err
		},
	}
	for name, read := range reads {
		for _, kind := range []fake.FaultKind{fake.FaultEmpty, fake.FaultVoid} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.branch("task/acm-1-x", "x.go", "package x\n")
				w.open("task/acm-1-x", "Fixes ACM-1")
				if name == "more reviews" {
					w.pull("#1", func(r *fake.Repo, p *fake.Pull) {
						for range 60 {
							r.Review(p, "olive", "COMMENT", "Look.", w.now.now())
						}
					})
				}
				for at, over := 0, false; !over; at++ {
					w.reopen()
					n := 0
					w.server.Inject(fake.Fault{Path: "/graphql", Choose: func(fake.Request) fake.FaultKind {
						if n++; n == at+1 {
							return kind
						}
						return fake.FaultNone
					}})
					found, err := read(t.Context(), w)
					over = n <= at
					switch {
					case over && (err != nil || found != 1 || at == 0):
						t.Errorf("undisturbed: %d found, error %v, %d requests", found, err, n)
					case !over && (!errors.Is(err, gqlanswer.ErrNone) || errors.Is(err, pulls.ErrNotFound) || !strings.Contains(err.Error(), "no answer of GitHub's")):
						t.Errorf("at request %d: %d found, error %v", at+1, found, err)
					}
					w.server.Mend()
					w.now.pass(time.Minute)
				}
			})
		}
	}
}

// The same of REST: how far behind a head is and what its checks say is not
// taken from an answer that does not hold it.
func TestRESTAnswersWithoutData(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/compare/", "/check-runs"} {
		w := newWorld(t)
		head := w.branch("task/acm-1-x", "x.go", "package x\n")
		name := w.open("task/acm-1-x", "Fixes ACM-1")
		w.pull(name, func(r *fake.Repo, _ *fake.Pull) {
			r.SetCheck(head, fake.Check{Name: "test", Done: true, Conclusion: "success"})
		})
		w.reopen()
		w.server.Inject(fake.Fault{Kind: fake.FaultEmpty, Path: path, Times: 1})
		if prs, err := w.store.List(t.Context(), false); err == nil || !strings.Contains(err.Error(), "no answer of GitHub's") {
			t.Errorf("%s: %d listed, error %v", path, len(prs), err)
		}
		if prs, err := w.store.List(t.Context(), false); err != nil || len(prs) != 1 {
			t.Errorf("%s: %d listed after it, error %v", path, len(prs), err)
		}
	}
}
