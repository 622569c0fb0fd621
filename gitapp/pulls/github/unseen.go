package github

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/gitapp"
)

// notAccessible is what GitHub tells an App that lacks a permission. GraphQL
// does not say for want of which.
const notAccessible = "Resource not accessible by integration"

// unseen is whether checks may be read. What GitHub refuses of them it refuses
// with the whole of an answer, so that they are asked for no more until the
// next token, which may more.
type unseen struct {
	mu          sync.Mutex
	refused     bool
	permissions map[string]string // of the last token
}

// granted is told what a new token may.
func (s *Store) granted(permissions map[string]string) {
	s.unseen.mu.Lock()
	defer s.unseen.mu.Unlock()
	s.unseen.permissions, s.unseen.refused = permissions, s.unseen.refused && len(gitapp.Unadvised(permissions)) > 0
	s.noChecks.Store(false)
}

// asksChecks says whether checks are worth asking for.
func (s *Store) asksChecks() bool {
	s.unseen.mu.Lock()
	defer s.unseen.mu.Unlock()
	return !s.unseen.refused
}

// whyUnseen says why checks are unknown, with the permission and the way out.
func (s *Store) whyUnseen() string {
	s.unseen.mu.Lock()
	defer s.unseen.mu.Unlock()
	lacks := gitapp.Unadvised(s.unseen.permissions)
	if len(lacks) == 0 {
		lacks = gitapp.Unadvised(nil) // it was refused all the same
	}
	word, it := "permission", "it"
	if len(lacks) > 1 {
		word, it = "permissions", "them"
	}
	return fmt.Sprintf("App %s lacks the %s %s: grant %s in the App's settings and accept %s in the installation",
		s.read.app.Slug, word, strings.Join(lacks, " and "), it, it)
}

// query asks with all checks, and without any where those may not be read; seen
// says which. Each try has a struct of its own, since one that failed leaves
// values behind (FACTS.md, The client).
func query[Q any](ctx context.Context, s *Store, vars map[string]any) (q *Q, seen bool, err error) {
	ask := func(checks bool) error {
		q = new(Q)
		with := maps.Clone(vars)
		with["checks"] = graphql.Boolean(checks)
		return s.read.gql.Query(ctx, q, with)
	}
	asks := s.asksChecks()
	if asks {
		err = ask(true)
		if err == nil || !strings.Contains(err.Error(), notAccessible) {
			return q, true, err
		}
	}
	if err = ask(false); err == nil && asks {
		s.unseen.mu.Lock()
		s.unseen.refused = true
		s.unseen.mu.Unlock()
	}
	return q, false, err
}
