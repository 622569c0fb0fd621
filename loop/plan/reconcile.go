package plan

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Stall says when a worker counts as stalled: it has written nothing for After,
// or for ToolAfter while a tool with living processes runs. It is interrupted,
// and stopped with its whole process tree when Grace has passed.
type Stall struct{ After, ToolAfter, Grace time.Duration }

// Look is what the reconcilers see of one worker that runs.
type Look struct {
	Now    time.Time
	Since  time.Time // the machine has been awake and the clock steady since then; zero for long
	Run    state.Run
	Worker state.WorkerStatus
	// Issue is the row as it stands, nil when it could not be read; Gone says
	// that the board has proven that there is no such row. An answer that merely
	// lacks the row is neither (failures.md, 13).
	Issue    *board.Issue
	Gone     bool
	PR       *board.PullRequest // of the issue, nil when there is none or it could not be read
	Settings Settings
}

// Act is what a reconciler does about a running worker.
type Act string

// The acts. None leaves the worker alone.
const (
	ActNone      Act = ""
	ActInterrupt Act = "interrupt" // end its turn, and see whether it goes on
	ActSpare     Act = "spare"     // it was interrupted and goes on: forget that
	ActStop      Act = "stop"      // end it politely, then with its whole tree
	ActLost      Act = "lost"      // another session holds its row
)

// Intervention is what to do about a worker, and why.
type Intervention struct {
	Act  Act
	Stop state.Stopped // ActStop: what the end means for the run
	Why  string
	Told bool // the settlement of the run will tell the owner
}

// Reconcile compares a running worker with the world around it
// (dispatcher-system.md, design rules: the owner's moves stand; design.md,
// section 4, tick). What is unknown changes nothing.
func Reconcile(l *Look) Intervention {
	for _, r := range []func(*Look) Intervention{deleted, takenOver, leftWork, mergedUnder, stalled} {
		if i := r(l); i.Act != ActNone {
			return i
		}
	}
	return Intervention{}
}

// stop ends a worker whose result nobody waits for.
func stop(why state.Stopped, format string, args ...any) Intervention {
	return Intervention{Act: ActStop, Stop: why, Why: fmt.Sprintf(format, args...)}
}

// deleted: a row that is proven gone has no use for a worker.
func deleted(l *Look) Intervention {
	if !l.Gone {
		return Intervention{}
	}
	i := stop(state.StoppedMoved, "its issue is no longer on the board")
	i.Told = true
	return i
}

// takenOver: the row is another session's, or a person's. A row that nobody
// claims was released by its own worker, which is no loss (design.md, section
// 6).
func takenOver(l *Look) Intervention {
	switch i := l.Issue; {
	case i == nil:
	case i.Claim != nil && i.Claim.Session != l.Run.Session:
		return Intervention{Act: ActLost, Why: "another session holds the row"}
	case i.HumanOwned():
		return stop(state.StoppedMoved, "%s has taken the row", i.Assignee)
	case !i.Delegate.Ours():
		return stop(state.StoppedMoved, "the row was given to another agent, %s", i.Delegate)
	}
	return Intervention{}
}

// leftWork: the row was moved away while its worker runs. A row in Question
// that its worker has put there is still its worker's; one that was answered
// meanwhile is not (failures.md, 40).
func leftWork(l *Look) Intervention {
	switch i := l.Issue; {
	case i == nil || i.Unreadable != "" || i.Role == board.RoleInProgress:
	case i.Role == board.RoleQuestion && i.StateBy != board.ActorOwner:
	case i.StateBy == board.ActorOwner && i.PrevRole == board.RoleQuestion:
		return stop(state.StoppedMoved, "you answered and moved the row to %s", i.State)
	case i.Closed:
		return stop(state.StoppedMoved, "the row was closed as %s", i.State)
	default:
		return stop(state.StoppedMoved, "the row was moved to %s", i.State)
	}
	return Intervention{}
}

// mergedUnder: nothing that the worker could still do is wanted, once its pull
// request is merged (dispatcher-system.md, Routing a developer's result 1).
func mergedUnder(l *Look) Intervention {
	if l.PR == nil || l.PR.State != board.PullMerged || olderThan(l.PR, &l.Run) {
		return Intervention{}
	}
	i := stop(state.StoppedMoved, "%s is merged", l.PR.Name)
	i.Told = true
	return i
}

// stalled: no sign of life for too long. One that waits for a person is not
// stalled, and what was interrupted for that has the grace to end.
func stalled(l *Look) Intervention {
	quiet, limit := l.quiet(), l.limit()
	if limit <= 0 {
		return Intervention{}
	}
	if !l.Run.StalledAt.IsZero() {
		return afterInterrupt(l)
	}
	if l.Worker.Waiting || len(l.Worker.Requests) > 0 || quiet < limit {
		return Intervention{}
	}
	if l.parked() {
		return stop(state.StoppedMoved, "it has asked its question and wrote nothing for %s since", whole(quiet))
	}
	return Intervention{Act: ActInterrupt, Why: "no sign of life for " + whole(quiet)}
}

// afterInterrupt: an interrupted worker waits for a word that nobody will say,
// so that it is stopped at once; one that writes on was not stalled. What it
// writes just after the interrupt is an answer to that, and no work.
func afterInterrupt(l *Look) Intervention {
	grace := l.Settings.Stall.Grace
	switch {
	case l.Worker.Waiting:
	case l.Now.Sub(l.Run.StalledAt) < grace:
		return Intervention{}
	case l.Worker.LastOutput.After(l.Run.StalledAt.Add(grace / 4)):
		return Intervention{Act: ActSpare, Why: "it writes again"}
	}
	return stop(state.StoppedStall, "it gave no sign of life for %s and was stopped", whole(l.limit()))
}

// quiet is for how long the worker has written nothing, as far as the clock
// can tell: a machine that slept has not seen it silent.
func (l *Look) quiet() time.Duration {
	last := l.Worker.LastOutput
	for _, t := range []time.Time{l.Run.StartedAt, l.Since} {
		if t.After(last) {
			last = t
		}
	}
	if last.IsZero() {
		return 0
	}
	return l.Now.Sub(last)
}

// limit is how long it may be quiet.
func (l *Look) limit() time.Duration {
	s := l.Settings.Stall
	if l.parked() || l.Worker.Busy && l.Worker.Below > 0 {
		return s.ToolAfter
	}
	return s.After
}

// parked: its own question stands on the row.
func (l *Look) parked() bool {
	return l.Issue != nil && l.Issue.Role == board.RoleQuestion
}

// whole is a span as a person says it.
func whole(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d minutes", int(d/time.Minute))
}

// Slept says whether the wall clock and the running time have parted between
// two looks: the machine slept, or somebody set the clock (failures.md, 19).
// Both times carry the running time where the system has one.
func Slept(before, now time.Time) bool {
	if before.IsZero() {
		return false
	}
	apart := now.Round(0).Sub(before.Round(0)) - now.Sub(before)
	return apart.Abs() > time.Minute
}
