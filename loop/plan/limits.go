package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Limits are what may be spent, in USD; zero is no limit.
type Limits struct{ DayUSD, IssueUSD float64 }

// Spend is what one run has cost so far; At is when it ended, and now for one
// that runs.
type Spend struct {
	Ref board.Ref
	At  time.Time
	USD float64
}

// Spent is all that was spent, gathered for the rules.
type Spent struct {
	Today float64 // of the UTC day
	rows  map[board.Ref][]Spend
}

// Sum gathers what was spent, running workers included.
func Sum(now time.Time, spends []Spend) Spent {
	s := Spent{rows: map[board.Ref][]Spend{}}
	today := now.UTC().Format(time.DateOnly)
	for _, p := range spends {
		if p.At.UTC().Format(time.DateOnly) == today {
			s.Today += p.USD
		}
		s.rows[p.Ref] = append(s.rows[p.Ref], p)
	}
	for _, ps := range s.rows {
		slices.SortStableFunc(ps, func(a, b Spend) int { return a.At.Compare(b.At) })
	}
	return s
}

// Bar is why nothing may be dispatched to an agent now, whatever the rows say:
// Why is empty when something may.
type Bar struct {
	Hold, Why string
	Until     time.Time
	Fault     bool // a person has to change something first
}

// Bar says why nothing may be dispatched to an agent: the day's money is
// spent, the account behind the agent's kind has met its usage limit
// (failures.md, 8), its model does not answer, it cannot work here, or there is
// nothing to make a worktree from. It passes the day's limit by no more than
// the runs that had started.
func (f *Facts) Bar(k board.Kind, agent string) Bar {
	if limit := f.Settings.Limits.DayUSD; limit > 0 && f.Spent.Today >= limit {
		day := f.Now.UTC().Truncate(24 * time.Hour)
		return Bar{
			Hold: HoldQuota, Until: day.Add(24 * time.Hour),
			Why: fmt.Sprintf("quota: $%.2f of $%.2f spent today, until 00:00 UTC", f.Spent.Today, limit),
		}
	}
	kind := f.Settings.KindOf(agent)
	if reset := f.Limited[kind]; reset.After(f.Now) {
		return Bar{Hold: HoldQuota, Why: "quota: " + limitText(f.Now, kind, reset), Until: reset}
	}
	return f.Pauses.bar(f.Now, k, agent, kind)
}

// clock is a time of day in UTC, with its day where that is not today.
func clock(now, at time.Time) string {
	if now, at = now.UTC(), at.UTC(); now.YearDay() == at.YearDay() && now.Year() == at.Year() {
		return at.Format("15:04Z")
	}
	return at.Format("2006-01-02 15:04Z")
}

// KindOf is how an agent profile is run: profiles of one kind share an
// account, and so its usage limit.
func (s *Settings) KindOf(agent string) string { return orElse(s.AgentKinds[agent], agent) }

// ruleBudget: an issue that has cost what it may waits for its owner, who
// raises the limit or comments (design.md, section 13, limits).
func ruleBudget(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	spent, over := OverBudget(x.Facts, i)
	if !over {
		return Judgement{}, false
	}
	return hold(HoldBudget, "quota: $%.2f of $%.2f spent on this issue; comment on it, or raise limits.maxCostPerIssueUSD",
		spent, x.Settings.Limits.IssueUSD), true
}

// OverBudget says what an issue has cost since its owner last let it go on,
// and whether that is all it may.
func OverBudget(f *Facts, i *board.Issue) (spent float64, over bool) {
	limit := f.Settings.Limits.IssueUSD
	if limit <= 0 {
		return 0, false
	}
	let := time.Time{} // when the owner let it go on
	for _, p := range f.Spent.rows[i.Ref] {
		if !p.At.After(let) {
			continue // it had started before
		}
		if spent += p.USD; spent < limit {
			continue
		}
		if at, ok := spoke(i, p.At); ok {
			let, spent = at, 0
		}
	}
	return spent, spent >= limit
}

// spoke is the owner's first comment after a moment.
func spoke(i *board.Issue, after time.Time) (time.Time, bool) {
	for _, c := range i.Comments {
		if c.Role == board.ActorOwner && c.At.After(after) {
			return c.At, true
		}
	}
	return time.Time{}, false
}
