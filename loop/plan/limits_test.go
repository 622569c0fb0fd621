package plan_test

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestBarred: when nothing may start on an agent (design.md, section 13, limits).
func TestBarred(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 8, 27, 22, 30, 0, 0, time.UTC)
	midnight := time.Date(2026, 8, 28, 0, 0, 0, 0, time.UTC)
	elsewhere := time.FixedZone("east", 9*3600)
	spent := func(usd float64, when time.Time) func(*plan.Facts) {
		return func(f *plan.Facts) { f.Spent = plan.Sum(f.Now, []plan.Spend{{Ref: "DSP-1", At: when, USD: usd}}) }
	}
	day := func(usd float64) func(*plan.Facts) { return func(f *plan.Facts) { f.Settings.Limits.DayUSD = usd } }
	limited := func(kind string, until time.Time) func(*plan.Facts) {
		return func(f *plan.Facts) { f.Limited = map[string]time.Time{kind: until} }
	}
	cases := []struct {
		name  string
		edits []func(*plan.Facts)
		why   string
		until time.Time
	}{
		{"no limit", []func(*plan.Facts){spent(1000, at)}, "", time.Time{}},
		{"below it", []func(*plan.Facts){day(5), spent(4.99, at)}, "", time.Time{}},
		{"at it", []func(*plan.Facts){day(5), spent(5, at)}, "quota: $5.00 of $5.00 spent today, until 00:00 UTC", midnight},
		{"yesterday's", []func(*plan.Facts){day(5), spent(5, at.Add(-23*time.Hour))}, "", time.Time{}},
		{"the same UTC day in another zone", []func(*plan.Facts){day(5), spent(5, at.Add(-time.Hour).In(elsewhere)), func(f *plan.Facts) { f.Now = f.Now.In(elsewhere) }}, "quota: $5.00 of $5.00 spent today, until 00:00 UTC", midnight},
		{"the account's limit", []func(*plan.Facts){limited("claude", at.Add(time.Hour))}, "quota: usage limit of claude until 23:30Z", at.Add(time.Hour)},
		{"which resets tomorrow", []func(*plan.Facts){limited("claude", midnight.Add(time.Hour))}, "quota: usage limit of claude until 2026-08-28 01:00Z", midnight.Add(time.Hour)},
		{"which has reset", []func(*plan.Facts){limited("claude", at)}, "", time.Time{}},
		{"another account's", []func(*plan.Facts){limited("script", at.Add(time.Hour))}, "", time.Time{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &plan.Facts{Now: at, Mode: state.ModeRunning, Settings: plan.Settings{
				Caps: plan.Caps{Developers: 1, Total: 1}, AgentKinds: map[string]string{"developer": "claude", "fast": "claude"},
			}}
			for _, e := range c.edits {
				e(f)
			}
			for _, agent := range []string{"developer", "fast"} {
				if b := f.Bar(board.KindDeveloper, agent); b.Why != c.why || !b.Until.Equal(c.until) || b.Fault {
					t.Errorf("%s: %q until %s; want %q until %s", agent, b.Why, b.Until, c.why, c.until)
				}
			}
			if free := f.Free(board.KindDeveloper); free != (c.why == "") {
				t.Errorf("free: %v", free)
			}
			f.Rows = []board.Issue{{Ref: "DSP-9", Role: board.RoleReady}}
			f.Settings.Agents = map[string]bool{"developer": true}
			if starts := plan.TopUp(f); (len(starts) == 1) != (c.why == "") {
				t.Errorf("it starts %+v", starts)
			}
			if r := plan.Rows(f)[0]; c.why != "" && (r.Hold != plan.HoldQuota || r.Waits != c.why || !r.Next) {
				t.Errorf("the row waits: %q %q", r.Hold, r.Waits)
			}
		})
	}
}

// TestOverBudget: what an issue may cost, and what lets it go on.
func TestOverBudget(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)
	on := func(hours int, usd float64) plan.Spend {
		return plan.Spend{Ref: "DSP-1", At: noon.Add(time.Duration(hours) * time.Hour), USD: usd}
	}
	by := func(who board.ActorKind, hours int) board.Comment {
		return board.Comment{Role: who, At: noon.Add(time.Duration(hours)*time.Hour + time.Minute)}
	}
	owner := func(hours int) board.Comment { return by(board.ActorOwner, hours) }
	cases := []struct {
		name     string
		limit    float64
		spends   []plan.Spend
		comments []board.Comment
		spent    float64
		over     bool
	}{
		{"no limit", 0, []plan.Spend{on(0, 99)}, nil, 0, false},
		{"nothing spent", 5, nil, nil, 0, false},
		{"below it", 5, []plan.Spend{on(0, 2), on(1, 2.5)}, nil, 4.5, false},
		{"at it, over days and kinds", 5, []plan.Spend{on(0, 2), on(30, 3)}, nil, 5, true},
		{"another issue's", 5, []plan.Spend{{Ref: "DSP-2", At: noon, USD: 9}}, nil, 0, false},
		{"a comment before it was reached is no word on it", 5, []plan.Spend{on(1, 6)}, []board.Comment{owner(0)}, 6, true},
		{"a comment after it lets it go on", 5, []plan.Spend{on(0, 6)}, []board.Comment{owner(1)}, 0, false},
		{"an agent's comment does not", 5, []plan.Spend{on(0, 6)}, []board.Comment{by(board.ActorDeveloper, 1), by(board.ActorDispatcher, 2)}, 6, true},
		{"and then it may cost as much again", 5, []plan.Spend{on(0, 6), on(2, 4)}, []board.Comment{owner(1)}, 4, false},
		{"and is held again", 5, []plan.Spend{on(0, 6), on(2, 4), on(3, 1)}, []board.Comment{owner(1)}, 5, true},
		{"what had started before the word does not count again", 5, []plan.Spend{on(0, 6), on(1, 6)}, []board.Comment{owner(1)}, 0, false},
		{"raised", 20, []plan.Spend{on(0, 6), on(1, 6)}, nil, 12, false},
		{"out of order", 5, []plan.Spend{on(2, 1), on(0, 6)}, []board.Comment{owner(1)}, 1, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &plan.Facts{Now: noon.Add(48 * time.Hour), Settings: plan.Settings{Limits: plan.Limits{IssueUSD: c.limit}}}
			f.Spent = plan.Sum(f.Now, c.spends)
			if spent, over := plan.OverBudget(f, &board.Issue{Ref: "DSP-1", Comments: c.comments}); spent != c.spent || over != c.over {
				t.Errorf("$%.2f, over %v; want $%.2f, %v", spent, over, c.spent, c.over)
			}
		})
	}
}
