package local

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
)

// mergedOutside answers the head that the base contains, if somebody merged it
// there by other means than ours. Only a head that was seen with commits of
// its own counts: a branch that was reset to the base is not merged.
func (s *Store) mergedOutside(ctx context.Context, r *record, base, head string, d derived) (string, error) {
	if r.HeadSHA == head {
		if d.contained {
			return head, nil
		}
		return "", nil
	}
	if !s.o.Git.HasCommit(ctx, s.o.Repo, r.HeadSHA) {
		return "", nil
	}
	seen, err := s.derive(ctx, pair{base, r.HeadSHA})
	if err != nil || !seen.contained || d.ahead > 0 {
		return "", err // more was pushed after that merge: it is open again
	}
	return head, nil
}

// settleOutside records a merge that was made elsewhere.
func (s *Store) settleOutside(ctx context.Context, r *record, base, head string) (board.PullRequest, error) {
	at, commit, err := s.o.Git.MergedBy(ctx, s.o.Repo, base, head)
	if err != nil {
		return board.PullRequest{}, err
	}
	settle := func(r *record) (bool, error) {
		if r.State != board.PullOpen {
			return false, nil
		}
		r.State, r.HeadSHA, r.MergeSHA, r.MergedAt = board.PullMerged, head, commit, at
		return true, nil
	}
	if fresh, err := s.update(ctx, r.Number, settle); err == nil {
		*r = fresh
	} else {
		_, _ = settle(r) // it is merged, whether or not that can be written
	}
	return s.settled(r), nil
}

// noteHead records the last seen head. What cannot be written now is seen
// again next time.
func (s *Store) noteHead(ctx context.Context, r *record, head, fork string) {
	fresh, err := s.update(ctx, r.Number, func(r *record) (bool, error) {
		if r.State != board.PullOpen {
			return false, nil
		}
		r.HeadSHA, r.ForkSHA = head, fork
		return true, nil
	})
	if err == nil {
		*r = fresh
	}
}
