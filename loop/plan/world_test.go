package plan_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// noon is the moment of every decision in these tests.
var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

// ago is a moment so many minutes before it.
func ago(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }

func settings() plan.Settings {
	return plan.Settings{
		StaleWindow:  90 * time.Minute,
		Caps:         plan.Caps{Developers: 2, Reviewers: 2, Cleaners: 1, Total: 5},
		Retry:        plan.Retry{MaxAttempts: 2, First: 10 * time.Second, Max: 300 * time.Second},
		VerifyWindow: time.Hour,
		ConfirmLabel: "Confirm with user",
		DefaultBase:  "main",
		Agents:       map[string]bool{"developer": true, "reviewer": true, "cleaner": true, "fast": true},
	}
}

// row is a row in a column, moved there by its owner an hour ago.
func row(ref board.Ref, role board.Role, edits ...func(*board.Issue)) board.Issue {
	i := board.Issue{
		Ref: ref, Title: "Title of " + string(ref), Role: role, State: role.DefaultName(), Closed: role.Closed(),
		Milestone: "m1", StateSince: ago(60), StateBy: board.ActorOwner,
	}
	for _, e := range edits {
		e(&i)
	}
	return i
}

func delegated(d board.Delegate) func(*board.Issue) {
	return func(i *board.Issue) { i.Delegate = d }
}

func labelled(l ...string) func(*board.Issue) {
	return func(i *board.Issue) { i.Labels = append(i.Labels, l...) }
}

func claimed(session string, minutes int) func(*board.Issue) {
	return func(i *board.Issue) {
		i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: session, Stamp: ago(minutes)}
	}
}

func blockedBy(ref board.Ref, open bool) func(*board.Issue) {
	return func(i *board.Issue) { i.Blockers = append(i.Blockers, board.Blocker{Ref: ref, Open: open}) }
}

// said adds a comment so many minutes ago.
func said(minutes int, who board.ActorKind, body string) func(*board.Issue) {
	return func(i *board.Issue) {
		i.Comments = append(i.Comments, board.Comment{ID: fmt.Sprintf("c%d", len(i.Comments)+1), Role: who, Body: body, At: ago(minutes)})
	}
}

// movedBy says who moved the row last, when and from where.
func movedBy(who board.ActorKind, minutes int, from board.Role) func(*board.Issue) {
	return func(i *board.Issue) { i.StateBy, i.StateSince, i.PrevRole = who, ago(minutes), from }
}

// pull is an open pull request of the developer identity that fixes an issue.
func pull(n int, ref board.Ref, edits ...func(*board.PullRequest)) board.PullRequest {
	p := board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "dev[bot]", ByAgent: true, Base: "main",
		Head: plan.BranchPrefix(ref) + "work", HeadSHA: "aaaaaaaaaaaa", Checks: board.ChecksGreen, Issues: []board.Ref{ref},
	}
	for _, e := range edits {
		e(&p)
	}
	return p
}

func draft(p *board.PullRequest)   { p.Draft = true }
func foreign(p *board.PullRequest) { p.ByAgent, p.Author = false, "ann" }
func shut(p *board.PullRequest)    { p.State = board.PullClosed }

func merged(minutes int) func(*board.PullRequest) {
	return func(p *board.PullRequest) { p.State, p.MergedAt = board.PullMerged, ago(minutes) }
}

func checks(c board.CheckState) func(*board.PullRequest) {
	return func(p *board.PullRequest) { p.Checks = c }
}

func reviewed(id, author, body string, s board.ReviewState) func(*board.PullRequest) {
	return func(p *board.PullRequest) {
		p.Reviews = append(p.Reviews, board.Review{ID: id, Author: author, Body: body, State: s, Bot: author == "rev[bot]", Commit: p.HeadSHA, At: ago(5)})
	}
}

func facts(rows []board.Issue, pulls ...board.PullRequest) *plan.Facts {
	return &plan.Facts{Now: noon, Mode: state.ModeRunning, Rows: rows, Pulls: pulls, Settings: settings()}
}

// running is a live run on a row.
func running(ref board.Ref, k board.Kind) state.Run {
	return state.Run{ID: "run-" + string(ref), Session: "run-" + string(ref), Ref: ref, Kind: k, Attempt: 1, Phase: state.PhaseRunning, ClaimedAt: ago(30), PriorRole: board.RoleReady}
}

// ops are decisions in one line each, for comparison.
func ops(ds []state.Decision) []string {
	out := make([]string, len(ds))
	for n, d := range ds {
		switch d.Op {
		case state.OpSetState:
			out[n] = fmt.Sprintf("state %s from %s", d.Role.Word(), d.From.Word())
		case state.OpAssign:
			out[n] = "assign " + string(d.Delegate)
		case state.OpLinkPR, state.OpVerify:
			out[n] = string(d.Op) + " " + d.PR
		case state.OpRelease, state.OpComment, state.OpForget, state.OpRetry, state.OpNotice, state.OpDone:
			out[n] = string(d.Op)
		}
	}
	return out
}

func wantOps(t *testing.T, got []state.Decision, want ...string) {
	t.Helper()
	if !slices.Equal(ops(got), want) {
		t.Fatalf("decided %q, want %q\n%+v", ops(got), want, got)
	}
}

// textOf is the text of the first decision of a kind.
func textOf(ds []state.Decision, op state.Op) string {
	for _, d := range ds {
		if d.Op == op {
			return d.Text
		}
	}
	return ""
}
