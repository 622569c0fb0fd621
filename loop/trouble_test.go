package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestVerifying: while checks are pending the claim is kept and stamped, the
// slot is free, and it survives a restart; green goes on, red is a failed try.
func TestVerifying(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first, second := w.ready("first"), w.ready("second")
		w.on(second, board.KindDeveloper, endless, completing)
		w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksPending, nil }
		p := w.start(forever, slots(1))
		time.Sleep(10 * time.Minute)
		i := w.issue(first)
		if i.Claim == nil || time.Since(i.Claim.Stamp) > 6*time.Minute || w.live() != 1 || w.starts(second, board.KindDeveloper) != 1 {
			t.Fatalf("claim %+v, %d live", i.Claim, w.live())
		}
		if s := p.e.Snapshot(); s.Rows[0].Hold != "verifying" || !strings.Contains(s.Status, "DSP-1 verifying") {
			t.Fatalf("row %+v, status %q", s.Rows[0], s.Status)
		}
		p.crash()
		p = w.start(forever, slots(1))
		time.Sleep(5 * time.Minute)
		if w.starts(first, board.KindDeveloper) != 1 || w.checksAsked() > 3 {
			t.Fatalf("%d workers, checks asked %d times", w.starts(first, board.KindDeveloper), w.checksAsked())
		}
		w.onPull(first, func(p *board.PullRequest) { p.Checks = board.ChecksGreen })
		time.Sleep(5 * time.Minute)
		w.wantRow(first, board.RoleHumanReview, "")
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestRedChecks: red checks are a failed try, and the next one is told.
func TestRedChecks(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("red once")
		w.checks = func(p *board.PullRequest) (board.CheckState, error) {
			p.CheckRuns = []board.Check{{Name: "unit", State: board.ChecksRed}}
			if w.heads > 1 {
				return board.ChecksGreen, nil
			}
			return board.ChecksRed, nil
		}
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.notes(ref); !strings.Contains(n[0], "checks failed: unit") || w.starts(ref, board.KindDeveloper) != 2 {
			t.Fatalf("the dispatcher said %q", n)
		}
	})
}

// TestChecksNeverEnd: after the window it is a failed try, and the window of
// the next try is its own.
func TestChecksNeverEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("pending")
		w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksPending, nil }
		began := time.Now()
		p := w.start(forever)
		time.Sleep(150 * time.Minute)
		p.leave()
		n := w.notes(ref)
		if len(n) != 2 || !strings.Contains(n[0], "still pending after 1h") || !strings.Contains(n[1], "needs human attention") {
			t.Fatalf("the dispatcher said %q", n)
		}
		last := w.issue(ref).Comments
		if took := last[len(last)-1].At.Sub(began); took < 2*time.Hour {
			t.Fatalf("two tries of an hour each took %s", took)
		}
	})
}

// TestChecksUnknown: what nobody may read is no green; the owner is told why
// once, and it goes on when they can be read.
func TestChecksUnknown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("unseen")
		const why = "App acme lacks the permission Checks (read)"
		w.checks = func(p *board.PullRequest) (board.CheckState, error) {
			p.ChecksWhy = why
			return board.ChecksUnknown, nil
		}
		p := w.start(forever)
		time.Sleep(30 * time.Minute)
		if s := p.e.Snapshot(); s.Rows[0].Hold != "verifying" {
			t.Errorf("row %+v", s.Rows[0])
		}
		w.onPull(ref, func(p *board.PullRequest) { p.Checks, p.ChecksWhy = board.ChecksGreen, "" })
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		told := 0
		for _, n := range p.e.Snapshot().Notices {
			if n.Text == "checks unknown: "+why {
				told++
			}
		}
		if told != 1 {
			t.Errorf("told %d times: %+v", told, p.e.Snapshot().Notices)
		}
		p.leave()
	})
}

// TestQuiet: nothing makes the loop fire without rest: not checks that cannot
// run, not a retry without a slot, not a closed wake channel, not a board that
// does not answer.
func TestQuiet(t *testing.T) {
	cases := map[string]func(w *world) []func(*loop.Options){
		"checks that cannot run": func(w *world) []func(*loop.Options) {
			w.ready("one")
			w.checks = func(*board.PullRequest) (board.CheckState, error) { return "", errors.New("no worktree") }
			return nil
		},
		"checks of somebody else": func(w *world) []func(*loop.Options) {
			w.ready("one")
			w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksPending, nil }
			return nil
		},
		"a retry without a slot": func(w *world) []func(*loop.Options) {
			w.on(w.ready("fails"), board.KindDeveloper, failing)
			w.on(w.ready("long"), board.KindDeveloper, endless)
			return []func(*loop.Options){slots(1)}
		},
		"a retry that cannot start": func(w *world) []func(*loop.Options) {
			ref := w.ready("fails")
			w.on(ref, board.KindDeveloper, func(a *agent) string {
				w.board.Edit(ref, func(i *board.Issue) { i.Unreadable = "cut" })
				return failing(a)
			})
			return nil
		},
		"a closed wake channel": func(w *world) []func(*loop.Options) {
			w.ready("rests", in(board.RoleBacklog))
			closed := make(chan struct{})
			close(closed)
			return []func(*loop.Options){func(o *loop.Options) { o.Wakes = closed }}
		},
	}
	for name, set := range cases {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				p := w.start(append(set(w), forever)...)
				time.Sleep(30 * time.Minute)
				n := p.e.Snapshot().Firing
				time.Sleep(30 * time.Minute)
				if n = p.e.Snapshot().Firing - n; n < 29 || n > 35 {
					t.Errorf("%d firings in 30 minutes, with a poll a minute", n)
				}
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}

// TestSuperseded: a row that another session took over is left to it. Its
// worker is stopped, the owner is told once, and our late writes change
// nothing.
func TestSuperseded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("taken over")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		_, err := w.as(board.Actor{Kind: board.ActorDispatcher}).Claim(t.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: "theirs", Run: "theirs", Steal: true})
		w.must(err)
		before := w.issue(ref)
		time.Sleep(10 * time.Minute)
		s := p.e.Snapshot()
		var told []state.Notice
		for _, n := range s.Notices {
			if strings.Contains(n.Text, "taken over") {
				told = append(told, n)
			}
		}
		if len(told) != 1 || told[0].Ref != ref || w.live() != 0 || len(w.saved()) != 0 {
			t.Fatalf("told %+v, %d live, journal %v", s.Notices, w.live(), w.saved())
		}
		after := w.issue(ref)
		if after.Claim == nil || after.Claim.Session != "theirs" || after.Role != before.Role || len(after.Comments) != len(before.Comments) {
			t.Fatalf("our late writes came through: %+v", after)
		}
		p.leave()
	})
}

// TestSupersededIsToldOnce, however long its worker takes to stop.
func TestSupersededIsToldOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("taken over")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		let := p.hold("stop")
		_, err := w.as(board.Actor{Kind: board.ActorDispatcher}).Claim(t.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: "theirs", Run: "theirs", Steal: true})
		w.must(err)
		time.Sleep(10 * time.Minute)
		told := 0
		for _, e := range p.e.Snapshot().Log {
			if strings.Contains(e.Text, "was taken over, its worker is stopped") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("told %d times", told)
		}
		let()
		time.Sleep(time.Minute)
		if n := p.e.Snapshot().Notices; len(n) != 1 || w.live() != 0 {
			t.Errorf("notices %+v, %d live", n, w.live())
		}
		p.leave()
	})
}

// TestSupersededWhileWaiting: the same for an armed retry, long before it is
// due.
func TestSupersededWhileWaiting(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("taken over")
		w.on(ref, board.KindDeveloper, failing)
		p := w.start(forever, func(o *loop.Options) { o.Settings.Retry.First, o.Settings.Retry.Max = 10*time.Hour, 10*time.Hour })
		time.Sleep(time.Minute)
		_, err := w.as(board.Actor{Kind: board.ActorDispatcher}).Claim(t.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: "theirs", Run: "theirs", Steal: true})
		w.must(err)
		time.Sleep(10 * time.Minute)
		if n := p.e.Snapshot().Notices; len(n) != 1 || len(w.saved()) != 0 {
			t.Fatalf("notices %+v, journal %v", n, w.saved())
		}
		p.leave()
	})
}

// TestParkedWorkerGoesOn: a worker that has parked its row and released it is
// not superseded, however long it still has to tell.
func TestParkedWorkerGoesOn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("parks early")
		w.on(ref, board.KindDeveloper, func(a *agent) string {
			a.ask("a or b?")
			a.work(time.Hour)
			a.push()
			return "STATUS: INCOMPLETE"
		})
		p := w.start(forever)
		time.Sleep(2 * time.Hour)
		if n := p.e.Snapshot().Notices; len(n) != 0 || len(w.listPulls()) != 1 {
			t.Fatalf("notices %+v, pull requests %d", n, len(w.listPulls()))
		}
		w.wantRow(ref, board.RoleQuestion, "")
		p.leave()
	})
}

// TestBadWorktree: a row whose worktree cannot be made comes to rest with its
// reason, and the others start in the same firing, with one slot too.
func TestBadWorktree(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		bad, good := w.ready("bad"), w.ready("good")
		w.treeFails[bad] = errors.New("branch is checked out elsewhere")
		p := w.start(slots(1))
		time.Sleep(time.Second)
		if w.starts(good, board.KindDeveloper) != 1 {
			t.Fatal("the first row starved the second")
		}
		p.wait()
		w.wantRow(good, board.RoleHumanReview, "")
		w.wantRow(bad, board.RoleInProgress, "")
		if n := w.notes(bad); len(n) != 2 || !strings.Contains(n[1], "needs human attention: 2 failed dispatcher attempts - make the worktree: branch is checked out elsewhere") {
			t.Fatalf("the dispatcher said %q", n)
		}
	})
}

// TestBadWorktreeIsTold: the firing in which a row comes to rest is the last one
// of a loop that ends when idle, and says for what the row waits.
func TestBadWorktreeIsTold(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.treeFails[w.ready("bad")] = errors.New("branch is checked out elsewhere")
		if end := w.start().wait(); !strings.HasPrefix(end.Status, "blocked on you") || !strings.Contains(end.Status, "DSP-1 needs human attention: 2 failed dispatcher attempts") {
			t.Fatalf("status %q", end.Status)
		}
	})
}

// TestClaimThatFails: a row that cannot be claimed starves nobody either.
func TestClaimThatFails(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		bad, good := w.ready("bad"), w.ready("good")
		// Whoever holds it lives on behind an expired lease: only the claim
		// itself shows it.
		w.board.Refuse = map[board.Ref]error{bad: board.ErrClaimConflict}
		p := w.start(forever, slots(1))
		time.Sleep(10 * time.Minute)
		w.wantRow(good, board.RoleHumanReview, "")
		if len(w.saved()) != 0 || w.starts(bad, board.KindDeveloper) != 0 {
			t.Fatalf("journal %v", w.saved())
		}
		p.leave()
	})
}

// TestPollError: a board that does not answer is shown as that, never as out
// of work, and the loop goes on when it answers again.
func TestPollError(t *testing.T) {
	for _, call := range []string{"poll", "pulls"} {
		t.Run(call, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.ready("rests", in(board.RoleBacklog))
				p := w.start(forever)
				time.Sleep(150 * time.Second) // between two polls
				rows, polled := p.e.Snapshot().Rows, p.e.Snapshot().PolledAt
				p.fail(call, errors.New("401 unauthorized"))
				time.Sleep(10 * time.Minute)
				s := p.e.Snapshot()
				if !strings.Contains(s.PollError, "401") || strings.Contains(s.Status, "out of work") || !strings.Contains(s.Status, "401") {
					t.Fatalf("error %q, status %q", s.PollError, s.Status)
				}
				if len(s.Rows) != len(rows) || !s.PolledAt.Equal(polled) {
					t.Fatalf("the last good rows are gone: %d rows of %s", len(s.Rows), s.PolledAt)
				}
				if f := s.Firings[len(s.Firings)-1]; !f.Bad || !strings.Contains(f.Status, "401") {
					t.Fatalf("the firing reads %+v", f)
				}
				p.fail(call, nil)
				ref := w.ready("new")
				time.Sleep(10 * time.Minute)
				w.wantRow(ref, board.RoleHumanReview, "")
				if s := p.e.Snapshot(); s.PollError != "" || !strings.HasPrefix(s.Status, "blocked on you") {
					t.Fatalf("error %q, status %q", s.PollError, s.Status)
				}
				p.leave()
			})
		})
	}
}

// TestUntilIdleNeedsAnAnswer: a loop that cannot read its board is not idle.
func TestUntilIdleNeedsAnAnswer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.ready("rests", in(board.RoleBacklog))
		p := w.start()
		p.fail("poll", errors.New("timeout"))
		time.Sleep(time.Hour)
		select {
		case <-p.over:
			t.Fatalf("ended %+v", p.end)
		default:
		}
		p.fail("poll", nil)
		if end := p.wait(); !end.Idle {
			t.Fatalf("ended %+v", end)
		}
	})
}

// TestOwnersMoves: wherever the owner puts a row while it is worked, there it
// stays.
func TestOwnersMoves(t *testing.T) {
	for _, k := range []board.Kind{board.KindDeveloper, board.KindReviewer} {
		for _, to := range []board.Role{board.RoleBacklog, board.RoleHumanReview, board.RoleQuestion} {
			t.Run(fmt.Sprintf("%s, %s", k, to), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					ref := w.ready("moved")
					w.on(ref, k, func(a *agent) string {
						if k == board.KindDeveloper {
							completing(a)
						}
						w.must(w.owner().SetState(context.Background(), ref, to))
						return map[board.Kind]string{board.KindDeveloper: "STATUS: COMPLETE", board.KindReviewer: "VERDICT: CHANGES_REQUESTED"}[k]
					})
					w.start().wait()
					w.wantRow(ref, to, "")
					if i := w.issue(ref); i.StateBy != board.ActorOwner {
						t.Errorf("moved by %s", i.StateBy)
					}
				})
			})
		}
	}
}

// TestMovedWhileARetryWaits: the owner starts a row over at once, he need not
// wait for the pause to end.
func TestMovedWhileARetryWaits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("moved")
		w.on(ref, board.KindDeveloper, failing, completing)
		p := w.start(forever, func(o *loop.Options) { o.Settings.Retry.First, o.Settings.Retry.Max = 10*time.Hour, 10*time.Hour })
		time.Sleep(time.Minute)
		w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		p.leave()
	})
}

// TestMergedMeanwhile: merged at any moment, nothing is written for it but
// Done.
func TestMergedMeanwhile(t *testing.T) {
	merging := func(w *world, ref board.Ref, final string) script {
		return func(a *agent) string {
			a.push()
			w.merge(ref)
			return final
		}
	}
	cases := map[string]func(w *world, ref board.Ref){
		"while a developer works": func(w *world, ref board.Ref) { w.on(ref, board.KindDeveloper, merging(w, ref, "STATUS: COMPLETE")) },
		"while a developer fails": func(w *world, ref board.Ref) { w.on(ref, board.KindDeveloper, merging(w, ref, "")) },
		"while a reviewer works": func(w *world, ref board.Ref) {
			w.on(ref, board.KindReviewer, func(a *agent) string { w.merge(ref); return "VERDICT: PASS" })
		},
		"while a reviewer objects": func(w *world, ref board.Ref) {
			w.on(ref, board.KindReviewer, func(a *agent) string { w.merge(ref); return "VERDICT: CHANGES_REQUESTED" })
		},
		"while a retry waits": func(w *world, ref board.Ref) {
			w.on(ref, board.KindDeveloper, func(a *agent) string {
				a.push()
				time.AfterFunc(5*time.Second, func() { w.merge(ref) })
				a.fail("exit status 1")
				return ""
			})
		},
		"while checks are pending": func(w *world, ref board.Ref) {
			w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksPending, nil }
			w.on(ref, board.KindDeveloper, func(a *agent) string {
				time.AfterFunc(10*time.Minute, func() { w.merge(ref) })
				return completing(a)
			})
		},
	}
	for name, set := range cases {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("merged")
				set(w, ref)
				w.start().wait()
				w.wantRow(ref, board.RoleDone, "")
				for _, n := range w.notes(ref) {
					if strings.Contains(n, "VERDICT") || strings.Contains(n, "ready for review") && name != "while a reviewer works" && name != "while a reviewer objects" {
						t.Errorf("written after the merge: %q", n)
					}
				}
				if w.starts(ref, board.KindDeveloper) != 1 {
					t.Errorf("%d developers", w.starts(ref, board.KindDeveloper))
				}
			})
		})
	}
}

// TestReopened: what the owner takes up again after the merge is worked again,
// and not closed behind his back.
func TestReopened(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("reopened")
		w.on(ref, board.KindDeveloper, completing, failing, failing)
		w.start().wait()
		w.merge(ref)
		w.start().wait()
		w.wantRow(ref, board.RoleDone, "")
		time.Sleep(time.Minute)
		w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
		w.start().wait()
		w.wantRow(ref, board.RoleInProgress, "")
		if n := w.notes(ref); w.starts(ref, board.KindDeveloper) != 3 || !strings.Contains(n[len(n)-1], "needs human attention") {
			t.Fatalf("%d developers, notes %q", w.starts(ref, board.KindDeveloper), n)
		}
	})
}

// TestIssueGone: an issue that the board no longer has is let go, and the
// owner told where its work is.
func TestIssueGone(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("gone")
		w.ready("rests", in(board.RoleBacklog))
		w.on(ref, board.KindDeveloper, func(a *agent) string { w.board.Remove(ref); return completing2(a) })
		p := w.start()
		p.wait()
		n := p.e.Snapshot().Notices
		if len(w.saved()) != 0 || len(n) != 1 || !strings.Contains(n[0].Text, "no longer on the board") || !strings.Contains(n[0].Text, "task/dsp-1-work") {
			t.Fatalf("journal %v, notices %+v", w.saved(), n)
		}
	})
}

// completing2 leaves the board alone.
func completing2(a *agent) string {
	a.work(10 * time.Second)
	return "STATUS: COMPLETE"
}

// TestUnreadableWhileWorked: a row that cannot be read for a while keeps its
// run, and is settled when it can.
func TestUnreadableWhileWorked(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("cut")
		w.on(ref, board.KindDeveloper, func(a *agent) string {
			final := completing(a)
			w.board.Edit(ref, func(i *board.Issue) { i.Unreadable = "cut in half" })
			return final
		})
		p := w.start(forever)
		time.Sleep(10 * time.Minute)
		if s := p.e.Snapshot(); len(w.saved()) != 1 || s.Rows[0].Hold != "unreadable" || w.starts(ref, board.KindReviewer) != 0 {
			t.Fatalf("journal %v, row %+v", w.saved(), s.Rows[0])
		}
		w.board.Edit(ref, func(i *board.Issue) { i.Unreadable = "" })
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		p.leave()
	})
}

// TestFullDisk: when the journal cannot be written nothing is claimed and
// nothing settled; when it can, the work goes on.
func TestFullDisk(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first, second := w.ready("runs"), w.ready("waits")
		p := w.start(forever, slots(1))
		time.Sleep(30 * time.Second)
		p.fail("save", errors.New("no space left on device"))
		time.Sleep(10 * time.Minute)
		if w.starts(second, board.KindDeveloper) != 0 || w.issue(second).Claim != nil || w.issue(first).Claim == nil {
			t.Fatalf("it went on without a journal: %v", w.board.log)
		}
		if s := p.e.Snapshot(); !slices.ContainsFunc(s.Log, func(e state.Entry) bool { return e.Bad && strings.Contains(e.Text, "no space left") }) {
			t.Error("the log does not say why")
		}
		p.fail("save", nil)
		time.Sleep(10 * time.Minute)
		w.wantRow(first, board.RoleHumanReview, "")
		w.wantRow(second, board.RoleHumanReview, "")
		p.leave()
	})
}
