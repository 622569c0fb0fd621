package worktree_test

import (
	"context"
	"errors"
	"testing"

	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/worktree"
)

// TestSetup: a worktree that was made to be set up says so until it is, through
// any number of tries; one that was there before, or made without that, never
// does.
func TestSetup(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	m := manager(r)
	make := func(ref string, setup bool) worktree.Worktree {
		t.Helper()
		w, err := m.Create(ctx, worktree.CreateRequest{Ref: ref, Title: "x", RunID: "run-1", PID: deadPID, Setup: setup})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := make("DSP-1", false); w.SetupDue {
		t.Error("set-up is due that nobody asked for")
	}
	if w := make("DSP-1", true); w.SetupDue {
		t.Error("set-up is due in a worktree that was there before")
	}
	w := make("DSP-2", true)
	if again := make("DSP-2", true); !w.SetupDue || !again.SetupDue {
		t.Errorf("due: %v, and at the next try %v", w.SetupDue, again.SetupDue)
	}
	for range 2 {
		if err := m.SetUp(ctx, w.Path); err != nil {
			t.Fatal(err)
		}
	}
	if make("DSP-2", true).SetupDue {
		t.Error("due again after it was set up")
	}
	if out := r.At(w.Path).Git("status", "--porcelain"); out != "" {
		t.Errorf("the mark is seen in the worktree: %q", out)
	}
}

// TestBeforeRemove: it is asked with the worktree still whole, and its refusal
// keeps the worktree with its reason; a dry run asks nothing.
func TestBeforeRemove(t *testing.T) {
	t.Parallel()
	r, _ := gittest.WithRemote(t, "main")
	var asked []string
	refuse := errors.New("the hook beforeRemove: exit status 1")
	m := manager(r, func(o *worktree.Options) {
		o.BeforeRemove = func(_ context.Context, path string) error {
			if !exists(path) {
				t.Errorf("asked about %s when it is gone", path)
			}
			asked = append(asked, path)
			return refuse
		}
	})
	wt := pushed(t, r, m, "DSP-1")
	dirty := create(t, m, "DSP-2", "x")
	r.At(dirty.Path).Write("new.txt", "not committed\n")
	if _, err := m.Prune(ctx, worktree.PruneRequest{DryRun: true}); err != nil || len(asked) != 0 {
		t.Fatalf("a dry run asked about %v, %v", asked, err)
	}
	if why := whyKept(t, prune(t, m), wt.Dir); why != refuse.Error() {
		t.Errorf("kept because %q", why)
	}
	refuse = nil
	done := prune(t, m)
	if len(done.Removed) != 1 || done.Removed[0].Path != wt.Dir || exists(wt.Dir) || len(asked) != 2 || !exists(dirty.Path) {
		t.Errorf("removed %+v, asked about %v", done.Removed, asked)
	}
}
