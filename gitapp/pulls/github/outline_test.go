package github_test

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// A pull request is found by its branch or by its name, in one request, though
// nothing was read before; what is no pull request's name stops nothing.
func TestFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many(50)
	w.server.With("acme/widgets", func(r *fake.Repo) {
		for n := range 50 {
			r.Pull(n + 1).Body = "Fixes ACM-7"
		}
	})
	if err := w.server.MergePull("acme/widgets", 9, "olive"); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		branch string
		names  []string
		want   map[int]board.PullState
	}{
		"by branch":               {"task/acm-3-x", nil, map[int]board.PullState{4: board.PullOpen}},
		"by a name":               {"task/none", []string{"#9"}, map[int]board.PullState{9: board.PullMerged}},
		"by a URL":                {"task/none", []string{"https://github.com/acme/widgets/pull/9"}, map[int]board.PullState{9: board.PullMerged}},
		"by both":                 {"task/acm-8-x", []string{"#9", "#10"}, map[int]board.PullState{9: board.PullMerged, 10: board.PullOpen}},
		"of another repository":   {"task/none", []string{"https://github.com/acme/other/pull/9"}, map[int]board.PullState{}},
		"one that is none":        {"task/none", []string{"#9", "#4711"}, map[int]board.PullState{9: board.PullMerged}},
		"the last three of names": {"task/none", []string{"#1", "#2", "#3", "#4"}, map[int]board.PullState{2: board.PullOpen, 3: board.PullOpen, 4: board.PullOpen}},
	} {
		t.Run(name, func(t *testing.T) {
			w.reopen()
			var found []board.PullRequest
			var err error
			graphql, rest := w.asked(func() { found, err = w.store.Find(t.Context(), tc.branch, tc.names) })
			if err != nil || graphql != 1 || rest != 1 { // the token
				t.Errorf("%v; %d GraphQL and %d REST requests", err, graphql, rest)
			}
			got := map[int]board.PullState{}
			for _, p := range found {
				got[p.Number] = p.State
				if len(p.Issues) != 1 || p.Issues[0] != "ACM-7" || !p.ByAgent || p.State == board.PullMerged && p.MergedAt.IsZero() {
					t.Errorf("%+v", p)
				}
			}
			if len(got) != len(tc.want) {
				t.Errorf("found %v", got)
			}
			for n, state := range tc.want {
				if got[n] != state {
					t.Errorf("#%d is %q, want %s", n, got[n], state)
				}
			}
		})
	}
}

// The outlines of all are one request, whatever is behind or has checks.
func TestOutlines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many(60)
	w.now.pass(time.Minute)
	if err := w.server.MergePull("acme/widgets", 9, "olive"); err != nil {
		t.Fatal(err)
	}
	var all []board.PullRequest
	var err error
	graphql, rest := w.asked(func() { all, err = w.store.Outlines(t.Context()) })
	if err != nil || len(all) != 60 || graphql != 1 || rest != 1 {
		t.Errorf("%d, %v; %d GraphQL and %d REST requests", len(all), err, graphql, rest)
	}
}
