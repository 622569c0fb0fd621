package loop_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// undoWorld is a board on which everything can be done that can be taken back,
// with a loop that is paused, so that nobody but the test writes.
type undoWorld struct {
	*world
	p    *process
	refs []board.Ref // asked, reviewed, queued for review, in Backlog
	said map[board.Ref]bool
}

func newUndoWorld(t *testing.T, w *world) *undoWorld {
	t.Helper()
	u := &undoWorld{world: w, said: map[board.Ref]bool{}}
	asked, reviewed := w.ready("asks"), w.ready("reviewed")
	w.on(asked, board.KindDeveloper, asking)
	u.p = w.start(forever)
	time.Sleep(5 * time.Minute)
	w.wantRow(asked, board.RoleQuestion, "")
	w.wantRow(reviewed, board.RoleHumanReview, "")
	u.p.ask(state.Command{Kind: state.CommandPause})
	queued := w.ready("queued", in(board.RoleInProgress))
	w.board.Edit(queued, func(i *board.Issue) { i.Delegate = board.DelegateReviewer })
	u.refs = []board.Ref{asked, reviewed, queued}
	for n := range 4 {
		u.refs = append(u.refs, w.ready(fmt.Sprint("idea ", n), in(board.RoleBacklog), func(i *board.NewIssue) { i.Body = "- [ ] one\n- [x] two\n" }))
	}
	return u
}

// picture is what an owner sees of the board: its order, and each row.
func (u *undoWorld) picture() string {
	rows, err := u.board.Poll(u.t.Context(), board.Query{AllMilestones: true})
	u.must(err)
	var out strings.Builder
	for _, r := range rows {
		i := u.issue(r.Ref)
		slices.Sort(i.Labels)
		var said []string
		for _, c := range i.Comments {
			if c.Role != board.ActorDispatcher { // a hold and its end stand as two comments
				said = append(said, c.Body)
			}
		}
		requests := 0
		if pr := u.pull(r.Ref); pr != nil {
			requests = len(pr.Reviews)
		}
		fmt.Fprintf(&out, "%s %s %q %q for %q next %q held %v %q %d reviews\n", i.Ref, i.Role, i.Body, i.Labels, i.Assignee, i.Delegate, isHeld(&i), said, requests)
	}
	return out.String()
}

// commands are all that can be taken back now, of one row.
func (u *undoWorld) commands(ref board.Ref, dice *rand.Rand) []state.Command {
	i, other := u.issue(ref), u.refs[dice.IntN(len(u.refs))]
	out := []state.Command{
		{Kind: state.CommandLabel, Text: "UI", Off: i.HasLabel("UI")},
		{Kind: state.CommandComment, Text: fmt.Sprint("by the way ", dice.IntN(1000))},
		{Kind: state.CommandOrder, Top: true},
	}
	if other != ref {
		out = append(out, state.Command{Kind: state.CommandOrder, Before: other}, state.Command{Kind: state.CommandOrder, After: other})
	}
	switch held := isHeld(&i); {
	case u.said[ref]: // a comment is taken back while it is the last one, and a hold is a comment
	case held:
		out = append(out, state.Command{Kind: state.CommandUnhold})
	default:
		out = append(out, state.Command{Kind: state.CommandHold, Text: "later"})
	}
	if boxes := board.Checkboxes(i.Body); len(boxes) > 0 {
		n := dice.IntN(len(boxes))
		out = append(out, state.Command{Kind: state.CommandTick, N: n + 1, Off: boxes[n].Done})
	}
	if i.Assignee == "" {
		out = append(out, state.Command{Kind: state.CommandClaim})
	}
	switch i.Role {
	case board.RoleBacklog, board.RoleReady:
		if to := board.Roles()[dice.IntN(3)]; to != i.Role {
			out = append(out, state.Command{Kind: state.CommandMove, Role: to, From: i.Role})
		}
	case board.RoleQuestion:
		out = append(out, answer(ref, "take a"))
	case board.RoleHumanReview:
		pr := u.pull(ref)
		out = append(out, state.Command{Kind: state.CommandRequest, PR: pr.Name, Head: pr.HeadSHA, Text: "shorter"})
	default: // it is not the owner's turn
	}
	for n := range out {
		if out[n].Kind != state.CommandRequest {
			out[n].Ref = ref
		}
	}
	return out
}

// TestUndoIsTheWayBack: whatever is done that can be taken back, taken back in
// turn the board is as it was after each, also where others have written beside
// it.
func TestUndoIsTheWayBack(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				dice := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a seed that replays
				u := newUndoWorld(t, w)
				var before, did []string
				for range 8 {
					ref := u.refs[dice.IntN(len(u.refs))]
					all := u.commands(ref, dice)
					c := all[dice.IntN(len(all))]
					was := u.picture()
					if done := u.p.ask(c); done.Undo == 0 {
						if now := u.picture(); now != was && c.Kind != state.CommandRequest {
							t.Errorf("%+v changed the board and cannot be taken back", c)
						}
						continue
					}
					u.said[ref] = u.said[ref] || c.Kind == state.CommandComment || c.Kind == state.CommandAnswer
					before, did = append(before, was), append(did, fmt.Sprintf("%+v", c))
				}
				for n := len(before) - 1; n >= 0 && !t.Failed(); n-- {
					if dice.IntN(3) == 0 { // another hand writes beside it
						w.board.Edit(u.refs[dice.IntN(len(u.refs))], func(i *board.Issue) { i.Title += "!" })
					}
					u.p.undo(0)
					if now := u.picture(); now != before[n] {
						t.Errorf("%s, taken back, leaves\n%s\nit was\n%s\nafter %s", did[n], now, before[n], strings.Join(did[:n], "\n"))
					}
				}
				if done := u.p.undo(0); !t.Failed() && !strings.Contains(done.Text, "the loop is running") {
					t.Errorf("what was done first is %q", done.Text)
				}
				u.p.send(state.CommandAbort)
				u.p.wait()
			})
		})
	}
}

// TestUndoOverOtherWrites: what another hand has done since is never undone
// with it. The refusal names what it was, and is not given twice: the next undo
// is for what came before.
func TestUndoOverOtherWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		row   int // of refs
		do    state.Command
		since func(w *world, i *board.Issue)
		order []int // where since carries the row: before this one
		says  string
	}{
		"a move, moved on":          {3, state.Command{Kind: state.CommandMove, Role: board.RoleReady}, moved(board.RoleQuestion), nil, "was moved to"},
		"a move, worked":            {3, state.Command{Kind: state.CommandMove, Role: board.RoleReady}, taken, nil, "works on"},
		"a tick, text changed":      {3, state.Command{Kind: state.CommandTick, N: 1}, func(_ *world, i *board.Issue) { i.Body = "- [x] another\n" }, nil, "was changed since"},
		"a claim, given to another": {3, state.Command{Kind: state.CommandClaim}, func(_ *world, i *board.Issue) { i.Assignee = "bob" }, nil, "is not assigned to"},
		"an end of a hold, moved":   {4, state.Command{Kind: state.CommandUnhold}, moved(board.RoleQuestion), nil, "was moved to"},
		"an answer, worked":         {0, state.Command{Kind: state.CommandAnswer, Text: "take a"}, taken, nil, "works on"},
		"an order, carried on":      {3, state.Command{Kind: state.CommandOrder, Top: true}, nil, []int{3, 6}, "carried elsewhere since"},
		"an order, its neighbours":  {4, state.Command{Kind: state.CommandOrder, Top: true}, nil, []int{5, 3}, "rows around it were carried elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				u := newUndoWorld(t, w)
				first := u.p.ask(state.Command{Kind: state.CommandLabel, Ref: u.refs[6], Text: "UI"})
				c := tc.do
				c.Ref = u.refs[tc.row]
				if c.Kind == state.CommandUnhold {
					w.must(u.hold(c.Ref))
				}
				if done := u.p.ask(c); done.Undo == 0 {
					t.Fatalf("%+v cannot be taken back", c)
				}
				if tc.since != nil {
					w.board.Edit(c.Ref, func(i *board.Issue) { tc.since(w, i) })
				}
				if len(tc.order) > 0 {
					by := board.Actor{Kind: board.ActorOwner, Name: "bob"}
					w.must(creatorBoard{w.board}.Place(t.Context(), by, u.refs[tc.order[0]], board.Place{Before: u.refs[tc.order[1]]}))
				}
				was := u.picture()
				if err := u.p.refused(state.Command{Kind: state.CommandUndo}, tc.says); !errors.Is(err, loop.ErrBuiltOn) {
					t.Errorf("refused with %v", err)
				}
				if now := u.picture(); now != was {
					t.Errorf("a refused undo leaves\n%s\nit was\n%s", now, was)
				}
				u.p.undo(0)
				if i := w.issue(u.refs[6]); i.HasLabel("UI") || first.Undo == 0 {
					t.Error("what came before is not taken back")
				}
				u.p.send(state.CommandAbort)
				u.p.wait()
			})
		})
	}
}

// hold holds a row without a note of how to take it back.
func (u *undoWorld) hold(ref board.Ref) error {
	_, err := u.as(board.Actor{Kind: board.ActorDispatcher}).Comment(u.t.Context(), ref, board.ActorDispatcher, board.HeldText("later"))
	return err
}

func moved(to board.Role) func(*world, *board.Issue) {
	return func(w *world, i *board.Issue) { i.Role, i.StateSince, i.StateBy = to, w.board.Now(), board.ActorOwner }
}

func taken(_ *world, i *board.Issue) {
	i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "other", Stamp: time.Now(), LeaseUntil: time.Now().Add(time.Hour)}
}
