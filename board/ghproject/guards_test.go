package ghproject_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// altered changes every object of an answer that stands under a name.
type altered map[string]func(map[string]any)

func (a altered) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			a.walk(e)
		}
	case map[string]any:
		for name, e := range v {
			if o, is := e.(map[string]any); is && a[name] != nil {
				a[name](o)
			}
			a.walk(e)
		}
	}
}

func (a altered) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var v any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return nil, err
	}
	a.walk(v)
	body, err := json.Marshal(v)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, err
}

// bothWays answers a row as it is polled and as it is read by itself.
func bothWays(t *testing.T, b *ghproject.Board, ref board.Ref) []board.Issue {
	t.Helper()
	rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
	if err != nil {
		t.Fatal(err)
	}
	one, err := b.Issue(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if rows[i].Ref == ref {
			return []board.Issue{rows[i], one}
		}
	}
	t.Fatalf("%s is not polled", ref)
	return nil
}

// Issues and pull requests of other repositories keep their whole names: #1
// there is not #1 here.
func TestOtherRepositories(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	first := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
	ref := p.seed(t, board.NewIssue{Title: "two", State: board.RoleReady, Parent: first, Blockers: []board.Ref{first}})
	p.server.With("acme/widgets", func(r *fake.Repo) {
		r.Open(&fake.Pull{Title: "T", Body: "Closes " + string(ref), Base: "main", Head: "x", Author: "olive", Closes: []int{refNumber(t, ref)}, Created: p.clock.Now()})
	})
	elsewhere := func(o map[string]any) { o["repository"] = map[string]any{"nameWithOwner": "acme/other"} }
	each := func(o map[string]any) {
		nodes, _ := o["nodes"].([]any)
		for _, n := range nodes {
			elsewhere(n.(map[string]any))
		}
	}
	for _, i := range bothWays(t, p.open(t), ref) {
		if i.Parent != first || fmt.Sprint(i.Blockers) != "[{#1 true}]" || fmt.Sprint(i.PRs) != "[#3]" {
			t.Errorf("here: parent %q, blockers %v, pull requests %q", i.Parent, i.Blockers, i.PRs)
		}
	}
	there := p.open(t, func(o *ghproject.Options) {
		o.Transport = altered{"blockedBy": each, "closedByPullRequestsReferences": each, "parent": func(o map[string]any) {
			if o["repository"] != nil { // the short form has none
				elsewhere(o)
			}
		}}
	})
	for _, i := range bothWays(t, there, ref) {
		if i.Parent != "" || fmt.Sprint(i.Blockers) != "[{acme/other#1 true}]" || len(i.PRs) != 1 || !strings.HasPrefix(i.PRs[0], "https://") {
			t.Errorf("elsewhere: parent %q, blockers %v, pull requests %q", i.Parent, i.Blockers, i.PRs)
		}
	}
}

// A row whose blockers or sub-issues are more than can be read is not taken for
// one that is free.
func TestMoreThanCanBeRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
	for _, list := range []string{"blockedBy", "subIssues"} {
		b := p.open(t, func(o *ghproject.Options) {
			o.Transport = altered{list: func(o map[string]any) {
				o["pageInfo"] = map[string]any{"hasNextPage": true}
			}}
		})
		for _, i := range bothWays(t, b, ref) {
			if i.Unreadable == "" {
				t.Errorf("%s: nothing is said", list)
			}
		}
	}
}

// What a bot, a deleted account or somebody outside writes is neither our
// role's nor the owner's word.
func TestNobodysWord(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleQuestion})
	said := map[string]board.ActorKind{
		"olive": board.ActorOwner, "gwen": board.ActorOwner,
		"": board.ActorAutomation, "renovate[bot]": board.ActorAutomation, "stranger": board.ActorAutomation,
	}
	for by := range said {
		p.clock.Advance(time.Second)
		p.say(refNumber(t, ref), by, "Go on, says "+by)
	}
	for _, i := range bothWays(t, p.open(t), ref) {
		if len(i.Comments) != len(said) {
			t.Errorf("%d comments", len(i.Comments))
		}
		for _, c := range i.Comments {
			if want := said[strings.TrimPrefix(c.Body, "Go on, says ")]; c.Role != want {
				t.Errorf("%q counts as %s's, not %s's", c.Body, c.Role, want)
			}
		}
	}
}

// A repository that has another name now is no empty board.
func TestRenamedRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
	p.server.Rename("acme/widgets", "gadgets")
	b := p.open(t)
	_, polled := b.Poll(t.Context(), board.Query{AllMilestones: true})
	_, read := b.Issue(t.Context(), ref)
	for _, err := range []error{polled, read} {
		if !errors.Is(err, board.ErrNotFound) || !strings.Contains(err.Error(), "the repository acme/widgets is acme/gadgets now") {
			t.Errorf("error %v", err)
		}
	}
}
