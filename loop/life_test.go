package loop_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// inWorld runs a test in a bubble of its own, and asks at the end that no
// invariant was broken.
func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		f(t, w)
		w.sound()
	})
}

// TestWholeLife plays one issue from Ready to Done: developer, reviewer, the
// owner's merge.
func TestWholeLife(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("first", func(n *board.NewIssue) { n.Body = "- [ ] a\n- [ ] b\n" })
		end := w.start().wait()
		if !end.Idle || !strings.HasPrefix(end.Status, "blocked on you: 1 pull request open") {
			t.Fatalf("ended %+v", end)
		}
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.notes(ref); len(n) != 2 || !strings.Contains(n[0], "How to verify: run it") || !strings.Contains(n[1], "VERDICT: PASS") {
			t.Fatalf("the dispatcher said %q", n)
		}
		if pr := w.pull(ref); pr == nil || len(w.issue(ref).PRs) != 1 {
			t.Fatalf("pull request %+v, linked %v", pr, w.issue(ref).PRs)
		}
		w.merge(ref)
		end = w.start().wait()
		if !end.Idle || end.Status != "out of work" {
			t.Fatalf("ended %+v", end)
		}
		w.wantRow(ref, board.RoleDone, "")
		if len(w.saved()) != 0 || len(w.held()) != 0 || len(w.costs) != 2 {
			t.Fatalf("left behind: runs %v, locked worktrees %v, costs %v", w.saved(), w.held(), w.costs)
		}
	})
}

// TestRework: what the reviewer sends back is worked again on the same branch
// and pull request.
func TestRework(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("rework")
		w.on(ref, board.KindReviewer, objecting, passing)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if w.starts(ref, board.KindDeveloper) != 2 || w.starts(ref, board.KindReviewer) != 2 || len(w.listPulls()) != 1 {
			t.Fatalf("developers %d, reviewers %d, pull requests %d", w.starts(ref, board.KindDeveloper), w.starts(ref, board.KindReviewer), len(w.listPulls()))
		}
		if n := w.notes(ref); len(n) != 4 || !strings.Contains(n[1], "CHANGES_REQUESTED") {
			t.Fatalf("the dispatcher said %q", n)
		}
	})
}

// TestOwnersRequest: a request of the owner's overrides a PASS and is carried
// by the next prompt, and then it is done with.
func TestOwnersRequest(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("request")
		w.on(ref, board.KindReviewer, func(a *agent) string {
			w.onPull(ref, func(p *board.PullRequest) {
				p.Reviews = append(p.Reviews, board.Review{ID: "v1", Author: "ann", State: board.ReviewChangesRequested, Body: "rename it"})
			})
			return passing(a)
		}, passing)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		var carried []string
		for _, p := range w.prompts {
			for _, r := range p.Requests {
				carried = append(carried, string(p.Run.Kind)+" "+r.Body)
			}
		}
		if len(carried) == 0 || carried[0] != "developer rename it" || w.starts(ref, board.KindDeveloper) != 2 {
			t.Fatalf("prompts carried %q", carried)
		}
		if n := w.notes(ref); len(n) != 4 || !strings.Contains(n[1], "> rename it") {
			t.Fatalf("the dispatcher said %q", n)
		}
	})
}

// TestQuestionAnswered: a parked row goes on after its owner's answer.
func TestQuestionAnswered(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("question")
		w.on(ref, board.KindDeveloper, asking, completing)
		p := w.start(forever)
		time.Sleep(2 * time.Minute)
		w.wantRow(ref, board.RoleQuestion, "")
		s := p.e.Snapshot()
		if len(s.Needs) != 1 || s.Needs[0].Text != "a or b?" || !strings.Contains(s.Status, "question on DSP-1: a or b?") {
			t.Fatalf("needs %+v, status %q", s.Needs, s.Status)
		}
		p.ask(answer(ref, "take a"))
		time.Sleep(5 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		p.leave()
	})
}

// TestMoveWithoutAnswer: such a row is not dispatched until the answer comes.
func TestMoveWithoutAnswer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("question")
		w.on(ref, board.KindDeveloper, asking, completing)
		w.start().wait()
		w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
		w.start().wait()
		w.wantRow(ref, board.RoleReady, "")
		_, err := w.owner().Comment(t.Context(), ref, board.ActorOwner, "take b")
		w.must(err)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestRetryThenAttention: a worker that fails is tried once more after a
// pause, then its row rests until its owner says something.
func TestRetryThenAttention(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("fails")
		other := w.ready("works")
		w.on(ref, board.KindDeveloper, failing, failing, completing)
		began := time.Now()
		end := w.start().wait()
		if n := w.starts(ref, board.KindDeveloper); n != 2 {
			t.Fatalf("tried %d times", n)
		}
		w.wantRow(ref, board.RoleInProgress, "")
		w.wantRow(other, board.RoleHumanReview, "")
		if n := w.notes(ref); len(n) != 2 || n[1] != "needs human attention: 2 failed dispatcher attempts - exit status 1" {
			t.Fatalf("the dispatcher said %q", n)
		}
		if !strings.Contains(end.Status, "DSP-1 needs") || !strings.Contains(end.Status, "exit status 1") {
			t.Errorf("the status reads %q", end.Status)
		}
		var second time.Time
		for _, v := range w.workers {
			if v.spec.Run.Ref == ref && v.spec.Run.Attempt == 2 {
				second = v.started
				if v.spec.Run.Failure != "exit status 1" {
					t.Errorf("the second try is told %q", v.spec.Run.Failure)
				}
			}
		}
		if wait := second.Sub(began); wait < 20*time.Second {
			t.Errorf("the second try began %s after the start, before its pause was over", wait)
		}
		_, err := w.owner().Comment(t.Context(), ref, board.ActorOwner, "try again")
		w.must(err)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestOwnerMovesAGivenUpRow: the owner's move ends the hold for good, also
// when the next worker dies with the machine.
func TestOwnerMovesAGivenUpRow(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("fails")
		w.on(ref, board.KindDeveloper, failing, failing, endless, completing)
		w.start().wait()
		time.Sleep(time.Minute)
		w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
		p := w.start()
		time.Sleep(time.Minute)
		if w.starts(ref, board.KindDeveloper) != 3 {
			t.Fatal("the owner's move did not start it again")
		}
		p.crash()
		w.killAll()
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestThePowerGoes: workers that die with their loop go on in their sessions, as
// the same try; what takes the machine down again and again begins anew.
func TestThePowerGoes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("interrupted")
		w.on(ref, board.KindDeveloper, endless, endless, endless, completing)
		for range 3 {
			p := w.start()
			time.Sleep(time.Minute)
			p.crash()
			w.killAll()
		}
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		var runs []state.Run
		for _, r := range w.tries(ref) {
			if r.Kind == board.KindDeveloper {
				runs = append(runs, r)
			}
		}
		if len(runs) != 4 {
			t.Fatalf("runs %+v", runs)
		}
		for n, r := range runs {
			resumes := n == 1 || n == 2
			if r.Attempt != 1 || r.Resume != resumes || (r.Session == runs[0].Session) != (n < 3) {
				t.Errorf("run %d: %+v", n, r)
			}
		}
		for _, note := range w.notes(ref) {
			if strings.Contains(note, "did not finish") {
				t.Errorf("a try was used up: %q", note)
			}
		}
	})
}

// TestStopOutlivesThePower: what the owner stopped is held, also if everything
// dies before the stop is settled.
func TestStopOutlivesThePower(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("stopped")
		w.on(ref, board.KindDeveloper, endless, completing)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandStop, Ref: ref, Text: "not now"})
		p.crash()
		w.killAll()
		w.start().wait()
		if n := w.starts(ref, board.KindDeveloper); n != 1 {
			t.Errorf("%d starts", n)
		}
		if _, held := board.Held(new(w.issue(ref))); !held {
			t.Errorf("it is not held: %q", w.notes(ref))
		}
	})
}

// TestReviewGivenUp: a review that fails twice stays with the reviewer, and
// goes on when the head moves.
func TestReviewGivenUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("review fails")
		w.on(ref, board.KindReviewer, failing, failing, passing)
		w.start().wait()
		w.wantRow(ref, board.RoleInProgress, board.DelegateReviewer)
		w.start().wait()
		if n := w.starts(ref, board.KindReviewer); n != 2 {
			t.Fatalf("%d reviews", n)
		}
		w.onPull(ref, func(p *board.PullRequest) { p.HeadSHA = "moved" })
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestBlocked: a row waits for the merge of what blocks it.
func TestBlocked(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first := w.ready("first")
		second := w.ready("second", func(n *board.NewIssue) { n.Blockers = []board.Ref{first} })
		end := w.start().wait()
		if w.starts(second, board.KindDeveloper) != 0 || !strings.Contains(end.Status, "1 pull request open") {
			t.Fatalf("ended %+v", end)
		}
		w.merge(first)
		w.start().wait()
		w.wantRow(first, board.RoleDone, "")
		w.wantRow(second, board.RoleHumanReview, "")
	})
}
