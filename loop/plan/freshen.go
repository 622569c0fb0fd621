package plan

import (
	"fmt"
	"sort"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// maxFreshened is how many pull requests one firing brings up to date
// (dispatcher-system.md, Maintenance, Freshen PRs).
const maxFreshened = 5

// maxRefusals is how often an update that fails is tried at the same head and
// base by one loop.
const maxRefusals = 3

// Refusal is an update of a pull request that failed.
type Refusal struct {
	Head, Base string
	Times      int
	Why        string
}

// Freshen chooses the pull requests that are brought up to date now: most
// behind first, at most five (dispatcher-system.md, Maintenance, Freshen PRs;
// design.md, section 7).
func Freshen(f *Facts) []board.PullRequest {
	if f.Mode != state.ModeRunning {
		return nil
	}
	var out []board.PullRequest
	var rows pullRows
	for n := range f.Pulls {
		p := &f.Pulls[n]
		if p.State != board.PullOpen || p.Behind <= 0 {
			continue
		}
		if rows == nil {
			rows = rowsOfPulls(f)
		}
		if StaysBehind(f, p, rows[n]) == "" {
			out = append(out, *p)
		}
	}
	sortBehind(out)
	return out[:min(len(out), maxFreshened)]
}

// sortBehind puts the most behind first, and the oldest of those.
func sortBehind(ps []board.PullRequest) {
	sort.SliceStable(ps, func(a, b int) bool {
		if ps[a].Behind != ps[b].Behind {
			return ps[a].Behind > ps[b].Behind
		}
		return ps[a].Number < ps[b].Number
	})
}

// StaysBehind says in words why a pull request is not brought up to date, given
// the rows that it belongs to; empty when it is.
func StaysBehind(f *Facts, p *board.PullRequest, rows []*board.Issue) string {
	switch {
	case p.State != board.PullOpen:
		return fmt.Sprintf("it is %s", p.State)
	case p.Behind <= 0:
		return "it is up to date"
	case !p.ByAgent:
		return fmt.Sprintf("it is %s's", p.Author)
	case p.Draft:
		return "it is a draft"
	case p.Mergeable == board.MergeConflict:
		return "it conflicts with " + p.Base
	case p.Mergeable != board.MergeClean:
		return "whether it merges is not known yet"
	case f.CheckedOut == nil:
		return "which branches are checked out is not known"
	case f.CheckedOut[p.Head]:
		return "its branch is checked out in a worktree"
	}
	if why := worked(f, rows); why != "" {
		return why
	}
	if why := givenUpAt(p, rows); why != "" {
		return why
	}
	if r, ok := f.Refused[p.Name]; ok && r.Times >= maxRefusals && r.Head == p.HeadSHA && r.Base == p.BaseSHA {
		return r.Why
	}
	return ""
}

// worked says who works a pull request now: a run of ours in any phase, or the
// fresh claim of another session. Its head stays where it is: a verdict counts
// for the head it was given on (design.md, section 7).
func worked(f *Facts, rows []*board.Issue) string {
	for _, i := range rows {
		if rest, held := ruleTouched(f, i); held {
			return rest.Waits
		}
		if r, ours := f.RunOn(i.Ref); ours {
			return fmt.Sprintf("the %s of %s is at it", r.Kind, i.Ref)
		}
		if c := i.Claim; c != nil && (!c.Stale(f.Now, f.Settings.StaleWindow) || f.Lives[i.Ref]) {
			return fmt.Sprintf("the %s of another session is at it", c.Kind)
		}
	}
	return ""
}

// givenUpAt says which row was given up at this very head: a head that moves
// ends that hold, and our own update is no new work.
func givenUpAt(p *board.PullRequest, rows []*board.Issue) string {
	for _, i := range rows {
		_, held := board.Attention(i, p.HeadSHA, p.BaseSHA)
		if _, still := board.Attention(i, "another", p.BaseSHA); held && !still {
			return fmt.Sprintf("%s needs your attention first", i.Ref)
		}
	}
	return ""
}

// pullRows are the rows that each pull request belongs to, by its place in the
// facts.
type pullRows map[int][]*board.Issue

// rowsOfPulls looks over the rows of the whole project.
func rowsOfPulls(f *Facts) pullRows {
	x := newIndex(f)
	out := pullRows{}
	seen := map[board.Ref]bool{}
	add := func(rows []board.Issue) {
		for n := range rows {
			i := &rows[n]
			if seen[i.Ref] {
				continue
			}
			seen[i.Ref] = true
			last := -1
			x.each(i, func(p int) {
				if p != last {
					out[p] = append(out[p], i)
					last = p
				}
			})
		}
	}
	add(f.Rows)
	add(f.Others)
	return out
}

// AnyBehind says whether an open pull request lacks commits of its base, so
// that it matters which branches are checked out.
func AnyBehind(f *Facts) bool {
	for n := range f.Pulls {
		if p := &f.Pulls[n]; p.State == board.PullOpen && (p.Behind > 0 || p.Mergeable == board.MergeConflict) {
			return true
		}
	}
	return false
}
