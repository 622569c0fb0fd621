package github_test

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// may gives the developer App these permissions beside those that it needs.
func (w *world) may(more ...string) {
	w.server.Change(1, func(a *fake.App) {
		a.Permissions = map[string]string{"contents": "write", "pull_requests": "write"}
		for _, name := range more {
			a.Permissions[name] = "read"
		}
	})
}

// An App that may not read checks lists pull requests without them: they are
// unknown, for want of what it says.
func TestChecksThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		may   []string
		lacks string // in words; empty is that it reads them
	}{
		"neither":  {nil, "the permissions Checks (read) and Commit statuses (read)"},
		"checks":   {[]string{"checks"}, "the permission Commit statuses (read)"},
		"statuses": {[]string{"statuses"}, "the permission Checks (read)"},
		"both":     {[]string{"checks", "statuses"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			head := w.branch("task/acm-1-x", "x.go", "package x\n")
			pull := w.open("task/acm-1-x", "Fixes ACM-1")
			w.branch("task/acm-2-y", "y.go", "package y\n")
			w.open("task/acm-2-y", "Fixes ACM-2")
			w.server.With("acme/widgets", func(r *fake.Repo) {
				r.SetCheck(head, fake.Check{Name: "run", Done: true, Conclusion: "success"})
				r.SetCheck(head, fake.Check{Name: "status", Status: "success"})
			})
			w.may(tc.may...)
			w.reopen()
			w.now.pass(time.Hour)
			prs, err := w.store.List(t.Context(), true)
			if err != nil || len(prs) != 2 {
				t.Fatalf("%+v, %v", prs, err)
			}
			one, err := w.store.Get(t.Context(), pull)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range append(prs, one) {
				switch {
				case tc.lacks == "":
					if p.Checks == board.ChecksUnknown || p.ChecksWhy != "" {
						t.Errorf("%s: %s, %q", p.Name, p.Checks, p.ChecksWhy)
					}
				case p.Checks != board.ChecksUnknown, !strings.Contains(p.ChecksWhy, "acme-developer lacks "+tc.lacks+":"):
					t.Errorf("%s: %s, %q", p.Name, p.Checks, p.ChecksWhy)
				}
			}
			w.now.pass(time.Minute)
			list := func() {
				if _, err := w.store.List(t.Context(), true); err != nil {
					t.Error(err)
				}
			}
			if graphql, rest := w.asked(list); graphql != 1 || rest != 0 {
				t.Errorf("and then %d GraphQL and %d REST requests", graphql, rest)
			}
		})
	}
}

// What was granted is seen with the next token.
func TestChecksGrantedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	w.open("task/acm-1-x", "Fixes ACM-1")
	w.server.With("acme/widgets", func(r *fake.Repo) {
		r.SetCheck(head, fake.Check{Name: "run", Done: true, Conclusion: "failure"})
	})
	checks := func() board.CheckState {
		prs, err := w.store.List(t.Context(), false)
		if err != nil || len(prs) != 1 {
			t.Fatalf("%+v, %v", prs, err)
		}
		return prs[0].Checks
	}
	w.may()
	w.reopen()
	if c := checks(); c != board.ChecksUnknown {
		t.Errorf("checks %s", c)
	}
	w.may("checks", "statuses")
	w.now.pass(time.Hour)
	if c := checks(); c != board.ChecksRed {
		t.Errorf("checks %s once they may be read", c)
	}
	w.may()
	w.now.pass(time.Hour)
	if c := checks(); c != board.ChecksUnknown {
		t.Errorf("checks %s once they may not be read any more", c)
	}
}
