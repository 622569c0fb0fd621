package loop_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
)

// fullBoard is a row of every fate that needs no owner: it passes, it is sent
// back once, it asks, it fails twice, its review fails twice, it waits for
// another, it is left alone, it has checks.
func fullBoard(w *world) {
	w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksGreen, nil }
	w.ready("passes")
	w.on(w.ready("is sent back"), board.KindReviewer, objecting, passing)
	w.on(w.ready("asks"), board.KindDeveloper, asking)
	w.on(w.ready("fails twice"), board.KindDeveloper, failing)
	w.on(w.ready("review fails twice"), board.KindReviewer, failing)
	w.ready("is blocked", func(n *board.NewIssue) { n.Blockers = []board.Ref{"DSP-1"} })
	w.ready("is left alone", in(board.RoleBacklog))
	w.on(w.ready("fails once"), board.KindDeveloper, failing, completing)
	w.on(w.ready("review asks"), board.KindReviewer, asking2)
}

// asking2 is a reviewer's question.
func asking2(a *agent) string {
	a.work(20 * time.Second)
	a.ask("keep it?")
	return "VERDICT: QUESTION"
}

// numbers of pull requests and heads depend on which worker comes first.
var numbers = regexp.MustCompile(`[0-9]{4,}|#[0-9]+`)

// outcome is what a person would see at the end.
func (w *world) outcome(withStarts bool) map[string]string {
	out := map[string]string{}
	for n := range w.board.Rows {
		i := w.issue(board.Ref(fmt.Sprintf("DSP-%d", n+1)))
		at := string(i.Ref) + " " + i.Title
		out[at] = fmt.Sprintf("%s for %q, claim %v", i.Role, i.Delegate, i.Claim != nil)
		if pr := w.pull(i.Ref); pr != nil {
			out[at+", pull request"] = fmt.Sprintf("%s %s", pr.State, pr.Checks)
		}
		if withStarts {
			out[at+", notes"] = numbers.ReplaceAllString(strings.Join(w.notes(i.Ref), "\n"), "n")
			out[at+", workers"] = fmt.Sprintf("%d and %d", w.starts(i.Ref, board.KindDeveloper), w.starts(i.Ref, board.KindReviewer))
		}
	}
	out["left in the journal"] = fmt.Sprint(len(w.saved()))
	out["left locked"] = fmt.Sprint(w.held())
	out["left running"] = fmt.Sprint(w.live())
	out["pull requests"] = fmt.Sprint(len(w.listPulls()))
	if withStarts {
		out["counted costs"] = fmt.Sprint(len(w.costs))
	}
	return out
}

// undisturbed is the outcome without a crash, and how many effects it took.
func undisturbed(t *testing.T) (counted, plain map[string]string, effects []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		fullBoard(w)
		p := w.start()
		p.wait()
		w.sound()
		counted, plain, effects = w.outcome(true), w.outcome(false), p.effects
	})
	return counted, plain, effects
}

// TestCrashAnywhere kills the loop before and after each of its effects, while
// its workers live on, and starts it again: every row ends where an
// undisturbed loop puts it, with as many workers, notes and costs.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	want, _, effects := undisturbed(t)
	played := 0
	for at := 0; at < 2*len(effects); at += oneIn() {
		k, after := 1+at/2, at%2 == 1
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			fullBoard(w)
			p := w.startDying(k, after)
			p.wait()
			w.start().wait()
			w.sound()
			if diff := cmp.Diff(want, w.outcome(true)); diff != "" {
				t.Errorf("killed %s effect %d (%s): (-undisturbed +killed)\n%s\n%s", whenOf(after), k, effects[k-1], diff, strings.Join(w.board.log, "\n"))
			}
		})
		if t.Failed() {
			return
		}
		played++
	}
	t.Logf("killed at %d of %d boundaries", played, 2*len(effects))
}

var allFlag = flag.Bool("loop.all", false, "kill the loop at every boundary, not at one in five")

// oneIn is the step from one boundary to the next that is played: odd, so that
// it meets the moments before and after an effect in turn.
func oneIn() int {
	switch {
	case *allFlag:
		return 1
	case testing.Short():
		return 15
	}
	return 5
}

func whenOf(after bool) string {
	if after {
		return "after"
	}
	return "before"
}

// TestMachineCrashAnywhere takes the workers down too: a row whose worker died
// is worked again, and ends in the same place.
func TestMachineCrashAnywhere(t *testing.T) {
	t.Parallel()
	_, want, effects := undisturbed(t)
	for k := 1; k <= len(effects); k += oneIn() {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			fullBoard(w)
			p := w.startDying(k, k%2 == 0)
			p.wait()
			w.killAll()
			// The scripts of these rows differ from try to try; a dead worker
			// is no try.
			w.forgetDead()
			w.start().wait()
			w.sound()
			if diff := cmp.Diff(want, w.outcome(false)); diff != "" {
				t.Errorf("machine died at effect %d (%s): (-undisturbed +killed)\n%s\n%s", k, effects[k-1], diff, strings.Join(w.board.log, "\n"))
			}
		})
		if t.Failed() {
			return
		}
	}
}

// TestCrashAgainAndAgain kills every life of the loop at a random effect, ten
// times over, and then lets it live.
func TestCrashAgainAndAgain(t *testing.T) {
	t.Parallel()
	want, _, effects := undisturbed(t)
	for seed := uint64(0); seed < 150; seed += uint64(oneIn()) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			fullBoard(w)
			dice := rand.New(rand.NewPCG(seed, 7))
			for range 10 {
				w.startDying(1+dice.IntN(len(effects)/3), dice.IntN(2) == 0).wait()
			}
			w.start().wait()
			w.sound()
			if diff := cmp.Diff(want, w.outcome(true)); diff != "" {
				t.Errorf("seed %d: (-undisturbed +killed)\n%s\n%s", seed, diff, strings.Join(w.board.log, "\n"))
			}
		})
		if t.Failed() {
			return
		}
	}
}

// TestLateStart kills the loop while a start is under way that takes effect
// only after the next loop has come to life: the run was given back, so its
// worker must never live.
func TestLateStart(t *testing.T) {
	t.Parallel()
	want, _, effects := undisturbed(t)
	starts := len(slices.DeleteFunc(slices.Clone(effects), func(name string) bool { return name != "start" }))
	for k := 1; k <= starts; k++ {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			fullBoard(w)
			p := w.launch(&process{crashAt: k, only: "start", late: true})
			p.wait()
			w.start().wait()
			w.later.Wait()
			w.sound()
			if diff := cmp.Diff(want, w.outcome(true)); diff != "" {
				t.Errorf("start %d came late: (-undisturbed +killed)\n%s\n%s", k, diff, strings.Join(w.board.log, "\n"))
			}
		})
	}
}
