package github

import (
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// passing are the conclusions that count as green; every other one, and one
// that is not told, does not (FACTS.md, Pull requests).
var passing = []string{"SUCCESS", "NEUTRAL", "SKIPPED"}

// addChecks reads check runs and legacy statuses alike.
func (s *Store) addChecks(pr *board.PullRequest, w *pullWire) {
	if w.StatusCheckRollup == nil {
		return
	}
	worst := board.ChecksGreen
	for i := range w.StatusCheckRollup.Contexts.Nodes {
		c := checkOf(&w.StatusCheckRollup.Contexts.Nodes[i], w.HeadRefOid)
		pr.CheckRuns = append(pr.CheckRuns, c)
		worst = worse(worst, c.State)
	}
	if len(pr.CheckRuns) < w.StatusCheckRollup.Contexts.TotalCount {
		worst = worse(worst, rollupOf(w.StatusCheckRollup.State)) // one that was not listed decides
	}
	if len(pr.CheckRuns) > 0 {
		pr.Checks = worst
	}
}

// worse is the one of two states that decides.
func worse(a, b board.CheckState) board.CheckState {
	for _, bad := range []board.CheckState{board.ChecksRed, board.ChecksPending} {
		if a == bad || b == bad {
			return bad
		}
	}
	return a
}

// rollupOf is the state of all checks together.
func rollupOf(state string) board.CheckState {
	switch state {
	case "SUCCESS":
		return board.ChecksGreen
	case "FAILURE", "ERROR":
		return board.ChecksRed
	}
	return board.ChecksPending
}

func checkOf(c *contextWire, head string) board.Check {
	if c.Typename == "StatusContext" {
		state := board.ChecksRed
		switch c.StatusContext.State {
		case "SUCCESS":
			state = board.ChecksGreen
		case "PENDING", "EXPECTED":
			state = board.ChecksPending
		}
		return board.Check{Name: c.StatusContext.Context, State: state, Head: head, Summary: strings.ToLower(c.StatusContext.State)}
	}
	out := board.Check{Name: c.CheckRun.Name, State: board.ChecksPending, Head: head}
	if c.CheckRun.Status != "COMPLETED" {
		return out
	}
	out.State, out.Summary = board.ChecksRed, "completed without a conclusion"
	if c.CheckRun.Conclusion != nil {
		out.Summary = strings.ToLower(strings.ReplaceAll(*c.CheckRun.Conclusion, "_", " "))
		if slices.Contains(passing, *c.CheckRun.Conclusion) {
			out.State = board.ChecksGreen
		}
	}
	return out
}
