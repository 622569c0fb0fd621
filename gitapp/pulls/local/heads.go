package local

import (
	"context"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
)

// heads is where the branches stand now.
type heads map[string]string

// heads asks where the branches stand: the remote, if there is one, whose
// commits are fetched where they are missing here; else this repository.
func (s *Store) heads(ctx context.Context, records []record) (heads, error) {
	if s.o.Remote == "" {
		refs, err := s.o.Git.Refs(ctx, s.o.Repo, "refs/heads")
		if err != nil {
			return nil, err
		}
		now := heads{}
		for _, r := range refs {
			now[r.Name] = r.Commit
		}
		return now, nil
	}
	now, err := s.o.Git.RemoteHeads(ctx, s.o.Repo, s.o.Remote)
	if err != nil {
		return nil, err
	}
	branches := map[string]bool{}
	for i := range records {
		if records[i].State == board.PullOpen {
			branches[records[i].Base], branches[records[i].Head] = true, true
		}
	}
	return now, s.fetchMoved(ctx, now, branches)
}

// fetchMoved fetches the branches that stand elsewhere on the remote than they
// did when last seen.
func (s *Store) fetchMoved(ctx context.Context, now heads, branches map[string]bool) error {
	if s.fetchedAll(now, branches) {
		return nil
	}
	if err := s.fetchThose(ctx, now, branches); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fetched) >= maxKnown {
		clear(s.fetched)
	}
	for b := range branches {
		s.fetched[b] = now[b]
	}
	return nil
}

func (s *Store) fetchedAll(now heads, branches map[string]bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := range branches {
		if at, ok := s.fetched[b]; !ok || at != now[b] {
			return false
		}
	}
	return true
}

func (s *Store) fetchThose(ctx context.Context, now heads, branches map[string]bool) error {
	prefix := "refs/remotes/" + s.o.Remote
	refs, err := s.o.Git.Refs(ctx, s.o.Repo, prefix)
	if err != nil {
		return err
	}
	seen := heads{}
	for _, r := range refs {
		seen[strings.TrimPrefix(r.Full, prefix+"/")] = r.Commit
	}
	var specs []string
	for b := range branches {
		if now[b] != "" && now[b] != seen[b] {
			specs = append(specs, git.TrackingRefspec(s.o.Remote, b))
		}
	}
	if len(specs) == 0 {
		return nil
	}
	err = s.o.Git.Fetch(ctx, s.o.Repo, s.o.Remote, specs...)
	for b := range branches {
		// Somebody else's fetch at the same time may have taken the lock of the
		// ref; what counts is that the commits are here.
		if err != nil && now[b] != "" && !s.o.Git.HasCommit(ctx, s.o.Repo, now[b]) {
			return err
		}
	}
	return nil
}
