package github

import (
	"context"
	"maps"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// known is a pull request as it was read last.
type known struct {
	mark string
	pr   board.PullRequest
	// again is when it is read once more although nothing seems to have
	// changed; zero is never.
	again time.Time
}

// GitHub's marks count whole seconds: what happened in the second of a reading,
// after it, leaves no other mark. What has changed of late is read once more.
const (
	lately  = 5 * time.Minute // far more than clocks are apart
	another = 10 * time.Second
)

// pair is a base and a head: how far they are apart never changes.
type pair struct{ base, head string }

// take remembers a pull request that was read anew, once its reviews and checks are whole:
// its mark and what is known of it are always of one reading.
func (s *Store) take(ctx context.Context, w *pullWire, seen bool) (board.PullRequest, error) {
	if err := s.readOn(ctx, w); err != nil {
		return board.PullRequest{}, err
	}
	pr := s.facts(w, seen)
	if err := s.compareChecks(ctx, &pr); err != nil {
		return pr, err // it is read anew the next time
	}
	return s.remember(w, pr, seen), nil
}

// facts is a pull request as it was read, with checks or without.
func (s *Store) facts(w *pullWire, seen bool) board.PullRequest {
	pr := s.pull(w)
	if !seen {
		pr.Checks, pr.ChecksWhy = board.ChecksUnknown, s.whyUnseen()
	}
	return pr
}

// remember keeps what was read. Of a mergeable that GitHub is still working
// out, what was known of the same two commits stays (SYMPTOMS.md, GitHub 26).
func (s *Store) remember(w *pullWire, pr board.PullRequest, seen bool) board.PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.known[w.ID]
	if ok && pr.State == board.PullOpen && pr.Mergeable == board.MergeUnknown && old.pr.HeadSHA == pr.HeadSHA && old.pr.BaseSHA == pr.BaseSHA {
		pr.Mergeable = old.pr.Mergeable
	}
	m := w.asMark()
	k := known{mark: m.mark(seen), pr: pr}
	now := s.now()
	switch {
	case now.Sub(w.UpdatedAt) > lately:
	case !ok || old.mark != k.mark:
		k.again = now.Add(another)
	case now.Before(old.again):
		k.again = old.again
	}
	if len(s.known) >= mostKnown {
		clear(s.known) // it is read again
	}
	s.known[w.ID] = k
	return pr
}

func (s *Store) now() time.Time {
	if s.o.Now == nil {
		return time.Now()
	}
	return s.o.Now()
}

func (s *Store) remembered(marks []markWire) []board.PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]board.PullRequest, 0, len(marks))
	for i := range marks {
		k, ok := s.known[marks[i].ID]
		if !ok {
			continue // it went between the two requests
		}
		pr := k.pr
		if pr.State == board.PullOpen {
			now, moved := mergeableOf(marks[i].Mergeable), pr.BaseSHA != marks[i].BaseRefOid
			if now != board.MergeUnknown || moved {
				// The base moves without a change of the pull request; whether it
				// still merges is for GitHub to say again.
				pr.BaseSHA, pr.Mergeable = marks[i].BaseRefOid, now
				k.pr = pr
				s.known[marks[i].ID] = k
			}
		}
		out = append(out, pr)
	}
	return out
}

// forget drops what is known of pull requests that a sweep no longer sees, and
// of pairs of commits that none of these is at.
func (s *Store) forget(marks []markWire, now []board.PullRequest) {
	seen, at := make(map[string]bool, len(marks)), make(map[pair]bool, len(now))
	for i := range marks {
		seen[marks[i].ID] = true
	}
	for i := range now {
		at[pair{now[i].BaseSHA, now[i].HeadSHA}] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.known, func(id string, _ known) bool { return !seen[id] })
	maps.DeleteFunc(s.apart, func(p pair, _ int) bool { return !at[p] })
}

// mostKnown bounds what is known in a process that reads pull requests one by
// one and never sweeps.
const mostKnown = 2 * maxPages * atOnce
