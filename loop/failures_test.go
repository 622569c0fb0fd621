package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// The tests in this file are named after the rows of failures.md, and each is
// for the whole kind of failure.

// TestFailure04NothingDoneIsNoSuccess: an agent that ends well and has done
// nothing, or says that it is complete, has failed; it is never reviewed.
func TestFailure04NothingDoneIsNoSuccess(t *testing.T) {
	for name, final := range map[string]string{
		"not a word":                 "",
		"words":                      "I had a look around. All good!",
		"COMPLETE, no pull request":  "STATUS: COMPLETE",
		"an unknown status":          "STATUS: DONE",
		"a status inside of a fence": "```\nSTATUS: COMPLETE\n```",
		"a reviewer's words":         "VERDICT: PASS",
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("nothing")
				w.on(ref, board.KindDeveloper, func(a *agent) string { a.work(time.Second); return final })
				end := w.start().wait()
				w.wantRow(ref, board.RoleInProgress, "")
				n := w.notes(ref)
				if !end.Idle || w.starts(ref, board.KindDeveloper) != 2 || w.starts(ref, board.KindReviewer) != 0 ||
					!strings.HasPrefix(n[len(n)-1], "needs human attention: 2 failed dispatcher attempts") {
					t.Errorf("%d developers, %d reviewers, notes %q", w.starts(ref, board.KindDeveloper), w.starts(ref, board.KindReviewer), n)
				}
			})
		})
	}
}

// TestFailure16FinishedWithoutAPullRequest: five reports of COMPLETE without a
// pull request, or with one that is gone, cost the tries that are allowed and
// no more, over restarts too, until the owner says something.
func TestFailure16FinishedWithoutAPullRequest(t *testing.T) {
	for name, play := range map[string]script{
		"never opened": func(a *agent) string { a.work(time.Minute); return "STATUS: COMPLETE" },
		"closed again": func(a *agent) string {
			a.work(time.Minute)
			a.push()
			a.w.onPull(a.Run.Ref, func(p *board.PullRequest) { p.State = board.PullClosed })
			return "STATUS: COMPLETE"
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("without")
				w.on(ref, board.KindDeveloper, play)
				for range 5 {
					w.start().wait()
					time.Sleep(time.Hour)
				}
				if n := w.starts(ref, board.KindDeveloper); n != 2 {
					t.Errorf("%d tries", n)
				}
				_, err := w.owner().Comment(t.Context(), ref, board.ActorOwner, "once more")
				w.must(err)
				w.start().wait()
				if n := w.starts(ref, board.KindDeveloper); n != 4 {
					t.Errorf("%d tries after the owner's word", n)
				}
			})
		})
	}
}

// TestFailure06LateWritesOfAnOrphan: a worker that lives on after its run was
// given to another can change nothing any more.
func TestFailure06LateWritesOfAnOrphan(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("orphan")
		var orphan *agent
		w.on(ref, board.KindDeveloper, func(a *agent) string { orphan = a; return endless(a) }, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.crash()
		w.killAll() // its supervisor is dead; what it had started lives on
		p = w.start(forever)
		time.Sleep(time.Minute)
		if w.starts(ref, board.KindDeveloper) != 2 {
			t.Fatal("nobody took it over")
		}
		before := w.issue(ref)
		_, comment := orphan.board.Comment(t.Context(), ref, board.ActorDeveloper, "done!")
		for what, err := range map[string]error{
			"a comment": comment,
			"a move":    orphan.board.SetState(t.Context(), ref, board.RoleQuestion),
			"a tick":    orphan.board.Tick(t.Context(), ref, board.Box{N: 1, Set: true}),
			"a release": orphan.board.Release(t.Context(), ref, ""),
		} {
			if err == nil {
				t.Errorf("%s came through", what)
			}
		}
		after := w.issue(ref)
		if len(after.Comments) != len(before.Comments) || after.Role != before.Role || after.Claim == nil || after.Claim.Run != before.Claim.Run {
			t.Errorf("the row became %+v", after)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestFailure07PromptThatNobodySees: what the supervisor says of an agent that
// never began is the row's reason, and the row does not wait for ever. (That
// the supervisor notices is TestPromptThatNobodySees of the workers.)
func TestFailure07PromptThatNobodySees(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("asks for trust")
		why := "no turn began within 2m0s; it waits on a prompt that nobody sees: Do you trust this folder?"
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.work(2 * time.Minute); a.fail(why); return "" })
		end := w.start().wait()
		if n := w.notes(ref); !strings.Contains(n[1], "needs human attention: 2 failed dispatcher attempts - "+why) || !strings.Contains(end.Status, "Do you trust this folder?") {
			t.Errorf("notes %q, status %q", n, end.Status)
		}
	})
}

// TestFailure12ChangedBetweenPollAndStart: what became of a row between the
// poll and its start counts, and a look that fails strands no claim.
func TestFailure12ChangedBetweenPollAndStart(t *testing.T) {
	cases := map[string]struct {
		do    func(w *world, ref, other board.Ref)
		holds string // the row's reason afterwards, empty where it is gone
	}{
		"blocked": {func(w *world, ref, other board.Ref) {
			w.board.Edit(ref, func(i *board.Issue) { i.Blockers = []board.Blocker{{Ref: other, Open: true}} })
		}, "blocked"},
		"moved": {func(w *world, ref, _ board.Ref) {
			w.board.Edit(ref, func(i *board.Issue) { w.board.Put(i, board.RoleBacklog, board.ActorOwner) })
		}, "backlog"},
		"taken by a person": {func(w *world, ref, _ board.Ref) { w.board.Edit(ref, func(i *board.Issue) { i.Assignee = "ann" }) }, "human"},
		"claimed": {func(w *world, ref, _ board.Ref) {
			w.board.Edit(ref, func(i *board.Issue) {
				i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Stamp: time.Now(), LeaseUntil: time.Now().Add(time.Hour)}
			})
		}, "claim"},
		"deleted":    {func(w *world, ref, _ board.Ref) { w.board.Remove(ref) }, ""},
		"unreadable": {func(w *world, ref, _ board.Ref) { w.board.Edit(ref, func(i *board.Issue) { i.Unreadable = "cut" }) }, "unreadable"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				other := w.ready("other", in(board.RoleBacklog))
				ref := w.ready("changes", in(board.RoleBacklog))
				p := w.start(forever)
				time.Sleep(30 * time.Second)
				let := p.hold("issue")
				w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
				time.Sleep(time.Minute) // polled, and about to look again
				c.do(w, ref, other)
				let()
				time.Sleep(10 * time.Second)
				if w.starts(ref, board.KindDeveloper) != 0 || len(w.saved()) != 0 {
					t.Fatalf("%d workers, journal %v", w.starts(ref, board.KindDeveloper), w.saved())
				}
				time.Sleep(3 * time.Minute)
				if r := p.row(ref); r.Hold != c.holds || w.starts(ref, board.KindDeveloper) != 0 {
					t.Errorf("the row waits: %q %q", r.Hold, r.Waits)
				}
				p.leave()
			})
		})
	}
	for name, err := range map[string]error{"timeout": errTimeout, "404 for a while": board.ErrNotFound} {
		t.Run("the look fails: "+name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("waits", in(board.RoleBacklog))
				p := w.start(forever)
				time.Sleep(30 * time.Second)
				p.fail("issue", err)
				w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
				time.Sleep(10 * time.Minute)
				if len(w.saved()) != 0 || w.issue(ref).Claim != nil {
					t.Fatalf("journal %v, claim %v", w.saved(), w.issue(ref).Claim)
				}
				p.fail("issue", nil)
				time.Sleep(10 * time.Minute)
				w.wantRow(ref, board.RoleHumanReview, "")
				p.leave()
			})
		})
	}
}

// TestFailure19ClocksThatDiffer: however this machine's clock stands to that
// of a live claim's holder, the row is left alone; when the holder dies it is
// taken, in bounded time. Stamps are UTC, so that no zone and no change to
// summer time moves them.
func TestFailure19ClocksThatDiffer(t *testing.T) {
	for _, skew := range []time.Duration{0, 10 * time.Second, 4 * time.Minute, 14 * time.Minute, 15 * time.Minute, 29 * time.Minute, -10 * time.Second, -15 * time.Minute, -29 * time.Minute} {
		t.Run(skew.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ours := func() time.Time { return time.Now().Add(skew).In(time.FixedZone("summer", 2*3600)) }
				w.board.Now = ours
				ref := w.ready("theirs")
				done := make(chan struct{})
				holder := time.NewTicker(5 * time.Minute)
				renew := func() {
					w.board.Edit(ref, func(i *board.Issue) {
						i.Role, i.Delegate = board.RoleInProgress, board.DelegateDeveloper
						i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Run: "theirs", Host: "there", PID: 7, Stamp: time.Now().UTC(), LeaseUntil: time.Now().UTC().Add(15 * time.Minute)}
					})
				}
				renew()
				go func() {
					for {
						select {
						case <-done:
							return
						case <-holder.C:
							renew()
						}
					}
				}()
				p := w.start(forever, func(o *loop.Options) { o.Now = ours })
				time.Sleep(3 * time.Hour)
				if c := w.issue(ref).Claim; c == nil || c.Session != "theirs" || w.starts(ref, board.KindDeveloper) != 0 {
					t.Fatalf("a live claim was stolen: %+v", c)
				}
				if told := p.told("in the future"); (told > 0) != (skew < -2*time.Minute) {
					t.Errorf("told of a stamp in the future %d times", told)
				}
				holder.Stop()
				close(done)
				time.Sleep(2*time.Hour + 10*time.Minute)
				if w.starts(ref, board.KindDeveloper) == 0 {
					t.Errorf("a dead claim is never taken: %q", p.row(ref).Waits)
				}
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}

// TestFailure19StampInTheFuture: a claim that a clock days ahead has stamped
// is told of once, left alone for a stale window, and then let go.
func TestFailure19StampInTheFuture(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("from the future")
		w.board.Edit(ref, func(i *board.Issue) {
			i.Role, i.Delegate = board.RoleInProgress, board.DelegateDeveloper
			i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Host: "there", Stamp: time.Now().Add(72 * time.Hour), LeaseUntil: time.Now().Add(72*time.Hour + 15*time.Minute)}
		})
		p := w.start(forever)
		time.Sleep(89 * time.Minute)
		if c := w.issue(ref).Claim; c == nil || p.told("4320 minutes in the future") != 1 {
			t.Fatalf("claim %+v, told %+v", c, p.e.Snapshot().Notices)
		}
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if p.told("was let go") != 1 {
			t.Errorf("told %+v", p.e.Snapshot().Notices)
		}
		p.leave()
	})
}

// TestClaimOfAnotherAccount: what only another account can take back is told of
// once, however many firings find it, and is not asked for; nor is a stamp in
// the future. A row that is closed meanwhile stays closed.
func TestClaimOfAnotherAccount(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"stale": -100 * time.Minute, "in the future": 1000 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("theirs")
				w.board.Edit(ref, func(i *board.Issue) {
					i.Role, i.State, i.Delegate = board.RoleHumanReview, board.RoleHumanReview.DefaultName(), board.DelegateDeveloper
					i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Stamp: time.Now().Add(ahead), Written: time.Now().Add(min(ahead, 0)), Account: "dana"}
				})
				p := w.start(forever)
				time.Sleep(5 * time.Hour)
				if n := p.told("under the account dana"); n != 1 || p.told("was let go") != 0 {
					t.Errorf("told %d times: %+v", n, p.e.Snapshot().Notices)
				}
				if c := w.issue(ref).Claim; c == nil || strings.Contains(strings.Join(w.board.log, "\n"), string(ref)+": released") {
					t.Errorf("claim %+v, log %q", c, w.board.log)
				}
				p.leave()
			})
		})
	}
}

// TestFailure23PollThatFails: whatever a board answers instead of rows, it is
// shown as that and never as no work; nothing starts, what runs goes on, and
// the loop does not end as idle.
func TestFailure23PollThatFails(t *testing.T) {
	for name, err := range map[string]error{
		"401":          errors.New("401 Unauthorized: check LINEAR_API_KEY"),
		"500":          errors.New("500 Internal Server Error"),
		"an HTML body": errors.New("invalid character '<' looking for beginning of value"),
		"a timeout":    fmt.Errorf("poll: %w", context.DeadlineExceeded),
		"not found":    board.ErrNotFound,
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				runs := w.ready("runs")
				w.on(runs, board.KindDeveloper, func(a *agent) string { a.work(20 * time.Minute); return completing(a) })
				p := w.start(slots(1))
				time.Sleep(time.Minute)
				later := w.ready("comes later")
				p.fail("poll", err)
				time.Sleep(10 * time.Minute)
				s := p.e.Snapshot()
				if !strings.Contains(s.PollError, err.Error()) || !strings.Contains(s.Status, err.Error()) || strings.Contains(s.Status, "out of work") {
					t.Errorf("error %q, status %q", s.PollError, s.Status)
				}
				time.Sleep(3 * time.Hour)
				select {
				case <-p.over:
					t.Fatalf("it ended as idle: %+v", p.end)
				default:
				}
				if w.starts(later, board.KindDeveloper) != 0 || w.starts(runs, board.KindDeveloper) != 1 {
					t.Errorf("it started work blind: %v", w.board.log)
				}
				p.fail("poll", nil)
				if end := p.wait(); !end.Idle {
					t.Errorf("ended %+v", end)
				}
				w.wantRow(runs, board.RoleHumanReview, "")
				w.wantRow(later, board.RoleHumanReview, "")
			})
		})
	}
}

// TestFailure40MergedBetweenCheckAndWrite: a merge at the very moment of a
// settlement's writes leaves the row Done, and no verdict on it.
func TestFailure40MergedBetweenCheckAndWrite(t *testing.T) {
	for _, call := range []string{"state", "comment", "release", "assign"} {
		for _, kind := range []board.Kind{board.KindDeveloper, board.KindReviewer} {
			t.Run(fmt.Sprintf("%s, %s", kind, call), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					ref := w.ready("merged")
					p := w.start(forever)
					if kind == board.KindReviewer {
						time.Sleep(61 * time.Second)
					} else {
						time.Sleep(59 * time.Second)
					}
					let := p.hold(call)
					time.Sleep(5 * time.Minute)
					if w.pull(ref) != nil {
						w.merge(ref)
					}
					let()
					time.Sleep(10 * time.Minute)
					w.wantRow(ref, board.RoleDone, "")
					if w.starts(ref, board.KindDeveloper) != 1 || len(w.saved()) != 0 {
						t.Errorf("%d developers, journal %v", w.starts(ref, board.KindDeveloper), w.saved())
					}
					p.leave()
				})
			})
		}
	}
}
