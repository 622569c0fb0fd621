package ghproject_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// histWorker is one agent; it outlives the loop.
type histWorker struct {
	h     *history
	run   state.Run
	board *board.Policy
	phase state.WorkerPhase
	exit  *state.WorkerExit
	moves []func()
}

func (v *histWorker) lives() bool { return v.phase == state.WorkerRunning }

func (v *histWorker) status() state.WorkerStatus {
	return state.WorkerStatus{Phase: v.phase, PID: 7, PIDStart: "7", LastSign: v.h.wall(), LastOutput: v.h.wall(), CostUSD: 0.5, Exit: v.exit}
}

type histFleet struct{ p *loopLife }

func (v *histWorker) ends(final, problem string) {
	v.phase = state.WorkerExited
	v.exit = &state.WorkerExit{Final: final, Problem: problem, CostUSD: 0.5, Ended: v.h.wall()}
	v.h.trace("worker %s on %s ends: %q %s", v.run.ID, v.run.Ref, final, problem)
}

// workersGo lets so many workers take their next step.
func (h *history) workersGo(n int) int {
	went := 0
	var living []*histWorker
	for _, v := range h.workers {
		if v.lives() {
			living = append(living, v)
		}
	}
	slices.SortFunc(living, func(a, b *histWorker) int { return strings.Compare(a.run.ID, b.run.ID) })
	for _, v := range living {
		if went == n {
			break
		}
		went++
		if len(v.moves) == 0 {
			v.ends("", "exit status 1")
			continue
		}
		next := v.moves[0]
		v.moves = v.moves[1:]
		next()
	}
	return went
}

// behaviour is what a worker does.
func (v *histWorker) behaviour() []func() {
	h, ctx := v.h, context.Background()
	works := func() { h.pass(time.Duration(h.dice.IntN(60)) * time.Second) }
	says := func(final string) func() { return func() { v.ends(final, "") } }
	tries := func(do func() error) func() {
		return func() {
			if err := do(); err != nil && v.lives() {
				v.ends("", "refused: "+err.Error())
			}
		}
	}
	as := board.ActorOfKind(v.run.Kind)
	question := []func(){
		works,
		tries(func() error { _, err := v.board.Comment(ctx, v.run.Ref, as, "a or b?"); return err }),
		tries(func() error { return v.board.SetState(ctx, v.run.Ref, board.RoleQuestion) }),
		tries(func() error { return v.board.Release(ctx, v.run.Ref, "") }),
	}
	n := h.dice.IntN(100)
	if h.calm {
		n = 0
	}
	if v.run.Kind == board.KindReviewer {
		switch {
		case n < 60:
			return []func(){works, says("VERDICT: PASS")}
		case n < 80:
			return []func(){works, says("VERDICT: CHANGES_REQUESTED")}
		case n < 90:
			return append(question, says("VERDICT: QUESTION"))
		}
		return []func(){works, says("Looks good.")}
	}
	done := []func(){works, func() { h.push(v) }, tries(v.tick), says("STATUS: COMPLETE")}
	switch {
	case n < 60:
		return done
	case n < 80:
		return append(question[:2+h.dice.IntN(3):4], says("STATUS: INCOMPLETE"))
	case n < 90:
		return []func(){works, func() { h.push(v) }, func() { v.phase = state.WorkerDead }}
	}
	return []func(){works, says("I am done.")}
}

func (v *histWorker) tick() error {
	i, err := v.board.Issue(context.Background(), v.run.Ref)
	for n := range board.Checkboxes(i.Body) {
		if err == nil {
			err = v.board.Tick(context.Background(), v.run.Ref, board.Box{N: n + 1, Set: true})
		}
	}
	return err
}

// firstPull is the number of the first pull request; issues have lower ones.
const firstPull = 101

// push puts a new head on the task's branch, and opens its pull request. Not
// every one names its issue.
func (h *history) push(v *histWorker) {
	h.heads++
	head := fmt.Sprintf("head%04d", h.heads)
	for _, p := range h.pulls {
		if p.Head == v.run.Branch && p.State == board.PullOpen {
			p.HeadSHA = head
			return
		}
	}
	n := len(h.pulls) + firstPull
	var names []board.Ref
	if h.dice.IntN(4) > 0 {
		names = []board.Ref{v.run.Ref}
		h.place.server.With("acme/widgets", func(r *fake.Repo) {
			r.Open(&fake.Pull{Number: n, Closes: []int{refNumber(h.t, v.run.Ref)}, Author: "dev[bot]", Head: v.run.Branch, Base: "main", Created: h.wall()})
		})
	}
	h.pulls = append(h.pulls, &board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "dev[bot]", ByAgent: true, Base: "main", BaseSHA: "base",
		Head: v.run.Branch, HeadSHA: head, Checks: board.ChecksNone, Mergeable: board.MergeClean, Issues: names, CreatedAt: h.wall(),
	})
}

// merge merges a pull request; GitHub closes its issues, and the project's own
// workflow moves them.
func (h *history) merge(p *board.PullRequest) {
	p.State, p.MergedAt, p.MergeSHA = board.PullMerged, h.wall(), "merge"+p.Name
	h.place.server.With("acme/widgets", func(r *fake.Repo) {
		if there := r.Pull(p.Number); there != nil {
			there.State, there.Merged = "closed", h.wall()
		}
	})
	for _, ref := range p.Issues {
		h.place.server.Close("acme/widgets", refNumber(h.t, ref))
	}
	h.trace("the owner merges %s for %v", p.Name, p.Issues)
}

// act is one thing that the owner does on GitHub's own pages.
func (h *history) act() {
	ref, role := h.someRow()
	n := refNumber(h.t, ref)
	pr := plan.PullOf(&board.Issue{Ref: ref}, h.listed())
	move := func(what string, to board.Role) {
		h.trace("the owner: %s on %s", what, ref)
		h.place.column(n, to)
	}
	switch dice := h.dice.IntN(10); {
	case role == board.RoleQuestion && dice < 7:
		h.place.say(n, "olive", "Take a.")
		to := board.RoleReady
		if pr != nil {
			to = board.RoleChangesRequested
		}
		move("answers", to)
	case pr != nil && pr.State == board.PullOpen && role == board.RoleHumanReview && dice < 6:
		h.merge(h.pulls[pr.Number-firstPull])
	case dice == 8 && role != board.RoleDone:
		move("moves it by hand", []board.Role{board.RoleReady, board.RoleBacklog, board.RoleChangesRequested}[h.dice.IntN(3)])
	case dice == 9:
		h.trace("the owner: writes into %s", ref)
		h.place.server.With("acme/widgets", func(r *fake.Repo) {
			i := r.Issue(n)
			i.Body, i.Updated = i.Body+"\nAnother word.\n", h.wall()
		})
	}
}

// someRow is a row as it stands on GitHub.
func (h *history) someRow() (ref board.Ref, role board.Role) {
	h.place.server.Project(h.place.project, func(p *fake.Project) {
		i := p.Items[h.dice.IntN(len(p.Items))]
		ref, role = board.Ref(fmt.Sprintf("#%d", i.Issue)), roleNamed(p.Column(i))
		if i.Claimed != nil && *i.Claimed == "question:-" && role == board.RoleInProgress {
			role = board.RoleQuestion
		}
	})
	return ref, role
}

func roleNamed(name string) board.Role {
	for _, r := range board.Roles() {
		if r.DefaultName() == name {
			return r
		}
	}
	return board.RoleNone
}

var theOwner = board.Actor{Kind: board.ActorOwner, Name: "olive"}

// play is the whole history: trouble, then calm, then the owner's work until
// every row is done.
func (h *history) play() {
	defer func() {
		if h.p != nil {
			h.bury()
		}
	}()
	for range 120 + h.dice.IntN(160) {
		h.step()
		if len(h.bad) > 0 {
			return
		}
	}
	h.trace("--- calm")
	h.calm = true
	h.chance.stop()
	h.place.server.Mend()
	h.pass(2 * time.Hour)
	for range 12 {
		h.turnUntilIdle()
		if len(h.bad) > 0 || h.finish() {
			break
		}
	}
	if len(h.bad) == 0 {
		h.ended()
	}
}

// finish does what is left to the owner, and answers true when nothing is.
func (h *history) finish() bool {
	owner := h.as(h.client(), theOwner)
	ctx := context.Background()
	rows, err := owner.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		h.broken("the owner's poll: %v", err)
		return true
	}
	for i := range rows {
		row := &rows[i]
		pr := plan.PullOf(row, h.listed())
		h.trace("the owner looks at %s in %s", row.Ref, row.State)
		switch {
		case row.Role == board.RoleQuestion:
			err = owner.Answer(ctx, row.Ref, "Take a.", board.RoleNone)
		case pr != nil && pr.State == board.PullOpen && row.Role == board.RoleHumanReview:
			h.merge(h.pulls[pr.Number-firstPull])
		case len(row.OpenBlockers()) > 0:
		case pr != nil && pr.State == board.PullOpen:
			_, err = owner.Comment(ctx, row.Ref, board.ActorOwner, "Go on.")
			if err == nil {
				err = owner.SetState(ctx, row.Ref, board.RoleChangesRequested)
			}
		default:
			_, err = owner.Comment(ctx, row.Ref, board.ActorOwner, "Go on.")
			if err == nil {
				err = owner.SetState(ctx, row.Ref, board.RoleReady)
			}
		}
		if err != nil {
			h.broken("the owner on %s: %v", row.Ref, err)
		}
	}
	return len(rows) == 0
}

// ended holds the end to what has to be true of it.
func (h *history) ended() {
	h.place.server.Project(h.place.project, func(p *fake.Project) {
		for _, i := range p.Items {
			if column := p.Column(i); column != "Done" || i.Claimed != nil {
				h.broken("#%d ends in %s, claimed by %s", i.Issue, column, text(i.Claimed))
			}
			merged := false
			for _, m := range i.Moves {
				if merged {
					h.broken("#%d is moved to %s after its merge", i.Issue, m.To)
				}
				merged = merged || m.To == "Done"
			}
		}
	})
	h.place.server.With("acme/widgets", func(r *fake.Repo) {
		for n := 1; r.Issue(n) != nil; n++ {
			i := r.Issue(n)
			if !i.Closed || len(i.Assignees) > 0 {
				h.broken("#%d ends closed %v, assigned to %v", n, i.Closed, i.Assignees)
			}
			marks := map[string]bool{}
			for _, c := range i.Comments {
				m, ok := board.ParseMark(c.Body)
				key := fmt.Sprint(m.Run, m.Try, strings.SplitN(c.Body, "\n", 2)[0])
				if ok && m.Try > 0 && marks[key] {
					h.broken("#%d: said twice: %s", n, c.Body)
				}
				marks[key] = true
			}
		}
	})
}

func text(s *string) string {
	if s == nil {
		return "nobody"
	}
	return *s
}
