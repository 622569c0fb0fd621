package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// dispatcher-system.md, Rework: a Changes Requested row with no pull request.
func TestBoardErrors(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC)
	told := board.Comment{Role: board.ActorDispatcher, At: now, Body: board.AttentionText("Changes Requested without an open pull request")}
	for name, c := range map[string]struct {
		issue board.Issue
		pulls []board.PullRequest
		want  bool
	}{
		"without a pull request": {issue: board.Issue{Ref: "DSP-1", Role: board.RoleChangesRequested}, want: true},
		"with one": {
			issue: board.Issue{Ref: "DSP-1", Role: board.RoleChangesRequested},
			pulls: []board.PullRequest{{Number: 1, Name: "#1", State: board.PullOpen, Issues: []board.Ref{"DSP-1"}}},
		},
		"told already":      {issue: board.Issue{Ref: "DSP-1", Role: board.RoleChangesRequested, Comments: []board.Comment{told}}},
		"in another column": {issue: board.Issue{Ref: "DSP-1", Role: board.RoleReady}},
		"a person's row":    {issue: board.Issue{Ref: "DSP-1", Role: board.RoleChangesRequested, Assignee: "Ann"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := plan.BoardErrors(&plan.Facts{Now: now, Rows: []board.Issue{c.issue}, Pulls: c.pulls})
			if (len(got) == 1) != c.want {
				t.Fatalf("got %+v, want one: %v", got, c.want)
			}
			if !c.want {
				return
			}
			if _, held := board.Attention(&board.Issue{Comments: []board.Comment{{Role: board.ActorDispatcher, Body: got[0].Text}}}, "", ""); !held {
				t.Errorf("%q does not hold the row", got[0].Text)
			}
		})
	}
}

// board-dispatch.md, Guards that refuse, the last_run holds.
func TestLastRunHolds(t *testing.T) {
	t.Parallel()
	issue := board.Issue{Ref: "DSP-1", Role: board.RoleReady, LastRun: "0a1b2c3d-4e5f"}
	for name, c := range map[string]struct {
		last map[board.Ref]plan.LastRun
		want string
	}{
		"over":       {want: ""},
		"lives":      {last: map[board.Ref]plan.LastRun{"DSP-1": {Lives: true}}, want: "still lives"},
		"unreadable": {last: map[board.Ref]plan.LastRun{"DSP-1": {Error: "exit.json is cut"}}, want: "exit.json is cut"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &plan.Facts{
				Mode: state.ModeRunning, Rows: []board.Issue{issue}, LastRuns: c.last,
				Settings: plan.Settings{Caps: plan.Caps{Developers: 1, Total: 1}},
			}
			j := plan.Judge(f, &issue)
			if (j.Hold == plan.HoldLastRun) != (c.want != "") || !strings.Contains(j.Waits, c.want) {
				t.Errorf("judged %q: %q, want %q", j.Hold, j.Waits, c.want)
			}
			if started := len(plan.TopUp(f)) == 1; started != (c.want == "") {
				t.Errorf("started: %v", started)
			}
		})
	}
}

// design.md, section 6, a sign of life; dispatcher-system.md, Stranded rows.
func TestStrays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC)
	claim := func(k board.Kind, age time.Duration) *board.Claim {
		return &board.Claim{Kind: k, Session: "s-1", Stamp: now.Add(-age)}
	}
	const stale, fresh = 2 * time.Hour, time.Minute
	pr := board.PullRequest{Number: 1, Name: "#1", State: board.PullOpen, Issues: []board.Ref{"DSP-1"}}
	for name, c := range map[string]struct {
		issue   board.Issue
		pulls   []board.PullRequest
		inScope bool
		lives   bool
		ours    bool
		review  bool
		let     bool
		told    bool // and nothing else
	}{
		"a stale claim of another account is told of": {
			issue: board.Issue{Role: board.RoleHumanReview, Claim: &board.Claim{Kind: board.KindReviewer, Session: "s-1", Stamp: now.Add(-stale), Account: "dana"}}, told: true,
		},
		"and so is one that was stamped in the future": {
			issue: board.Issue{Role: board.RoleHumanReview, Claim: &board.Claim{Kind: board.KindReviewer, Session: "s-1", Stamp: now.Add(1000 * time.Hour), Written: now.Add(-stale), Account: "dana"}}, told: true,
		},
		"a stale review outside our milestones is taken over": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateReviewer, Claim: claim(board.KindReviewer, stale)},
			pulls: []board.PullRequest{pr}, review: true,
		},
		"inside them the queue takes it": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateReviewer, Claim: claim(board.KindReviewer, stale)},
			pulls: []board.PullRequest{pr}, inScope: true,
		},
		"a stale review without a pull request is let go": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateReviewer, Claim: claim(board.KindReviewer, stale)}, let: true,
		},
		"a stale developer outside is let go": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper, Claim: claim(board.KindDeveloper, stale)}, let: true,
		},
		"a stale developer inside is tier 1": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper, Claim: claim(board.KindDeveloper, stale)}, inScope: true,
		},
		"a stale claim on a row in review is let go": {
			issue: board.Issue{Role: board.RoleHumanReview, Claim: claim(board.KindReviewer, stale)}, inScope: true, let: true,
		},
		"a fresh claim is left alone": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper, Claim: claim(board.KindDeveloper, fresh)},
		},
		"a living worker is left alone": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper, Claim: claim(board.KindDeveloper, stale)}, lives: true,
		},
		"ours is ours": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper, Claim: claim(board.KindDeveloper, stale)}, ours: true,
		},
		"another agent's row is left alone": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: "somebody", Claim: claim(board.KindDeveloper, stale)},
		},
		"without a claim there is nothing to strand": {
			issue: board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.issue.Ref = "DSP-1"
			f := &plan.Facts{
				Now: now, Mode: state.ModeRunning, Others: []board.Issue{c.issue}, Pulls: c.pulls,
				Settings: plan.Settings{StaleWindow: 90 * time.Minute},
			}
			if c.inScope {
				f.Rows = f.Others
			}
			if c.lives {
				f.Lives = map[board.Ref]bool{"DSP-1": true}
			}
			if c.ours {
				f.Runs = []state.Run{{ID: "r", Ref: "DSP-1", Phase: state.PhaseRunning}}
			}
			got := plan.Strays(f)
			if (len(got.Review) == 1) != c.review || (len(got.Let) > 0) != (c.let || c.told) {
				t.Fatalf("review %v, let go %v", got.Review, got.Let)
			}
			if c.let && (got.Let[0].Op != state.OpRelease || got.Let[0].Text != "s-1" || got.Let[1].Op != state.OpNotice) {
				t.Errorf("let go by %+v", got.Let)
			}
			if c.told && (len(got.Let) != 1 || got.Let[0].Op != state.OpNotice || !strings.Contains(got.Let[0].Text, "dana")) {
				t.Errorf("told by %+v", got.Let)
			}
		})
	}
}

func TestSignOfLife(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC)
	claim := &board.Claim{Kind: board.KindDeveloper, Session: "s-1", Stamp: now.Add(-2 * time.Hour)}
	for name, c := range map[string]struct {
		comment board.Comment
		claim   *board.Claim
		want    bool
	}{
		"a comment of its kind":       {board.Comment{Role: board.ActorDeveloper, At: now.Add(-time.Hour)}, claim, true},
		"an older comment":            {board.Comment{Role: board.ActorDeveloper, At: now.Add(-100 * time.Minute)}, claim, false},
		"a comment of another's":      {board.Comment{Role: board.ActorOwner, At: now.Add(-time.Minute)}, claim, false},
		"a comment before its claim":  {board.Comment{Role: board.ActorDeveloper, At: now.Add(-time.Hour)}, &board.Claim{Kind: board.KindDeveloper, Stamp: now}, false},
		"a comment without any claim": {board.Comment{Role: board.ActorDeveloper, At: now}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &plan.Facts{Now: now, Settings: plan.Settings{StaleWindow: 90 * time.Minute}}
			if got := plan.SignOfLife(f, &board.Issue{Claim: c.claim, Comments: []board.Comment{c.comment}}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// design.md, section 11: why answers every rule that was asked, up to the one
// that holds the row.
func TestExplain(t *testing.T) {
	t.Parallel()
	f := &plan.Facts{Mode: state.ModeRunning, Settings: plan.Settings{Caps: plan.Caps{Developers: 1, Total: 1}}}
	free := board.Issue{Ref: "DSP-1", Role: board.RoleReady}
	all := plan.Explain(f, &free)
	if last := all[len(all)-1]; last.Held || last.Says != "developer tier 3" {
		t.Errorf("a free row ends with %+v", last)
	}
	for i, a := range all {
		if a.Ask == "" || a.Source == "" || a.Says == "" {
			t.Errorf("answer %d is not whole: %+v", i, a)
		}
		told(t, a)
	}
	backlog := board.Issue{Ref: "DSP-2", Role: board.RoleBacklog}
	held := plan.Explain(f, &backlog)
	if last := held[len(held)-1]; !last.Held || len(held) >= len(all) {
		t.Errorf("a row in Backlog is answered by %+v", held)
	} else if want := "docs/state-machine.md, Why a row waits: backlog"; last.Source != want {
		t.Errorf("a row in Backlog is told of in %s; want %s", last.Source, want)
	}
}

// told holds an answer's source to the documents that its reader has: the page
// is there, with the section and with every reason that it names.
func told(t *testing.T, a plan.Answer) {
	t.Helper()
	page, place, _ := strings.Cut(a.Source, ", ")
	section, reasons, _ := strings.Cut(place, ": ")
	data, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(page)))
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if err != nil || !strings.Contains(text, "## "+section+"\n") {
		t.Errorf("%s: %s has no such section: %v", a.Ask, a.Source, err)
	}
	for _, r := range strings.Split(reasons, ", ") {
		if r != "" && !strings.Contains(text, "\n| "+r+" | ") {
			t.Errorf("%s: %s does not tell of %s", a.Ask, page, r)
		}
	}
}

// Blockers that wait for each other never end by themselves: the reason names
// the circle, and the owner is told (failures, row 22: catalyst#1505).
func TestBlockedInACircle(t *testing.T) {
	t.Parallel()
	row := func(ref board.Ref, blockers ...board.Ref) board.Issue {
		i := board.Issue{Ref: ref, Role: board.RoleReady}
		for _, b := range blockers {
			i.Blockers = append(i.Blockers, board.Blocker{Ref: b, Open: true})
		}
		return i
	}
	for name, c := range map[string]struct {
		rows []board.Issue
		want string // what DSP-1 waits for
		need bool
	}{
		"A-B-A":                {[]board.Issue{row("DSP-1", "DSP-2"), row("DSP-2", "DSP-1")}, "blocked in a circle, DSP-1 → DSP-2 → DSP-1: take one of the blockers out", true},
		"by itself":            {[]board.Issue{row("DSP-1", "DSP-1")}, "blocked in a circle, DSP-1 → DSP-1: take one of the blockers out", true},
		"by way of a third":    {[]board.Issue{row("DSP-1", "DSP-2"), row("DSP-2", "DSP-3"), row("DSP-3", "DSP-1")}, "blocked in a circle, DSP-1 → DSP-2 → DSP-3 → DSP-1: take one of the blockers out", true},
		"by others' circle":    {[]board.Issue{row("DSP-1", "DSP-2"), row("DSP-2", "DSP-3"), row("DSP-3", "DSP-2")}, "blocked by DSP-2", false},
		"a diamond is none":    {[]board.Issue{row("DSP-1", "DSP-2", "DSP-3"), row("DSP-2", "DSP-4"), row("DSP-3", "DSP-4"), row("DSP-4")}, "blocked by DSP-2, DSP-3", false},
		"by a row not on it":   {[]board.Issue{row("DSP-1", "DSP-9")}, "blocked by DSP-9", false},
		"a parent's own child": {[]board.Issue{row("DSP-1", "DSP-2"), {Ref: "DSP-2", Role: board.RoleReady, Children: []board.Child{{Ref: "DSP-1"}}}}, "blocked by DSP-2", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &plan.Facts{Mode: state.ModeRunning, Rows: c.rows, Others: c.rows}
			rows := plan.Rows(f)
			if rows[0].Waits != c.want {
				t.Errorf("DSP-1 waits: %q, want %q", rows[0].Waits, c.want)
			}
			needs := plan.Needs(f, rows)
			if told := len(needs) > 0 && needs[0].Ref == "DSP-1"; told != c.need {
				t.Errorf("the owner is told: %v, want %v", told, c.need)
			}
		})
	}
}
