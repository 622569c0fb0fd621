package simtest

import (
	"context"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// worker is one agent with its supervisor. It outlives the loop.
type worker struct {
	s      *sim
	at     *checkout
	run    state.Run
	board  *board.Policy
	pid    int
	phase  state.WorkerPhase
	exit   *state.WorkerExit
	moves  []move // what it has yet to do
	asked  bool   // to stop
	output time.Time
	hangs  bool // it writes nothing from here on
	waits  bool // its turn was interrupted
}

// move is one step of a worker's; the first that ends it is its last.
type move func(v *worker)

func (v *worker) lives() bool { return v.phase == state.WorkerRunning }

func (v *worker) status() state.WorkerStatus {
	return state.WorkerStatus{
		Phase: v.phase, PID: v.pid, PIDStart: fmt.Sprint(v.pid), LastSign: v.output, LastOutput: v.output, Waiting: v.waits, CostUSD: 0.5, Exit: v.exit,
	}
}

// startWorker starts a worker for a run, once.
func (s *sim) startWorker(at *checkout, spec state.RunSpec) (state.WorkerStatus, error) {
	r := spec.Run
	switch {
	case s.forbidden[r.ID]:
		return state.WorkerStatus{}, fmt.Errorf("start %s: it was given back", r.ID)
	case s.workers[r.ID] != nil:
		// The run folder exists: a second supervisor ends at once.
		return state.WorkerStatus{}, fmt.Errorf("start %s: it exists", r.ID)
	}
	s.pids++
	v := &worker{s: s, at: at, run: r, pid: s.pids, phase: state.WorkerRunning, output: s.wall()}
	v.board = s.as(board.Actor{Kind: board.ActorOfKind(r.Kind), Run: r.ID, Ref: r.Ref, Epoch: r.Epoch})
	v.moves = s.behaviour(r.Kind)
	s.startsWell(v)
	s.workers[r.ID], s.sessions[r.Session] = v, v
	s.living = append(s.living, v)
	s.trace("  worker %s (%s, try %d) lives on %s", r.ID, r.Kind, r.Attempt, r.Ref)
	return v.status(), nil
}

func (s *sim) lives(run string) bool { return s.workers[run] != nil && s.workers[run].lives() }

// sessionLives says whether the newest worker of a session lives.
func (s *sim) sessionLives(session string) bool {
	return s.sessions[session] != nil && s.sessions[session].lives()
}

// sessionOf is the session of a run: its own, unless it goes on in an older
// one.
func (s *sim) sessionOf(run string) string {
	for _, c := range s.checkouts {
		for i := range c.runs {
			if c.runs[i].ID == run {
				return c.runs[i].Session
			}
		}
	}
	return run
}

func (s *sim) claimLives(c board.Claim) bool {
	v := s.sessions[c.Session]
	return v != nil && v.lives() && c.PID == v.pid
}

func (s *sim) observe(run string) state.WorkerStatus {
	if v := s.workers[run]; v != nil {
		return v.status()
	}
	return state.WorkerStatus{Phase: state.WorkerAbsent}
}

func (s *sim) forbid(run string) state.WorkerStatus {
	if s.workers[run] == nil {
		s.forbidden[run] = true
	}
	return s.observe(run)
}

func (s *sim) askToStop(run string) {
	if v := s.workers[run]; v != nil && v.lives() {
		v.asked = true
	}
}

func (s *sim) interruptWorker(run string) {
	if v := s.workers[run]; v != nil && v.lives() && s.dice.IntN(3) > 0 {
		v.waits = true
	}
}

// step is a worker's next move.
func (v *worker) step() {
	s := v.s
	if v.asked {
		switch s.dice.IntN(8) {
		case 0:
			v.dies()
		case 1:
			// It had its last word on the lips.
			v.ends(v.lastWord(), "")
		default:
			v.ends("", "stopped")
		}
		return
	}
	if v.hangs || v.waits {
		return
	}
	v.output = s.wall()
	if len(v.moves) == 0 {
		v.ends("", "exit status 1")
		return
	}
	next := v.moves[0]
	v.moves = v.moves[1:]
	next(v)
}

func (v *worker) lastWord() string {
	if v.run.Kind == board.KindReviewer {
		return "VERDICT: PASS"
	}
	return "STATUS: COMPLETE"
}

func (v *worker) ends(final, problem string) {
	v.phase = state.WorkerExited
	v.exit = &state.WorkerExit{Final: final, Problem: problem, Stopped: v.asked, CostUSD: 0.5, Tokens: 10, Ended: v.s.wall()}
	v.s.trace("  worker %s on %s ends: %q %s", v.run.ID, v.run.Ref, final, problem)
	v.s.buried(v)
}

func (v *worker) dies() {
	v.phase = state.WorkerDead
	v.s.trace("  worker %s on %s dies", v.run.ID, v.run.Ref)
	v.s.buried(v)
}

// The moves.

func works(v *worker) { v.s.Passed += time.Duration(v.s.dice.IntN(60)) * time.Second }

func hangs(v *worker) { v.hangs = true }

func dies(v *worker) { v.dies() }

func says(final string) move { return func(v *worker) { v.ends(final, "") } }

func fails(v *worker) { v.ends("", "exit status 1") }

func limited(v *worker) {
	v.ends("", "you have hit your limit")
	switch n := v.s.dice.IntN(90); {
	case n < 10:
		v.exit.Trouble = state.TroubleLimit // nobody says until when
	case n < 25:
		v.exit.Trouble = state.TroubleBusy
	case n < 30:
		v.exit.Trouble = state.TroubleSession
	case n < 35:
		v.exit.Trouble = state.TroubleSetup
	default:
		v.exit.LimitUntil = v.s.wall().Add(time.Duration(n) * time.Minute)
	}
}

// writes is a step on the board; a worker that is refused gives up.
func (v *worker) writes(err error) {
	if err != nil && v.lives() {
		v.ends("", "refused: "+err.Error())
	}
}

func ticks(v *worker) {
	i, err := v.board.Issue(context.Background(), v.run.Ref)
	if err != nil {
		v.writes(err)
		return
	}
	for n := range board.Checkboxes(i.Body) {
		v.writes(v.board.Tick(context.Background(), v.run.Ref, board.Box{N: n + 1, Set: true}))
	}
}

func asks(v *worker) {
	_, err := v.board.Comment(context.Background(), v.run.Ref, board.ActorOfKind(v.run.Kind), "a or b?")
	v.writes(err)
}

func parks(v *worker) {
	v.writes(v.board.SetState(context.Background(), v.run.Ref, board.RoleQuestion))
}

func lets(v *worker) { v.writes(v.board.Release(context.Background(), v.run.Ref, "")) }

func pushes(v *worker) { v.s.push(v, false) }

func drafts(v *worker) { v.s.push(v, true) }

// behaviour is how the next worker of a kind works. Once the world is calm
// every worker does what it should.
func (s *sim) behaviour(k board.Kind) []move {
	switch k {
	case board.KindReviewer:
		return s.reviewing()
	case board.KindCleaner:
		return s.merging()
	case board.KindDeveloper:
	}
	if s.calm {
		return []move{works, pushes, ticks, says("STATUS: COMPLETE")}
	}
	switch n := s.dice.IntN(100); {
	case n < 45:
		return []move{works, pushes, works, ticks, says("How to verify: run it\n\nSTATUS: COMPLETE")}
	case n < 53:
		return []move{works, fails}
	case n < 58:
		return []move{works, pushes, fails}
	case n < 62:
		return []move{works, says("I am done.")}
	case n < 66:
		return []move{works, says("STATUS: COMPLETE")}
	case n < 69:
		return []move{drafts, ticks, says("STATUS: COMPLETE")}
	case n < 72:
		return []move{works, says("STATUS: INCOMPLETE")}
	case n < 86:
		return s.question(says("STATUS: INCOMPLETE"))
	case n < 91:
		return []move{works, hangs}
	case n < 96:
		return []move{works, pushes, dies}
	default:
		return []move{works, limited}
	}
}

func (s *sim) reviewing() []move {
	if s.calm {
		return []move{works, says("VERDICT: PASS")}
	}
	switch n := s.dice.IntN(100); {
	case n < 45:
		return []move{works, works, says("VERDICT: PASS")}
	case n < 65:
		return []move{works, says("VERDICT: CHANGES_REQUESTED")}
	case n < 71:
		return []move{works, fails}
	case n < 76:
		return []move{works, says("Looks good.")}
	case n < 86:
		return s.question(says("VERDICT: QUESTION"))
	case n < 91:
		return []move{works, hangs}
	case n < 96:
		return []move{works, dies}
	default:
		return []move{works, limited}
	}
}

// question is a worker that parks its row; it may forget any of the three
// writes, die between them, or write on after them.
func (s *sim) question(last move) []move {
	out := []move{works}
	for _, m := range []move{asks, parks, lets} {
		if s.dice.IntN(8) > 0 {
			out = append(out, m)
		}
		if s.dice.IntN(30) == 0 {
			return append(out, dies)
		}
	}
	return append(out, last)
}
