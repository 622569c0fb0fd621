package local

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
)

// pair is two commits that something follows from.
type pair struct{ base, head string }

// derived is what follows from two commits, for ever.
type derived struct {
	mergeable board.Mergeable
	behind    int
	ahead     int
	foreign   []string
	contained bool   // base contains head
	fork      string // where head left base
}

// maxKnown bounds what is remembered of pairs of commits.
const maxKnown = 2000

// derive answers what follows from two commits, from memory if it can.
func (s *Store) derive(ctx context.Context, p pair) (derived, error) {
	s.mu.Lock()
	d, ok := s.known[p]
	s.mu.Unlock()
	if ok {
		return d, nil
	}
	d, err := s.compute(ctx, p)
	if err != nil {
		return d, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[p] = d
	return d, nil
}

func (s *Store) compute(ctx context.Context, p pair) (derived, error) {
	g, repo := s.o.Git, s.o.Repo
	d := derived{mergeable: board.MergeClean}
	var err error
	if d.behind, d.ahead, err = g.Apart(ctx, repo, p.base, p.head); err != nil {
		return d, err
	}
	d.contained = d.ahead == 0
	switch {
	case d.contained:
		d.fork = p.head
		return d, nil
	case d.behind == 0: // nothing that a merge could meet
		d.fork = p.base
	default:
		if err := s.meet(ctx, p, &d); err != nil {
			return d, err
		}
	}
	authors, err := g.Authors(ctx, repo, p.base, p.head)
	for _, a := range authors {
		if a.Email != s.o.Developer.Email {
			d.foreign = append(d.foreign, a.String())
		}
	}
	return d, err
}

// meet answers where two commits parted that each have what the other lacks,
// and whether git merges them.
func (s *Store) meet(ctx context.Context, p pair, d *derived) error {
	fork, err := s.o.Git.MergeBase(ctx, s.o.Repo, p.base, p.head)
	if err != nil {
		return err
	}
	_, conflicts, err := s.o.Git.MergeTree(ctx, s.o.Repo, p.base, p.head)
	if err != nil {
		return err
	}
	d.fork = fork
	if len(conflicts) > 0 {
		d.mergeable = board.MergeConflict
	}
	return nil
}
