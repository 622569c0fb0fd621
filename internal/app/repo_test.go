package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/worktree"
)

// A git process that a killed loop left behind may hold a lock for a moment:
// the worktree is tried again before the issue loses a try. What a moment does
// not change is not tried again.
func TestPatiently(t *testing.T) {
	t.Parallel()
	locked := errors.New("cannot lock ref")
	inUse := fmt.Errorf("make the worktree: %w", worktree.ErrInUse)
	for name, c := range map[string]struct {
		answers []error
		ended   bool // the context has ended
		tried   int
		want    error
	}{
		"at once":              {answers: []error{nil}, tried: 1},
		"after a moment":       {answers: []error{locked, nil}, tried: 2},
		"after two":            {answers: []error{locked, locked, nil}, tried: 3},
		"never":                {answers: []error{locked, locked, locked, nil}, tried: 3, want: locked},
		"in use":               {answers: []error{inUse, nil}, tried: 1, want: worktree.ErrInUse},
		"in use after a while": {answers: []error{locked, inUse, nil}, tried: 2, want: worktree.ErrInUse},
		"told to end":          {answers: []error{locked, nil}, ended: true, tried: 1, want: locked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			pauses := []time.Duration{0, 0}
			if c.ended {
				cancel()
				pauses = []time.Duration{time.Hour, time.Hour}
			}
			tried := 0
			err := patiently(ctx, pauses, func() error {
				tried++
				return c.answers[tried-1]
			})
			if tried != c.tried || !errors.Is(err, c.want) {
				t.Errorf("tried %d times, got %v; want %d and %v", tried, err, c.tried, c.want)
			}
		})
	}
}
