package plan_test

import (
	"fmt"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// large is a board of so many rows in every column, a tenth of them children
// and blocked rows, with 50 open pull requests and five workers.
func large(rows int) *plan.Facts {
	roles := []board.Role{backlog, ready, ready, ready, work, question, review, done, done, done}
	f := facts(make([]board.Issue, 0, rows))
	for n := range rows {
		i := row(board.Ref(fmt.Sprintf("DSP-%d", n+1)), roles[n%len(roles)], said(30, board.ActorDeveloper, "a note"), said(20, board.ActorOwner, "a reply"))
		switch n % 10 {
		case 1:
			i.Parent = board.Ref(fmt.Sprintf("DSP-%d", n+2))
		case 2:
			blockedBy("DSP-1", true)(&i)
		case 4:
			i.Delegate = "reviewer"
		}
		f.Rows = append(f.Rows, i)
	}
	for n := range 50 {
		f.Pulls = append(f.Pulls, pull(n+1, f.Rows[(n*97)%rows].Ref))
	}
	for n := range 5 {
		f.Runs = append(f.Runs, running(f.Rows[n*10+4].Ref, board.KindDeveloper))
	}
	return f
}

// BenchmarkPlan is what a firing asks of the plan over all its rows.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			f := large(n)
			b.ReportAllocs()
			for b.Loop() {
				plan.Merged(f)
				plan.TopUp(f)
				rows := plan.Rows(f)
				needs := plan.Needs(f, rows)
				if plan.Status(f, rows, needs) == "" || len(plan.OpenPulls(f)) != 50 {
					b.Fatal("no status")
				}
			}
		})
	}
}

// BenchmarkJudge is one row, as a dispatch reads it again.
func BenchmarkJudge(b *testing.B) {
	f := large(5000)
	f.Mode = state.ModeRunning
	for b.Loop() {
		plan.Judge(f, &f.Rows[1])
	}
}
