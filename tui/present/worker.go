package present

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// WorkerTitle is the heading over a worker's stream: `ACM-12 developer · try 1
// · 12m · $0.43 · 48k tokens`.
func WorkerTitle(w *state.Worker, now time.Time) string {
	run := &w.Run
	parts := []string{
		widget.Clean(string(run.Ref)) + " " + widget.Clean(string(run.Kind)),
		"try " + fmt.Sprint(max(run.Attempt, 1)),
		runAge(run, now),
	}
	if w.CostUSD > 0 {
		parts = append(parts, widget.Money(w.CostUSD))
	}
	switch {
	case w.Tokens > 0:
		parts = append(parts, widget.Tokens(w.Tokens))
	case w.Context > 0: // its first turn has yet to tell what it took
		parts = append(parts, widget.Tokens(w.Context)+" in context")
	}
	return join(parts...)
}

// WorkerPlace is where a run works: its branch and worktree.
func WorkerPlace(w *state.Worker) string {
	var parts []string
	if w.Run.Worktree != "" {
		parts = append(parts, "worktree "+widget.Clean(filepath.Base(w.Run.Worktree)))
	}
	if w.Run.Branch != "" && len(parts) == 0 {
		parts = append(parts, "branch "+widget.Clean(w.Run.Branch))
	}
	return strings.Join(parts, " · ")
}

func runAge(run *state.Run, now time.Time) string {
	start := first(run.StartedAt, run.ClaimedAt)
	if !run.EndedAt.IsZero() && !start.IsZero() {
		return "ran " + widget.Lasted(run.EndedAt.Sub(start))
	}
	if start.IsZero() {
		return ""
	}
	return widget.Lasted(now.Sub(start))
}

// WorkerState is a worker in one line, also after its end.
func WorkerState(w *state.Worker, now time.Time, signs *themes.Signs) Status {
	if w.Outcome != "" {
		text := widget.Clean(w.Outcome)
		s := Status{themes.ToneGood, signs.Done, KindWord(w.Run.Kind) + " " + text, text}
		if w.Run.Failure != "" || strings.HasPrefix(w.Outcome, "gave up") || strings.HasPrefix(w.Outcome, "gaveUp") {
			s.Tone, s.Sign = themes.ToneDanger, signs.Failed
		}
		if ago := widget.Ago(w.Run.EndedAt, now); ago != "" {
			s.Text = join(s.Text, ago)
		}
		return s
	}
	return DescribeWorker(w, now, signs)
}

// WorkerLoad is what a run costs the machine: `212 MB, 5 processes`; empty when
// that is not known.
func WorkerLoad(w *state.Worker) string {
	if w.RSS <= 0 {
		return ""
	}
	s := fmt.Sprintf("%d MB", (w.RSS+1<<19)>>20)
	if w.Procs > 0 {
		s += ", " + widget.Count(w.Procs, "process", "processes")
	}
	return s
}
