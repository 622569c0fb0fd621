package git_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// inTheWay is a git in whose way somebody else's fetch gets so many times.
type inTheWay struct {
	times int
	says  string
}

func (r *inTheWay) Run(ctx context.Context, c proc.Cmd) (proc.Result, error) {
	if slices.Contains(c.Args, "fetch") && r.times > 0 {
		r.times--
		return proc.Result{}, &proc.ExitError{Name: "git", Code: 1, Stderr: r.says}
	}
	return proc.Exec{}.Run(ctx, c)
}

// TestFetchAgain: a fetch that another one got in the way of is made again, and
// no other failure is.
func TestFetchAgain(t *testing.T) {
	t.Parallel()
	const moved = "error: cannot lock ref 'refs/remotes/origin/main': is at 4503c1a9 but expected 7ecc67f6"
	for _, c := range []struct {
		name  string
		times int
		says  string
		left  int // failures that were not met
		ok    bool
	}{
		{"another was quicker", 2, moved, 0, true},
		{"again and again", 9, moved, 4, false},
		{"another failure", 2, "fatal: bad object HEAD", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, _ := gittest.WithRemote(t, "main")
			way := &inTheWay{times: c.times, says: c.says}
			g := git.New(git.Options{Runner: way, Environ: gittest.Env()})
			err := g.Fetch(t.Context(), r.Dir, "origin", git.TrackingRefspec("origin", "main"))
			var exit *proc.ExitError
			if (err == nil) != c.ok || err != nil && !errors.As(err, &exit) || way.times != c.left {
				t.Errorf("err = %v, %d failures not met", err, way.times)
			}
		})
	}
}
