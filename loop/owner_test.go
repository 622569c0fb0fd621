package loop_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

func move(ref board.Ref, to, from board.Role) state.Command {
	return state.Command{Kind: state.CommandMove, Ref: ref, Role: to, From: from}
}

// refused sends a command that must be refused with some words.
func (p *process) refused(c state.Command, words string) error {
	p.w.t.Helper()
	done, err := p.e.Send(p.w.t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), words) {
		p.w.t.Errorf("%s is answered %+v, %v; want a refusal with %q", c.Kind, done, err, words)
	}
	return err
}

func (p *process) undo(id uint64) state.Done {
	p.w.t.Helper()
	return p.ask(state.Command{Kind: state.CommandUndo, ID: id})
}

// TestGrace: for ten seconds after its owner has moved a row the loop leaves it
// alone and says so; other rows start at once; then it is worked.
func TestGrace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("moved", in(board.RoleBacklog))
		p := w.start(forever)
		time.Sleep(time.Second)
		p.ask(move(ref, board.RoleReady, board.RoleBacklog))
		other := w.ready("other")
		p.ask(state.Command{Kind: state.CommandComment, Ref: "DSP-1", Text: "wait"})
		time.Sleep(4*time.Second + 100*time.Millisecond)
		row := p.e.Snapshot().Rows[0]
		if row.Hold != plan.HoldTouched || row.Waits != "you just commented on it; 0:06" {
			t.Errorf("after four seconds it shows %q, %q", row.Hold, row.Waits)
		}
		if w.starts(ref, board.KindDeveloper) != 0 || w.starts(other, board.KindDeveloper) != 1 {
			t.Errorf("%d started on what was moved, %d on the other", w.starts(ref, board.KindDeveloper), w.starts(other, board.KindDeveloper))
		}
		time.Sleep(6 * time.Second)
		if w.starts(ref, board.KindDeveloper) != 1 {
			t.Error("nothing started when the grace was over")
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestFireEndsGraces: fire now means now.
func TestFireEndsGraces(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("moved", in(board.RoleBacklog))
		p := w.start(forever)
		time.Sleep(time.Second)
		p.ask(move(ref, board.RoleReady, ""))
		time.Sleep(time.Second)
		p.send(state.CommandFire)
		time.Sleep(time.Second)
		if w.starts(ref, board.KindDeveloper) != 1 {
			t.Error("the row is still left alone")
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestUntilIdleWaitsForGraces: a loop does not end while its owner's hand is on
// a row that it would work.
func TestUntilIdleWaitsForGraces(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		blocker := w.ready("long")
		w.on(blocker, board.KindDeveloper, asking)
		ref := w.ready("moved", in(board.RoleBacklog))
		p := w.start()
		time.Sleep(19 * time.Second)
		p.ask(move(ref, board.RoleReady, board.RoleBacklog))
		p.wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestMoveBack: within the grace a move is taken back as if it had not been,
// also under a worker; later it says what was built on it.
func TestMoveBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("worked")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.refused(move(ref, board.RoleBacklog, board.RoleReady), "it is in In Progress now")
		done := p.ask(move(ref, board.RoleBacklog, board.RoleInProgress))
		if done.Undo == 0 || done.Text != "DSP-1: In Progress → Backlog" {
			t.Errorf("answered %+v", done)
		}
		time.Sleep(9 * time.Second)
		if w.live() != 1 {
			t.Fatal("the worker is stopped within the grace")
		}
		p.undo(done.Undo)
		time.Sleep(time.Minute)
		if i := w.issue(ref); w.live() != 1 || i.Role != board.RoleInProgress || i.Claim == nil {
			t.Errorf("after the undo %d live, the row is in %s, claim %v", w.live(), i.Role, i.Claim)
		}
		p.refused(state.Command{Kind: state.CommandUndo}, "nothing to take back")
		done = p.ask(move(ref, board.RoleBacklog, board.RoleInProgress))
		time.Sleep(time.Minute)
		if w.live() != 0 {
			t.Error("the worker goes on after the grace")
		}
		if err := p.refused(state.Command{Kind: state.CommandUndo, ID: done.Undo}, "was stopped for it"); !errors.Is(err, loop.ErrBuiltOn) {
			t.Errorf("refused with %v", err)
		}
		p.send(state.CommandAbort)
		p.wait()
		w.sound()
	})
}

// TestAnswerTakenBack: the reply is gone, the question stands, and another
// answer can be given.
func TestAnswerTakenBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("asks")
		w.on(ref, board.KindDeveloper, asking, completing)
		p := w.start(forever)
		time.Sleep(2 * time.Minute)
		done := p.ask(answer(ref, "take a"))
		time.Sleep(5 * time.Second)
		p.undo(0)
		i := w.issue(ref)
		if _, _, answered := board.AnswerTo(&i); i.Role != board.RoleQuestion || answered || done.Undo == 0 {
			t.Errorf("after the undo it is in %s, answered %v", i.Role, answered)
		}
		time.Sleep(time.Minute)
		if n := w.starts(ref, board.KindDeveloper); n != 1 {
			t.Errorf("%d developers started", n)
		}
		p.ask(answer(ref, "take b"))
		time.Sleep(time.Minute)
		p.refused(state.Command{Kind: state.CommandUndo}, "cannot be taken back any more")
		if got := w.prompts[len(w.prompts)-1].Issue; !slices.ContainsFunc(got.Comments, func(c board.Comment) bool { return c.Body == "take b" }) {
			t.Errorf("the second developer was told %+v", got.Comments)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestUndoOfEverything: each command that says that it can be taken back is.
func TestUndoOfEverything(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first := w.ready("first", in(board.RoleBacklog))
		ref := w.ready("second", in(board.RoleBacklog), func(n *board.NewIssue) { n.Body = "- [ ] one\n- [x] two\n" })
		w.ready("third", in(board.RoleBacklog))
		p := w.start(forever)
		time.Sleep(time.Second)
		order := func() (out []board.Ref) {
			rows, err := w.board.Poll(t.Context(), board.Query{AllMilestones: true})
			w.must(err)
			for _, r := range rows {
				out = append(out, r.Ref)
			}
			return out
		}
		was, before := w.issue(ref), order()
		for _, c := range []state.Command{
			{Kind: state.CommandTick, N: 1},
			{Kind: state.CommandTick, N: 2, Off: true},
			{Kind: state.CommandLabel, Text: "UI"},
			{Kind: state.CommandOrder, Before: first},
			{Kind: state.CommandOrder, After: "DSP-3"},
			{Kind: state.CommandOrder, Top: true},
			{Kind: state.CommandClaim},
			{Kind: state.CommandMove, Role: board.RoleReady},
			{Kind: state.CommandComment, Text: "by the way"},
		} {
			c.Ref = ref
			done := p.ask(c)
			if now := w.issue(ref); equalRows(&now, &was) && slices.Equal(order(), before) {
				t.Errorf("%+v changed nothing", c)
			}
			if done.Undo == 0 {
				t.Errorf("%+v cannot be taken back", c)
				continue
			}
			p.undo(done.Undo)
			if now := w.issue(ref); !equalRows(&now, &was) || !slices.Equal(order(), before) {
				t.Errorf("%+v, taken back: %+v in %v, was %+v in %v", c, now, order(), was, before)
			}
		}
		hold := p.ask(state.Command{Kind: state.CommandHold, Ref: ref, Text: "later"})
		p.undo(hold.Undo)
		if now := w.issue(ref); isHeld(&now) {
			t.Error("a hold that was taken back stands")
		}
		p.ask(state.Command{Kind: state.CommandHold, Ref: ref, Text: "later"})
		free := p.ask(state.Command{Kind: state.CommandUnhold, Ref: ref})
		p.undo(free.Undo)
		if now := w.issue(ref); !isHeld(&now) {
			t.Error("the end of a hold was taken back, and it does not stand")
		}
		pause := p.ask(state.Command{Kind: state.CommandPause})
		p.undo(pause.Undo)
		time.Sleep(time.Second)
		if m := p.e.Snapshot().Mode; m != state.ModeRunning {
			t.Errorf("a pause that was taken back leaves the loop %s", m)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestEditsMeet: an edit is refused where another one came since it began, and
// an empty list takes all away.
func TestEditsMeet(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("first", in(board.RoleBacklog), func(n *board.NewIssue) { n.Body, n.Labels = "old", []string{"UI"} })
		p := w.start(forever)
		time.Sleep(time.Second)
		edit := func(d, was state.IssueDraft) state.Command {
			d.Was = &was
			return state.Command{Kind: state.CommandEdit, Ref: ref, Issue: &d}
		}
		old, theirs, mine := "old", "theirs", "mine"
		p.ask(edit(state.IssueDraft{Body: &theirs}, state.IssueDraft{Body: &old}))
		p.refused(edit(state.IssueDraft{Body: &mine}, state.IssueDraft{Body: &old}), "edited by somebody else meanwhile")
		p.refused(edit(state.IssueDraft{Labels: []string{}}, state.IssueDraft{Labels: []string{"perf"}}), "edited by somebody else meanwhile")
		p.ask(edit(state.IssueDraft{Labels: []string{}}, state.IssueDraft{Labels: []string{"ui"}}))
		if i := w.issue(ref); i.Body != theirs || len(i.Labels) != 0 {
			t.Errorf("it is %q with %v", i.Body, i.Labels)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

func isHeld(i *board.Issue) bool { _, held := board.Held(i); return held }

// equalRows compares what the owner sees of a row.
func equalRows(a, b *board.Issue) bool {
	return a.Role == b.Role && a.Body == b.Body && slices.Equal(a.Labels, b.Labels) && a.Assignee == b.Assignee && len(a.Comments) == len(b.Comments)
}

// TestRequestTakenBack: the row is in Human Review again and no developer is
// started for it.
func TestRequestTakenBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("reviewed")
		p := w.start(forever)
		time.Sleep(5 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		pr := w.pull(ref)
		done := p.ask(state.Command{Kind: state.CommandRequest, PR: pr.Name, Head: pr.HeadSHA, Text: "shorter"})
		w.wantRow(ref, board.RoleChangesRequested, "")
		time.Sleep(8 * time.Second)
		p.undo(done.Undo)
		time.Sleep(time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.starts(ref, board.KindDeveloper); n != 1 || len(w.pull(ref).Reviews) != len(pr.Reviews) {
			t.Errorf("%d developers, %d reviews", n, len(w.pull(ref).Reviews))
		}
		p.refused(state.Command{Kind: state.CommandMerge, PR: pr.Name, Head: "another"}, "head moved")
		p.ask(state.Command{Kind: state.CommandMerge, PR: pr.Name, Head: pr.HeadSHA})
		time.Sleep(time.Minute)
		w.wantRow(ref, board.RoleDone, "")
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestDispatchNow: works the row next if the rules allow, and says why not.
func TestDispatchNow(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		busy := w.ready("busy")
		w.on(busy, board.KindDeveloper, endless)
		w.ready("second")
		last := w.ready("last")
		idea := w.ready("idea", in(board.RoleBacklog))
		p := w.start(forever, slots(1))
		time.Sleep(time.Second)
		p.refused(state.Command{Kind: state.CommandDispatch, Ref: idea}, "in Backlog until you move it")
		p.refused(state.Command{Kind: state.CommandDispatch, Ref: "DSP-77"}, "no row of this loop, which works m1")
		if done := p.ask(state.Command{Kind: state.CommandDispatch, Ref: last}); !strings.Contains(done.Text, "next") {
			t.Errorf("answered %+v", done)
		}
		p.ask(state.Command{Kind: state.CommandStop, Ref: busy})
		time.Sleep(30 * time.Second)
		if w.starts(last, board.KindDeveloper) != 1 || w.starts("DSP-2", board.KindDeveloper) != 0 {
			t.Errorf("%d started on what was wanted first, %d on the one before it", w.starts(last, board.KindDeveloper), w.starts("DSP-2", board.KindDeveloper))
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestReleaseByTheOwner: another session's claim goes, a worker of ours keeps
// its row.
func TestReleaseByTheOwner(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ours := w.ready("ours")
		w.on(ours, board.KindDeveloper, endless)
		theirs := w.ready("theirs", in(board.RoleInProgress))
		w.board.Edit(theirs, func(i *board.Issue) {
			i.Delegate = board.DelegateDeveloper
			i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "other", Stamp: time.Now(), LeaseUntil: time.Now().Add(time.Hour)}
		})
		p := w.start(forever)
		time.Sleep(time.Second)
		p.refused(state.Command{Kind: state.CommandRelease, Ref: ours}, "stop it first")
		p.ask(state.Command{Kind: state.CommandRelease, Ref: theirs})
		w.wantRow(theirs, board.RoleInProgress, "")
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestClaimThatFailsHalfWay: a row that was let go of and could not be given to
// its owner is not worked at once behind their back.
func TestClaimThatFailsHalfWay(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("theirs", in(board.RoleReady))
		w.board.Edit(ref, func(i *board.Issue) {
			i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "other", Stamp: time.Now(), LeaseUntil: time.Now().Add(time.Hour)}
		})
		p := w.start(forever)
		time.Sleep(time.Second)
		p.fail("edit", errors.New("the board is away"))
		p.refused(state.Command{Kind: state.CommandClaim, Ref: ref}, "nobody has it")
		time.Sleep(5 * time.Minute)
		if n := w.starts(ref, board.KindDeveloper); n != 0 {
			t.Fatalf("%d started on it", n)
		}
		p.fail("edit", nil)
		p.ask(state.Command{Kind: state.CommandClaim, Ref: ref})
		time.Sleep(20 * time.Minute)
		if row := w.issue(ref); w.starts(ref, board.KindDeveloper) != 0 || !row.HumanOwned() {
			t.Errorf("%d started, %+v", w.starts(ref, board.KindDeveloper), row)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestRequestWhoseRowsStay: a request that was posted is not refused when the
// board could not be written: the text would be posted a second time.
func TestRequestWhoseRowsStay(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("reviewed")
		p := w.start(forever)
		time.Sleep(5 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		pr := w.pull(ref)
		p.fail("rows of a request", errors.New("the board is away"))
		done := p.ask(state.Command{Kind: state.CommandRequest, PR: pr.Name, Head: pr.HeadSHA, Text: "shorter"})
		time.Sleep(time.Second)
		notices := p.e.Snapshot().Notices
		if !strings.Contains(done.Text, "move it yourself") || len(notices) == 0 || !strings.Contains(notices[len(notices)-1].Text, "the board is away") {
			t.Errorf("it is answered %+v, with notices %+v", done, notices)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestTickOfAChangedText: a box is ticked only while it says what its owner read.
func TestTickOfAChangedText(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("boxes", in(board.RoleBacklog), func(n *board.NewIssue) { n.Body = "- [ ] new\n- [ ] old\n" })
		p := w.start(forever)
		time.Sleep(time.Second)
		p.refused(state.Command{Kind: state.CommandTick, Ref: ref, N: 1, Text: "old"}, "look again")
		p.ask(state.Command{Kind: state.CommandTick, Ref: ref, N: 2, Text: "old"})
		if got := w.issue(ref).Body; got != "- [ ] new\n- [x] old\n" {
			t.Errorf("ticked %q", got)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}
