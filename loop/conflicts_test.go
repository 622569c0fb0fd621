package loop_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// The ways of a cleaner.
func resolving(a *agent) string {
	a.work(time.Minute)
	a.merge(true)
	return "STATUS: COMPLETE"
}

func mergingAlone(a *agent) string {
	a.work(time.Minute)
	a.merge(false)
	return "STATUS: COMPLETE"
}

func idling(a *agent) string {
	a.work(time.Minute)
	return "STATUS: COMPLETE"
}

// inReview is a row in Human Review whose pull request main contradicts.
func (w *world) inReview(s ...script) board.Ref {
	ref := w.ready("conflicts")
	w.on(ref, board.KindCleaner, s...)
	w.start().wait()
	w.wantRow(ref, board.RoleHumanReview, "")
	w.collide(ref)
	return ref
}

// TestConflictResolvedByHand: the cleaner's merge is reviewed, for the merge
// only, and the row is back in review.
func TestConflictResolvedByHand(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(resolving)
		p := w.start(forever)
		time.Sleep(30 * time.Second)
		i := w.issue(ref)
		if i.Role != board.RoleInProgress || i.Delegate != board.DelegateDeveloper || i.Claim == nil || i.Claim.Kind != board.KindCleaner || i.Claim.From != board.RoleHumanReview {
			t.Fatalf("during the clean-up the row is %s for %q, claim %+v", i.Role, i.Delegate, i.Claim)
		}
		if r := w.saved(); len(r) != 1 || r[0].PriorRole != board.RoleHumanReview || r[0].Base == "" || r[0].Head == "" || r[0].Branch != w.pull(ref).Head {
			t.Fatalf("the journal holds %+v", r)
		}
		start := i.Comments[len(i.Comments)-1]
		if m, ok := board.ParseMark(start.Body); !ok || m.Kind != board.KindCleaner || m.From != board.RoleHumanReview || m.Head == "" || m.Base == "" {
			t.Fatalf("the board holds %q", start.Body)
		}
		if s := p.e.Snapshot(); s.Slots.Cleaners != 1 {
			t.Fatalf("slots %+v", s.Slots)
		}
		time.Sleep(10 * time.Minute)
		p.leave()
		w.wantRow(ref, board.RoleHumanReview, "")
		if w.starts(ref, board.KindCleaner) != 1 || w.starts(ref, board.KindReviewer) != 2 {
			t.Fatalf("%d cleaners, %d reviewers", w.starts(ref, board.KindCleaner), w.starts(ref, board.KindReviewer))
		}
		last := w.prompts[len(w.prompts)-1]
		if last.Run.Kind != board.KindReviewer || !last.MergeScoped || w.prompts[1].MergeScoped {
			t.Fatalf("the last prompt is %+v", last)
		}
	})
}

// TestConflictGitResolves: what git merges alone needs no review and goes back
// where it came from.
func TestConflictGitResolves(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(mergingAlone)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if w.starts(ref, board.KindCleaner) != 1 || w.starts(ref, board.KindReviewer) != 1 {
			t.Fatalf("%d cleaners, %d reviewers", w.starts(ref, board.KindCleaner), w.starts(ref, board.KindReviewer))
		}
		notes := w.notes(ref)
		if !strings.Contains(notes[len(notes)-1], "back to Human Review") {
			t.Fatalf("the dispatcher said %q", notes)
		}
	})
}

// TestConflictChecksPending: a clean-up whose checks run is verified first; it
// keeps its claim, and its slot is free.
func TestConflictChecksPending(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksGreen, nil }
		ref := w.inReview(mergingAlone)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if w.pull(ref).Checks != board.ChecksGreen {
			t.Fatalf("checks %s", w.pull(ref).Checks)
		}
	})
}

// TestCleanUpThatFails: the row goes back with its reason and no second try at
// the same pair, however often the loop looks; main's move allows one.
func TestCleanUpThatFails(t *testing.T) {
	for name, s := range map[string]script{"says nothing": failing, "did nothing": idling, "gives up": func(a *agent) string { a.work(time.Minute); return "STATUS: INCOMPLETE" }} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.inReview(s, resolving)
				for range 3 {
					if end := w.start().wait(); !end.Idle {
						t.Fatalf("ended %+v", end)
					}
				}
				w.wantRow(ref, board.RoleHumanReview, "")
				notes := w.notes(ref)
				if n := w.starts(ref, board.KindCleaner); n != 1 || !strings.HasPrefix(notes[len(notes)-1], "needs human attention: conflict resolution failed - ") {
					t.Fatalf("%d cleaners, and the dispatcher said %q", n, notes)
				}
				w.land()
				w.start().wait()
				if n := w.starts(ref, board.KindCleaner); n != 2 || w.pull(ref).Mergeable != board.MergeClean {
					t.Fatalf("%d cleaners after main moved on", n)
				}
				w.wantRow(ref, board.RoleHumanReview, "")
			})
		})
	}
}

// TestOwnersWordAllowsAnotherCleaner: a comment of the owner's ends the hold.
func TestOwnersWordAllowsAnotherCleaner(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(failing, resolving)
		w.start().wait()
		_, err := w.owner().Comment(t.Context(), ref, board.ActorOwner, "once more, please")
		w.must(err)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.starts(ref, board.KindCleaner); n != 2 || w.pull(ref).Mergeable != board.MergeClean {
			t.Fatalf("%d cleaners, %s", n, w.pull(ref).Mergeable)
		}
	})
}

// TestCleanerAsks: an unresolvable conflict is parked as a question.
func TestCleanerAsks(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(asking)
		if end := w.start().wait(); !strings.Contains(end.Status, "question on DSP-1: a or b?") {
			t.Fatalf("ended %+v", end)
		}
		w.wantRow(ref, board.RoleQuestion, "")
		if n := w.starts(ref, board.KindCleaner); n != 1 {
			t.Fatalf("%d cleaners", n)
		}
	})
}

// TestMergedDuringCleanUp: nothing is written, and the row is done
// (failures.md, 40).
func TestMergedDuringCleanUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var ref board.Ref
		ref = w.inReview(func(a *agent) string {
			a.work(time.Minute)
			w.merge(ref)
			a.work(time.Minute)
			return "STATUS: COMPLETE"
		})
		w.start().wait()
		w.wantRow(ref, board.RoleDone, "")
	})
}

// TestOneCleanerAtATime: the slot is the cleaner's own, the most behind first.
func TestOneCleanerAtATime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.ready("a"), w.ready("b")
		w.on(a, board.KindCleaner, resolving)
		w.on(b, board.KindCleaner, resolving)
		w.start().wait()
		w.collide(b)
		w.collide(a)
		p := w.start(forever)
		time.Sleep(30 * time.Second)
		if w.starts(a, board.KindCleaner)+w.starts(b, board.KindCleaner) != 1 {
			t.Fatal("two cleaners at once")
		}
		time.Sleep(20 * time.Minute)
		p.leave()
		w.wantRow(a, board.RoleHumanReview, "")
		w.wantRow(b, board.RoleHumanReview, "")
	})
}

// TestOwnersPullRequestIsCleanedUp: whosever the branch is, it is the one that
// is worked on.
func TestOwnersPullRequestIsCleanedUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(resolving)
		w.onPull(ref, func(p *board.PullRequest) {
			p.ByAgent, p.Author = false, "ann"
			delete(w.history.clash, p.Head)
			p.Head = "ann/idea"
			w.history.clash[p.Head] = true
		})
		p := w.start(forever)
		time.Sleep(30 * time.Second)
		if r := w.saved(); len(r) != 1 || r[0].Branch != "ann/idea" {
			t.Fatalf("the journal holds %+v", r)
		}
		time.Sleep(10 * time.Minute)
		p.leave()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestCommitsOfSomebodyElse: a clean-up that brought in another's commits has
// failed.
func TestCommitsOfSomebodyElse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(func(a *agent) string {
			a.merge(true)
			w.onPull(a.Run.Ref, func(p *board.PullRequest) { w.history.foreign[p.HeadSHA] = "Ann <a@x>" })
			return "STATUS: COMPLETE"
		})
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.notes(ref); !strings.Contains(n[len(n)-1], "Ann <a@x>") {
			t.Fatalf("the dispatcher said %q", n)
		}
	})
}

// TestCleanUpEndsWithTheLoop: abort, the owner's stop and a machine that
// restarts put the row back where the clean-up found it.
func TestCleanUpEndsWithTheLoop(t *testing.T) {
	for name, end := range map[string]func(w *world, p *process, ref board.Ref){
		"abort": func(_ *world, p *process, _ board.Ref) { p.send(state.CommandAbort); p.wait() },
		"stopped and held": func(w *world, p *process, ref board.Ref) {
			p.ask(state.Command{Kind: state.CommandStop, Ref: ref, Text: "not now"})
			time.Sleep(time.Minute)
			p.leave()
		},
		"the machine restarts": func(w *world, p *process, _ board.Ref) {
			p.crash()
			w.killAll()
			p = w.start(forever, func(o *loop.Options) { o.Settings.Caps.Cleaners = 0 })
			time.Sleep(time.Minute)
			p.leave()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.inReview(endless)
				p := w.start(forever)
				time.Sleep(time.Minute)
				if w.live() != 1 {
					t.Fatalf("%d live", w.live())
				}
				end(w, p, ref)
				w.wantRow(ref, board.RoleHumanReview, "")
				if w.live() != 0 || len(w.saved()) != 0 || len(w.held()) != 0 {
					t.Fatalf("left: %d live, %v, %v", w.live(), w.saved(), w.held())
				}
			})
		})
	}
}

// TestLimitDuringCleanUp: a usage limit is waited for, not counted.
func TestLimitDuringCleanUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(func(a *agent) string {
			a.v.limit = time.Now().Add(time.Hour)
			a.fail("usage limit")
			return ""
		}, resolving)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.starts(ref, board.KindCleaner); n != 2 || w.pull(ref).Mergeable != board.MergeClean {
			t.Fatalf("%d cleaners, %s", n, w.pull(ref).Mergeable)
		}
		for _, n := range w.notes(ref) {
			if strings.Contains(n, "attention") {
				t.Errorf("the dispatcher said %q", n)
			}
		}
	})
}

// mergeBoard is a world with everything that a merge on main sets off: one to
// bring up to date, one that is resolved by hand, one by git, one not at all.
func mergeBoard(w *world) {
	w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksGreen, nil }
	w.ready("is brought up to date")
	hand, alone, never := w.ready("by hand"), w.ready("by git"), w.ready("not at all")
	w.on(hand, board.KindCleaner, resolving)
	w.on(alone, board.KindCleaner, mergingAlone)
	w.on(never, board.KindCleaner, failing)
	w.start().wait()
	for _, ref := range []board.Ref{hand, alone, never} {
		w.collide(ref)
	}
}

// TestMergeCrashAnywhere kills the loop before and after each effect of
// freshening and cleaning up: every row ends where an undisturbed loop puts it.
func TestMergeCrashAnywhere(t *testing.T) {
	t.Parallel()
	var want map[string]string
	var effects []string
	play := func(k int, after bool) map[string]string {
		var got map[string]string
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			mergeBoard(w)
			p := w.startDying(k, after)
			p.wait()
			if k > 0 {
				w.start().wait()
			}
			w.sound()
			got = w.outcome(false)
			if k == 0 {
				effects = p.effects
			}
			for _, ref := range []board.Ref{"DSP-1", "DSP-2", "DSP-3", "DSP-4"} {
				w.wantRow(ref, board.RoleHumanReview, "")
			}
			if t.Failed() {
				t.Logf("killed %s effect %d\n%s", whenOf(after), k, strings.Join(w.board.log, "\n"))
			}
		})
		return got
	}
	want = play(0, false)
	for at := 0; at < 2*len(effects) && !t.Failed(); at += oneIn() {
		k, after := 1+at/2, at%2 == 1
		if diff := cmp.Diff(want, play(k, after)); diff != "" {
			t.Errorf("killed %s effect %d (%s): (-undisturbed +killed)\n%s", whenOf(after), k, effects[k-1], diff)
		}
	}
	t.Logf("killed at one in %d of %d boundaries", oneIn(), 2*len(effects))
}

// TestCleanUpOfALostMachine: what another machine's clean-up left behind goes
// back where it was found, and is cleaned up then.
func TestCleanUpOfALostMachine(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.inReview(endless, resolving)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.crash()
		w.killAll()
		w.mu.Lock()
		w.runs = nil // its journal was on that machine
		for _, tree := range w.trees {
			tree.holder = ""
		}
		w.mu.Unlock()
		time.Sleep(100 * time.Minute)
		p = w.start(forever)
		time.Sleep(10 * time.Minute)
		p.leave()
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.starts(ref, board.KindDeveloper); n != 1 || w.starts(ref, board.KindCleaner) != 2 || w.pull(ref).Mergeable != board.MergeClean {
			t.Fatalf("%d developers, %d cleaners, %s", n, w.starts(ref, board.KindCleaner), w.pull(ref).Mergeable)
		}
	})
}
