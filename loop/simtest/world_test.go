package simtest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// as is the board under the policy of one actor.
func (s *sim) as(a board.Actor) *board.Policy {
	return looptest.Policy(s.board, a, s.listPulls)
}

func (s *sim) pullOf(i *board.Issue) *board.PullRequest { return plan.PullOf(i, s.listPulls()) }

// listPulls are copies of all pull requests.
func (s *sim) listPulls() []board.PullRequest {
	out := make([]board.PullRequest, len(s.pulls))
	for n, p := range s.pulls {
		out[n] = *p
		out[n].Reviews = slices.Clone(p.Reviews)
		if p.State != board.PullOpen {
			continue
		}
		b := s.branchOf(p.Name)
		out[n].BaseSHA, out[n].Behind, out[n].Mergeable = s.baseSHA(), s.base-b.on, board.MergeClean
		if b.conflict {
			out[n].Mergeable = board.MergeConflict
		}
	}
	return out
}

// push puts a new head on the task's branch, and opens its pull request where
// none is open.
func (s *sim) push(v *worker, draft bool) {
	if v.run.Branch == "" {
		return
	}
	head, checks := s.newHead(), board.ChecksNone
	if s.checks {
		checks = board.ChecksPending
	}
	s.trace("  worker %s pushes %s to %s", v.run.ID, head, v.run.Branch)
	if t := v.at.trees[v.run.Worktree]; t != nil {
		t.work = false
	}
	for _, p := range s.pulls {
		if p.Head == v.run.Branch && p.State == board.PullOpen {
			p.HeadSHA, p.Checks, p.Draft = head, checks, p.Draft && draft
			if s.dice.IntN(2) == 0 {
				*s.branchOf(p.Name) = branch{on: s.base} // it merged the base on the way
			}
			return
		}
	}
	n := len(s.pulls) + 1
	s.pulls = append(s.pulls, &board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "dev[bot]", ByAgent: true, Base: "main", Draft: draft,
		Head: v.run.Branch, HeadSHA: head, Checks: checks, Issues: []board.Ref{v.run.Ref}, CreatedAt: s.wall(),
	})
}

// newHead is a head that a branch moves to: a review's tries are those of one
// head.
func (s *sim) newHead() string {
	for w := range s.failed {
		if w.kind == board.KindReviewer {
			delete(s.failed, w)
		}
	}
	s.heads++
	return fmt.Sprintf("head%08d", s.heads)
}

// runChecks is what local checks find.
func (s *sim) runChecks(name string) {
	for _, p := range s.pulls {
		if p.Name != name || p.Checks != board.ChecksPending {
			continue
		}
		switch {
		case s.calm || s.dice.IntN(6) > 0:
			p.Checks = board.ChecksGreen
		case s.dice.IntN(3) > 0:
			p.Checks = board.ChecksRed
		}
	}
}

func (s *sim) makeTree(at *checkout, issue board.Issue, branch, run string) (loop.Worktree, error) {
	path := fmt.Sprintf("/trees/%d/%s", at.n, branch)
	t := at.trees[path]
	if t != nil && t.holder != "" && t.holder != run && s.lives(t.holder) {
		if s.outside {
			return loop.Worktree{}, errors.New("its lock names a living process")
		}
		s.broken("%s is given to %s while %s works in it", path, run, t.holder)
	}
	fresh := t == nil
	if fresh {
		t = &tree{ref: issue.Ref, branch: branch}
		at.trees[path] = t
	}
	t.holder, t.work = run, true
	return loop.Worktree{Path: path, Branch: branch, Base: s.baseSHA(), Fresh: fresh}, nil
}

// freeTree unlocks a worktree: what is unlocked may be removed, so that nobody
// may work in it.
func (s *sim) freeTree(at *checkout, path string) {
	t := at.trees[path]
	if t == nil || t.holder == "" {
		return
	}
	if s.lives(t.holder) && !s.outside {
		s.broken("%s is unlocked while %s works in it", path, t.holder)
	}
	t.holder = ""
}

// pruneTrees removes what holds nothing of value and is locked for no living
// process.
func (s *sim) pruneTrees(at *checkout) []string {
	for path, t := range at.trees {
		if !s.lives(t.holder) && !t.work {
			delete(at.trees, path)
		}
	}
	return nil
}

func (s *sim) newID() string {
	s.ids++
	return fmt.Sprintf("run-%03d", s.ids)
}

// some is one row of the board, or nil.
func (s *sim) some() *board.Issue {
	if len(s.board.Rows) == 0 {
		return nil
	}
	return s.board.Rows[s.dice.IntN(len(s.board.Rows))]
}

// populate makes the board of a history.
func (s *sim) populate() {
	boxes := []string{"", "", "- [ ] one\n- [ ] two"}
	for n := range 2 + s.dice.IntN(4) {
		i := board.NewIssue{Title: fmt.Sprintf("row %d", n+1), Milestone: "m1", State: board.RoleReady, Body: boxes[s.dice.IntN(len(boxes))]}
		if s.dice.IntN(10) == 0 {
			i.Milestone = "m2"
		}
		if n == 0 {
			i.Milestone = "m1"
		}
		if n > 0 && s.dice.IntN(8) == 0 {
			i.Blockers = []board.Ref{"DSP-1"}
		}
		if n > 0 && s.dice.IntN(12) == 0 {
			i.Parent = "DSP-1"
		}
		if s.dice.IntN(12) == 0 {
			i.State = board.RoleBacklog
		}
		s.board.Add(i)
	}
}

// jump sets the wall clock.
func (s *sim) jump(d time.Duration) {
	if now := s.wall(); now.After(s.latest) {
		s.latest = now
	}
	s.backwards = s.backwards || d < 0
	s.skew += d
	s.faults++
	s.trace("the clock jumps by %s", d)
}
