package simtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// branch is what the forge knows of a pull request's branch: which commit of
// the base it holds, and whether git can merge what came after that.
type branch struct {
	on       int
	conflict bool
}

func (s *sim) baseSHA() string { return fmt.Sprintf("base%08d", s.base) }

// branchOf is the branch of a pull request.
func (s *sim) branchOf(name string) *branch {
	b := s.branches[name]
	if b == nil {
		b = &branch{on: s.base}
		s.branches[name] = b
	}
	return b
}

// merges puts a pull request into the base: all others are behind now, and some
// of them in conflict.
func (s *sim) merges(pr *board.PullRequest) {
	pr.State, pr.MergedAt = board.PullMerged, s.wall()
	s.base++
	for _, o := range s.pulls {
		if o.State == board.PullOpen && s.dice.IntN(3) == 0 {
			s.branchOf(o.Name).conflict = true
		}
	}
}

// onto brings a branch up to date with the base under a new head. Only what
// git merged alone is a clean merge.
func (s *sim) onto(p *board.PullRequest, byHand bool) {
	head := s.newHead()
	if !byHand {
		s.clean[head] = p.HeadSHA
	}
	p.HeadSHA = head
	*s.branchOf(p.Name) = branch{on: s.base}
	if s.checks {
		p.Checks = board.ChecksPending
	}
}

// mergeOnly says whether one head came of another by clean merges alone.
func (s *sim) mergeOnly(from, to string) bool {
	for to != from {
		before, ok := s.clean[to]
		if !ok {
			return false
		}
		to = before
	}
	return true
}

func (s *sim) pullNamed(name string) *board.PullRequest {
	for _, p := range s.pulls {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// updatesOf are the branches as a process brings them up to date.
type updatesOf struct{ p *process }

func (f updatesOf) Freshen(_ context.Context, name, head string) error {
	return f.p.effect("freshen "+name, func() error { return f.p.s.freshen(f.p.at, name, head) })
}

func (s *sim) freshen(at *checkout, name, head string) error {
	p := s.pullNamed(name)
	switch {
	case p == nil || p.State != board.PullOpen:
		return errors.New("it is not open")
	case p.HeadSHA != head:
		return errors.New("its head has moved")
	case s.branchOf(name).conflict:
		return errors.New("it conflicts")
	}
	if p.Draft {
		s.broken("%s is freshened, a draft", name)
	}
	for _, v := range s.living {
		if v.at == at && !s.outside && (v.run.PR == name || v.run.Branch == p.Head) {
			s.broken("%s is freshened while %s (%s) works on it", name, v.run.ID, v.run.Kind)
		}
	}
	s.onto(p, false)
	return nil
}

func (f updatesOf) MergeOnly(_ context.Context, _, from, to string) (bool, error) {
	if err := f.p.read("merge only"); err != nil {
		return false, err
	}
	return f.p.s.mergeOnly(from, to), nil
}

func (f updatesOf) Foreign(context.Context, string, string, string) ([]string, error) {
	return nil, f.p.read("foreign")
}

// branchesOf are the branches as the worktrees of a process have them.
type branchesOf struct{ p *process }

func (f branchesOf) CheckedOut(context.Context) ([]string, error) {
	if err := f.p.read("branches"); err != nil {
		return nil, err
	}
	var out []string
	for _, t := range f.p.at.trees {
		out = append(out, t.branch)
	}
	return out, nil
}

func (f branchesOf) Checkout(_ context.Context, issue board.Issue, name, run string) (t loop.Worktree, err error) {
	err = f.p.effect("checkout", func() error { t, err = f.p.s.makeTree(f.p.at, issue, name, run); return err })
	return t, err
}

// merging is how the next cleaner works.
func (s *sim) merging() []move {
	byHand := s.dice.IntN(2) == 0
	merge := func(v *worker) { v.s.cleans(v, byHand) }
	if s.calm {
		return []move{works, merge, says("STATUS: COMPLETE")}
	}
	switch n := s.dice.IntN(100); {
	case n < 60:
		return []move{works, merge, works, says("STATUS: COMPLETE")}
	case n < 70:
		return []move{works, says("STATUS: COMPLETE")}
	case n < 80:
		return []move{works, fails}
	case n < 88:
		return []move{works, dies}
	case n < 92:
		return []move{works, hangs}
	case n < 96:
		return s.question(says("STATUS: INCOMPLETE"))
	default:
		return []move{works, merge, limited}
	}
}

// cleans is a cleaner that pushes its merge.
func (s *sim) cleans(v *worker, byHand bool) {
	p := s.pullNamed(v.run.PR)
	if p == nil || p.State != board.PullOpen {
		v.ends("", "its pull request is not open")
		return
	}
	if t := v.at.trees[v.run.Worktree]; t != nil {
		t.work = false
	}
	s.onto(p, byHand)
	s.trace("  worker %s merges the base into %s: %s", v.run.ID, p.Name, p.HeadSHA)
}

// prior checks that a clean-up puts its row back where it was.
func (s *sim) prior(v *worker, i *board.Issue) {
	if v.run.Kind == board.KindCleaner && v.run.PriorRole != i.Role && i.Role != board.RoleQuestion {
		s.broken("%s: the clean-up %s puts it to %s, it was in %s", i.Ref, v.run.ID, i.Role, v.run.PriorRole)
	}
}

// taskBranch is where a developer of an issue works.
func taskBranch(ref board.Ref) string { return plan.BranchPrefix(ref) + "work" }
