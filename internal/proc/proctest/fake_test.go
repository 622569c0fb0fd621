package proctest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/proc/proctest"
)

// recorder takes the place of the test that a fake fails.
type recorder struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Cleanup(f func())      { r.cleanups = append(r.cleanups, f) }
func (r *recorder) end() {
	for _, f := range r.cleanups {
		f()
	}
}

func TestFake(t *testing.T) {
	t.Parallel()
	ctx := context.Background()

	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		f := proctest.New(t)
		f.Expect("git", "version").Prints("git version 2.39.5\n")
		f.Expect("git", "push").Exits(1, "rejected")
		if _, err := f.Run(ctx, proc.Cmd{Name: "git", Args: []string{"push"}}); !isExit(err, 1) {
			t.Errorf("err = %v", err)
		}
		res, err := f.Run(ctx, proc.Cmd{Name: "git", Args: []string{"version"}})
		if err != nil || string(res.Stdout) != "git version 2.39.5\n" {
			t.Errorf("res = %q, err = %v", res.Stdout, err)
		}
		if len(f.Ran()) != 2 {
			t.Errorf("ran = %v", f.Ran())
		}
	})
	t.Run("fails on an unexpected command", func(t *testing.T) {
		t.Parallel()
		r := &recorder{}
		f := proctest.New(r)
		if _, err := f.Run(ctx, proc.Cmd{Name: "rm"}); err == nil || !r.failed {
			t.Errorf("err = %v, failed = %v", err, r.failed)
		}
	})
	t.Run("fails on an unused one", func(t *testing.T) {
		t.Parallel()
		r := &recorder{}
		proctest.New(r).Expect("git", "version")
		r.end()
		if !r.failed {
			t.Error("an unused expectation passed")
		}
	})
}

func isExit(err error, code int) bool {
	exit, ok := errors.AsType[*proc.ExitError](err)
	return ok && exit.Code == code
}
