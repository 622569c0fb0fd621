package loop_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
)

// An idle loop prunes once a minute, however often it fires; where something
// has changed that could free a worktree it prunes with the next firing.
func TestPruneOnlyWhereItCanHelp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ready("later", in(board.RoleBacklog))
		p := w.start(forever, func(o *loop.Options) { o.Poll = 5 * time.Second })
		time.Sleep(time.Minute + time.Second)
		first, fired := w.prunes(), p.e.Snapshot().Firing
		time.Sleep(time.Hour)
		idle := w.prunes() - first
		if fires := p.e.Snapshot().Firing - fired; fires < 700 || idle < 59 || idle > 61 {
			t.Errorf("an idle hour with %d firings pruned %d times, want once a minute", fires, idle)
		}
		// A developer, a reviewer: each start and each end may free something.
		before := w.prunes()
		w.ready("work")
		time.Sleep(10 * time.Second)
		if w.prunes() == before {
			t.Error("nothing was pruned when a run had begun")
		}
		time.Sleep(time.Hour) // to the end of the task
		p.leave()
		w.sound()
	})
}

func (w *world) prunes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pruned
}

// archiveOf notes which runs the loop said that it needs.
type archiveOf struct{ p *process }

func (a archiveOf) Prune(_ context.Context, needed []string) ([]string, error) {
	a.p.w.mu.Lock()
	defer a.p.w.mu.Unlock()
	a.p.w.archived = append(a.p.w.archived, slices.Clone(needed))
	return nil, nil
}

// Old transcripts are looked for once an hour, and those of runs that are not
// settled stay.
func TestPruneTranscripts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ready("work")
		p := w.start(forever, func(o *loop.Options) { o.Poll = time.Minute })
		time.Sleep(3*time.Hour + 30*time.Minute)
		p.leave()
		w.mu.Lock()
		asked := w.archived
		w.mu.Unlock()
		if len(asked) != 4 {
			t.Errorf("asked %d times in three and a half hours, want once an hour", len(asked))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ref := w.ready("work")
		<-w.launch(&process{crashAt: 1, only: "lock"}, forever).over
		p := w.start(forever)
		time.Sleep(10 * time.Second)
		run := w.holderOf(ref)
		w.mu.Lock()
		asked := slices.Clone(w.archived)
		w.mu.Unlock()
		time.Sleep(time.Hour) // to the end of the task
		p.leave()
		if last := asked[len(asked)-1]; run == "" || !slices.Contains(last, run) {
			t.Errorf("the run %q lives, and the loop needs only %q", run, last)
		}
	})
}

// A loop that dies between its journal and the lock of a worktree leaves its
// own, dead pid in it: the next one names the living worker there before it
// prunes.
func TestLockOfAReadoptedWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ref := w.ready("work")
		<-w.launch(&process{crashAt: 1, only: "lock"}, forever).over
		p := w.start(forever)
		time.Sleep(10 * time.Second)
		if got := w.holderOf(ref); got == "" {
			t.Error("nobody holds the worktree that a living worker is in")
		}
		time.Sleep(time.Hour) // to the end of the task
		p.leave()
		w.wantRow(ref, board.RoleHumanReview, board.DelegateNone)
		w.sound()
	})
}

// holderOf is the run in the lock of an issue's worktree.
func (w *world) holderOf(ref board.Ref) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.trees {
		if t.ref == ref && t.maker == nil {
			return t.holder
		}
	}
	return ""
}
