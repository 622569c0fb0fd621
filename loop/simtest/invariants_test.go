package simtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

// work is one kind of work on one issue.
type work struct {
	ref  board.Ref
	kind board.Kind
}

// broken notes a broken invariant.
func (s *sim) broken(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.trace("BROKEN: %s", text)
	if !slices.Contains(s.breaches, text) {
		s.breaches = append(s.breaches, text)
	}
}

// acted notes what the owner did to a row.
func (s *sim) acted(ref board.Ref, what string) {
	s.trace("the owner: %s on %s", what, ref)
	s.forgive(ref)
}

// forgive forgets the failed tries at a row.
func (s *sim) forgive(ref board.Ref) {
	for w := range s.failed {
		if w.ref == ref {
			delete(s.failed, w)
		}
	}
}

// wrote sees every write to the board, under its lock.
func (s *sim) wrote(by board.Actor, what string, before, after *board.Issue) {
	if s.verbose {
		s.trace("  %s %s by %s %s: %s %q %s -> %s %q %s", what, after.Ref, by.Kind, by.Run,
			before.Role.Word(), before.Delegate, claimOf(before), after.Role.Word(), after.Delegate, claimOf(after))
	}
	if by.Kind == board.ActorOwner {
		// What its owner asks of a loop may reach the board long after: it counts
		// when it does.
		s.forgive(after.Ref)
	}
	s.seq++
	switch what {
	case "move":
		s.moved(by, before, after)
	case "claim", "confirm":
		s.claimed(by, before, after)
	case "release", "assign":
		c := before.Claim
		blind := c != nil && c.PID == 0 && c.Stale(s.wall(), looptest.StaleWindow) // nothing shows that a worker lives
		if by.Kind == board.ActorDispatcher && c != nil && s.sessionLives(c.Session) && !s.outside && !blind && (by.Run != "" || s.writer == nil || s.writer.looked[after.Ref] > s.stampedAt[after.Ref]) {
			s.broken("%s is let go while %s works on it", after.Ref, c.Session)
		}
	case "comment":
		s.commented(by, after)
	}
}

func claimOf(i *board.Issue) string {
	if i.Claim == nil {
		return "-"
	}
	return fmt.Sprintf("%s/%d", i.Claim.Session, i.Claim.Epoch)
}

// moved checks who may move a row where (board.Transitions), that a merged
// pull request ends all moves, that the owner's moves stand, and that a verdict
// is applied to the head that it was given on.
func (s *sim) moved(by board.Actor, before, after *board.Issue) {
	if by.Kind == board.ActorOwner {
		s.ownerMoved[after.Ref] = s.seq
		return
	}
	if s.outside {
		return
	}
	if err := board.MayMove(by, before, after.Role, after.Closed); err != nil {
		s.broken("%s: %v", after.Ref, err)
	}
	pr := s.pullOf(before)
	if by.Kind == board.ActorAutomation {
		if after.Closed && !s.anyMerged(before) {
			s.broken("%s is closed without a merged pull request", after.Ref)
		}
		return
	}
	if plan.EndedByMerge(before, pr) {
		s.broken("%s is moved by %s %s after the merge of %s", after.Ref, by.Kind, by.Run, pr.Name)
	}
	onward := before.Role == board.RoleInProgress && (after.Role != board.RoleQuestion || before.PrevRole != board.RoleQuestion)
	if at, claimed := s.claimedAt[s.sessionOf(by.Run)]; by.Run != "" && !onward && !(s.backwards && before.PrevRole == board.RoleQuestion) && before.StateBy == board.ActorOwner && (!claimed || at < s.ownerMoved[after.Ref]) {
		s.broken("%s: %s undoes the owner's move to %s: it goes to %s", after.Ref, by.Run, before.Role, after.Role)
	}
	if after.Role == board.RoleHumanReview {
		s.judged(by, after)
	}
}

// anyMerged says whether a pull request of the row was ever merged.
func (s *sim) anyMerged(i *board.Issue) bool {
	for _, p := range s.listPulls() {
		if p.State == board.PullMerged && plan.PullOf(i, []board.PullRequest{p}) != nil {
			return true
		}
	}
	return false
}

// judged checks a PASS: it was said, by this run, of the head that the loop
// saw when it decided.
func (s *sim) judged(by board.Actor, i *board.Issue) {
	v := s.workers[by.Run]
	switch {
	case v != nil && v.run.Kind == board.KindCleaner:
		s.prior(v, i)
	case v == nil && s.cleanUpLeft(by.Run):
	case v == nil || v.run.Kind != board.KindReviewer:
		s.broken("%s goes to Human Review without a reviewer (%s)", i.Ref, by.Run)
	case v.exit == nil || report.Parse(v.run.Kind, v.exit.Final).Verdict != report.VerdictPass:
		s.broken("%s goes to Human Review without a PASS of %s", i.Ref, by.Run)
	case s.writer != nil && !s.writer.sawHead(i, v.run.Head):
		s.broken("%s: the verdict of %s on %s is applied to another head", i.Ref, by.Run, v.run.Head)
	}
}

// cleanUpLeft says whether a run is a clean-up whose worker never lived: its row
// goes back.
func (s *sim) cleanUpLeft(run string) bool {
	for _, c := range s.checkouts {
		for _, r := range c.runs {
			if r.ID == run && r.Kind == board.KindCleaner && r.PriorRole == board.RoleHumanReview {
				return true
			}
		}
	}
	return false
}

// claimed checks that a claim is journalled before it is taken, and that no
// row is taken from a living worker.
func (s *sim) claimed(by board.Actor, before, after *board.Issue) {
	c := after.Claim
	s.stampedAt[after.Ref] = s.seq
	if c == nil || before.Claim != nil && before.Claim.Session == c.Session && before.Claim.Epoch == c.Epoch {
		return
	}
	if by.Kind != board.ActorDispatcher {
		s.broken("%s is claimed by a %s", after.Ref, by.Kind)
	}
	s.claimedAt[c.Session] = s.seq
	s.orphans[c.Session] = s.outside
	if !s.outside && !s.journalled(c.Session) {
		s.broken("%s is claimed by %s, which no journal holds", after.Ref, c.Session)
	}
	if before.Claim != nil {
		// What the other session's worker said is lost with its claim.
		delete(s.failed, work{after.Ref, before.Claim.Kind})
	}
	if old := before.Claim; old != nil && !s.outside && (s.board.Fenced && s.claimLives(*old) || !s.board.Fenced && s.sessionLives(old.Session) && !old.Stale(s.wall(), looptest.StaleWindow)) {
		s.broken("%s is taken from %s, whose worker lives", after.Ref, old.Session)
	}
}

func (s *sim) journalled(session string) bool {
	for _, c := range s.checkouts {
		if slices.ContainsFunc(c.runs, func(r state.Run) bool { return r.Session == session }) {
			return true
		}
	}
	return false
}

// commented checks that no try is counted beyond the cap, and learns when work
// went forward.
func (s *sim) commented(by board.Actor, i *board.Issue) {
	if by.Kind == board.ActorOwner {
		s.forgive(i.Ref)
	}
	c := i.Comments[len(i.Comments)-1]
	m, ok := board.ParseMark(c.Body)
	if by.Kind != board.ActorDispatcher || !ok {
		return
	}
	if m.Try > s.set.Retry.MaxAttempts {
		s.broken("%s: try %d of %d", i.Ref, m.Try, s.set.Retry.MaxAttempts)
	}
	if m.Try == 0 {
		for _, k := range board.Kinds() {
			delete(s.failed, work{i.Ref, k})
		}
	}
}

// startsWell checks a worker that comes to life.
func (s *sim) startsWell(v *worker) {
	kind, all := 0, 0
	for _, o := range s.living {
		if o.at == v.at {
			all++
			if o.run.Kind == v.run.Kind {
				kind++
			}
		}
		if o.run.Ref == v.run.Ref && !s.superseded(o) && (o.at == v.at || v.at.p != nil && v.at.p.known > s.claimedAt[o.run.Session]) {
			s.broken("%s is worked by %s and %s at once", v.run.Ref, o.run.ID, v.run.ID)
		}
	}
	if kind >= s.set.Caps.Of(v.run.Kind) || all >= s.set.Caps.Total {
		s.broken("loop %d passes a cap: %d %ss, %d workers beside %s", v.at.n, kind, v.run.Kind, all, v.run.ID)
	}
	if p := v.at.p; p != nil && !s.calm && s.set.Limits.DayUSD > 0 && p.spentDay == s.wall().Format(time.DateOnly) && p.spentSeen >= s.set.Limits.DayUSD {
		s.broken("%s begins when $%.2f of $%.2f are spent", v.run.ID, p.spentSeen, s.set.Limits.DayUSD)
	}
	if v.run.Attempt > s.set.Retry.MaxAttempts {
		s.broken("%s: %s begins try %d of %d", v.run.Ref, v.run.ID, v.run.Attempt, s.set.Retry.MaxAttempts)
	}
	if n := s.failed[work{v.run.Ref, v.run.Kind}]; n >= s.set.Retry.MaxAttempts && !s.uncounted {
		s.broken("%s: %s begins after %d failed tries of %d", v.run.Ref, v.run.ID, n, s.set.Retry.MaxAttempts)
	}
	if !slices.ContainsFunc(v.at.runs, func(r state.Run) bool { return r.ID == v.run.ID }) && !s.outside {
		s.broken("%s starts without a journal", v.run.ID)
	}
}

// superseded says whether a worker's row is another's, or nobody's.
func (s *sim) superseded(v *worker) bool {
	for _, i := range s.board.Rows {
		if i.Ref == v.run.Ref {
			if s.board.Fenced {
				return i.Epoch != v.run.Epoch
			}
			return i.Claim == nil || i.Claim.Session != v.run.Session
		}
	}
	return true
}

// atWork says whether a row is where a try counts.
func (s *sim) atWork(ref board.Ref) bool {
	return slices.ContainsFunc(s.board.Rows, func(i *board.Issue) bool { return i.Ref == ref && i.Role == board.RoleInProgress })
}

// answeredSince says whether the owner sent the row back to work after the run
// claimed it, as the clocks say: then the run asked, and its end is no failure.
// A clock that was set back says so of an answer before it, too.
func (s *sim) answeredSince(v *worker) bool {
	return slices.ContainsFunc(s.board.Rows, func(i *board.Issue) bool {
		return i.Ref == v.run.Ref && i.PrevRole == board.RoleQuestion && i.StateSince.After(v.run.ClaimedAt)
	})
}

// buried takes a worker out of the living, and counts its failure.
func (s *sim) buried(v *worker) {
	s.living = slices.DeleteFunc(s.living, func(o *worker) bool { return o == v })
	if v.exit == nil || v.asked || strings.Contains(v.exit.Problem, "limit") || s.superseded(v) || !s.atWork(v.run.Ref) || s.answeredSince(v) {
		return
	}
	r := report.Parse(v.run.Kind, v.exit.Final)
	if v.exit.Problem != "" || r.Status == report.StatusNone && r.Verdict == report.VerdictNone {
		s.failed[work{v.run.Ref, v.run.Kind}]++
	}
}

// check looks at what must hold between any two steps.
func (s *sim) check() {
	for _, i := range s.board.Rows {
		if c := i.Claim; c != nil && !s.journalled(c.Session) && !s.orphans[c.Session] {
			s.broken("%s is claimed by %s, which nobody knows", i.Ref, c.Session)
		}
	}
}
