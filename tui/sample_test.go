package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// noon is the time at which every golden screen is drawn.
var noon = time.Date(2026, 8, 27, 14, 17, 42, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// stub is a loop that remembers what it was asked.
type stub struct {
	mu    sync.Mutex
	sent  []state.Command
	err   error
	done  state.Done // what a taken command answers
	ch    chan *state.Snapshot
	after func(c state.Command)
	// refuse says by row why a command is not taken.
	refuse map[board.Ref]string
}

func newStub() *stub { return &stub{ch: make(chan *state.Snapshot, 1)} }

func (s *stub) Send(ctx context.Context, c state.Command) (state.Done, error) {
	s.mu.Lock()
	s.sent = append(s.sent, c)
	done, err, after := s.done, s.err, s.after
	s.mu.Unlock()
	if after != nil {
		after(c)
	}
	if ctx.Err() != nil {
		return state.Done{}, ctx.Err()
	}
	if why := s.refuse[c.Ref]; why != "" {
		return state.Done{}, errors.New(why)
	}
	return done, err
}

func (s *stub) Snapshots() <-chan *state.Snapshot { return s.ch }

func (s *stub) commands() []state.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]state.Command(nil), s.sent...)
}

func sampleIssue(ref, title string, role board.Role, since time.Duration) board.Issue {
	return board.Issue{
		Ref: board.Ref(ref), Title: title, Role: role, State: role.DefaultName(), Milestone: "M1",
		CreatedAt: ago(72 * time.Hour), CreatedBy: "anna", StateSince: ago(since), StateBy: board.ActorDispatcher,
	}
}

// question is what a developer asks in the sample.
const question = `The issue asks for "local dates", the API tests expect ISO 8601.

1. ISO 8601 everywhere: tests stay, the UI converts. (recommended)
2. Local dates in files: 14 tests change, old imports break.
3. Both, by a flag: one more option to keep.

What should I do?`

// sample is a board with something in every state.
func sample() *state.Snapshot {
	s := &state.Snapshot{
		Version: 7, At: noon, Mode: state.ModeRunning, Repository: "acme/widgets", Milestones: []string{"M1", "M2"},
		Agents: "scripted agents", PolledAt: ago(18 * time.Second), NextFiring: noon.Add(42 * time.Second), Firing: 213,
		Status:    "3 working, 4 need you, 5 waiting",
		Slots:     state.Slots{Developers: 2, MaxDevelopers: 2, Reviewers: 1, MaxReviewers: 2, MaxCleaners: 1, MaxWorkers: 4},
		CostToday: 4.12, CostCap: 25,
	}
	s.Rows = sampleRows()
	s.Workers = sampleWorkers()
	s.Pulls = samplePulls()
	s.Needs = []state.Need{
		{Kind: state.NeedQuestion, Ref: "ACM-7", Title: "Which date format on export?", Text: question, Since: ago(14 * time.Minute)},
		{Kind: state.NeedAttention, Ref: "ACM-10", Title: "Retry the webhook 🚀 delivery", Text: "needs human attention: the developer failed twice: the tests of billing/ do not compile after the change", Since: ago(50 * time.Minute)},
		{Kind: state.NeedReview, Ref: "ACM-3", Title: "Login", Text: "PASS at 9c1f2e\n\nReads well, the lock test is a good idea.", PR: "#35", Since: ago(2 * time.Hour)},
		{Kind: state.NeedReview, Ref: "ACM-4", Title: "Themes 日本語 and 中文", Text: "PASS at 77aa01", PR: "#36", Since: ago(5 * time.Hour)},
	}
	s.Log = sampleLog()
	s.Firings = []state.Firing{
		{N: 211, At: ago(12 * time.Minute), Why: "timer", Took: 212 * time.Millisecond, Status: "1 started"},
		{N: 212, At: ago(5 * time.Minute), Why: "the board changed", Took: 8 * time.Millisecond},
		{N: 213, At: ago(11 * time.Second), Why: "a worker finished", Took: 1400 * time.Millisecond},
	}
	return s
}

func sampleRows() []state.Row {
	rows := []state.Row{
		{Issue: sampleIssue("ACM-21", "Export to CSV", board.RoleReady, time.Hour), Next: true, Hold: "next", Waits: "next: a developer, when one of 2 is free"},
		{Issue: sampleIssue("ACM-22", "Import wizard 导入向导 with a long title that never ends", board.RoleReady, time.Hour), Hold: "slots", Waits: "2 of 2 developers are busy"},
		{Issue: sampleIssue("ACM-30", "Audit log", board.RoleReady, time.Hour), Hold: "blocked", Waits: "blocked by ACM-21"},
		{Issue: sampleIssue("ACM-31", "Rename user 👨‍👩‍👧 family account", board.RoleReady, time.Hour), Hold: "confirm", Waits: "confirm with you first"},
		{Issue: sampleIssue("ACM-9", "Search ranks", board.RoleChangesRequested, 3*time.Hour), Next: true, Hold: "next", Waits: "next: a developer, when one of 2 is free"},
		{Issue: sampleIssue("ACM-12", "Cache invalidation", board.RoleInProgress, 12*time.Minute), Run: "r12"},
		{Issue: sampleIssue("ACM-5", "Paging", board.RoleInProgress, 20*time.Minute), Run: "r5"},
		{Issue: sampleIssue("ACM-8", "Quota", board.RoleInProgress, 97*time.Minute), Hold: "claim", Waits: "another session works it"},
		{Issue: sampleIssue("ACM-10", "Retry the webhook 🚀 delivery", board.RoleInProgress, 50*time.Minute), Hold: "attention", Waits: "needs human attention since 13:27"},
		{Issue: sampleIssue("ACM-7", "Which date format on export?", board.RoleQuestion, 14*time.Minute), Hold: "question", Waits: "waits for your answer"},
		{Issue: sampleIssue("ACM-3", "Login", board.RoleHumanReview, 2*time.Hour), Hold: "review", Waits: "waits for your review"},
		{Issue: sampleIssue("ACM-4", "Themes 日本語 and 中文", board.RoleHumanReview, 5*time.Hour), Hold: "review", Waits: "waits for your review"},
	}
	rows[2].Issue.Blockers = []board.Blocker{{Ref: "ACM-21", Open: true}}
	rows[5].Issue.Body = "Entries must leave the cache when their source changes, within one second,\neven while a read is under way.\n\n## Done when\n\n- [x] Evict on write\n- [ ] Expose metrics\n\n```go\ncache.Evict(key)\n```\n"
	rows[5].Issue.Labels = []string{"UI", "perf"}
	rows[5].Issue.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "a3f1c2d4", Stamp: ago(3 * time.Minute)}
	rows[5].Issue.Comments = []board.Comment{
		{Role: board.ActorDispatcher, Body: "PR #41, verify with: `go test ./...`", At: ago(2 * time.Hour)},
		{Role: board.ActorReviewer, Body: "CHANGES_REQUESTED: 2 blocking\n\ndispatcher:v1 run=59810cb4-925a-4429-8af2-dad00ffae11e kind=reviewer", At: ago(time.Hour)},
		{Role: board.ActorOwner, Author: "anna", Body: "please keep the old key format", At: ago(20 * time.Minute)},
	}
	rows[7].Issue.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "other", Stamp: ago(97 * time.Minute)}
	rows[9].Issue.Body = "Export dates as the user expects them.\n"
	for i := range 3 {
		rows = append(rows, state.Row{Issue: sampleIssue(fmt.Sprintf("ACM-%d", 40+i), fmt.Sprintf("Idea number %d", i+1), board.RoleBacklog, 24*time.Hour), Hold: "backlog", Waits: "in Backlog: yours to move"})
	}
	for i := range 4 {
		rows = append(rows, state.Row{Issue: sampleIssue(fmt.Sprintf("ACM-%d", 50+i), fmt.Sprintf("Finished thing %d", i+1), board.RoleDone, 30*time.Hour)})
	}
	return rows
}

func sampleWorkers() []state.Worker {
	tool := func(at time.Duration, name, text string, took time.Duration) state.Line {
		return state.Line{At: ago(at), Kind: state.LineTool, Tool: name, Text: text, Done: took > 0, Took: took}
	}
	dev := state.Worker{
		Run: state.Run{
			ID: "r12", Ref: "ACM-12", Kind: board.KindDeveloper, Attempt: 1, Phase: state.PhaseRunning, Title: "Cache invalidation",
			StartedAt: ago(12 * time.Minute), ClaimedAt: ago(12 * time.Minute), Branch: "task/acm-12-cache-invalidation", Worktree: "/home/anna/widgets.worktrees/acm-12",
		},
		LastSign: ago(3 * time.Second), Activity: "running go test ./cache/...", CostUSD: 0.43, Tokens: 48_200, Lines: 2114,
		Tail: []state.Line{
			{At: ago(12 * time.Minute), Kind: state.LineText, Text: "I'll start with the failing test."},
			tool(11*time.Minute, "Read", "/home/anna/widgets.worktrees/acm-12/cache/store.go", 20*time.Millisecond),
			{At: ago(10 * time.Minute), Kind: state.LineThinking, Text: "The lock is taken twice when a key is evicted during a read; the read path must release it first."},
			tool(9*time.Minute, "Edit", "cache/store.go  +14 −3", 30*time.Millisecond),
			{At: ago(8 * time.Minute), Kind: state.LineTool, Tool: "Bash", Text: "go test ./cache/...", Done: true, Failed: true, Took: 8 * time.Second},
			{At: ago(7 * time.Minute), Kind: state.LineError, Text: "--- FAIL: TestEvict (0.00s)\n    store_test.go:41: got 2 entries, want 1"},
			tool(5*time.Minute, "Edit", "cache/store.go  +2 −1", 30*time.Millisecond),
			tool(4*time.Minute, "Bash", "go test ./cache/...", 8*time.Second),
			{At: ago(2 * time.Minute), Kind: state.LineText, Text: "All green. Now the metrics: the issue wants them exposed under /metrics, so a gauge for entries and a counter for evictions is enough."},
			tool(3*time.Second, "Bash", "go test ./... -run 'Evict|Metrics' -count=1", 0),
		},
	}
	rev := state.Worker{
		Run: state.Run{
			ID: "r5", Ref: "ACM-5", Kind: board.KindReviewer, Attempt: 1, Phase: state.PhaseRunning, Title: "Paging",
			StartedAt: ago(3 * time.Minute), ClaimedAt: ago(3 * time.Minute), PR: "#39",
		},
		LastSign: ago(time.Second), Activity: "reading the diff", CostUSD: 0.11, Tokens: 9_100, Lines: 41,
		Tail: []state.Line{
			tool(2*time.Minute, "Bash", "dispatcher pulls diff 39", 900*time.Millisecond),
			{At: ago(time.Minute), Kind: state.LineText, Text: "The cursor is not escaped before it becomes part of the query; checking the callers."},
			{At: ago(30 * time.Second), Kind: state.LineDenied, Tool: "Bash", Text: "npm publish"},
		},
	}
	gone := state.Worker{
		Run: state.Run{
			ID: "r10", Ref: "ACM-10", Kind: board.KindDeveloper, Attempt: 2, Phase: state.PhaseEnded, Title: "Retry the webhook 🚀 delivery",
			StartedAt: ago(70 * time.Minute), EndedAt: ago(50 * time.Minute), Failure: "the tests of billing/ do not compile",
		},
		CostUSD: 1.2, Tokens: 120_000, Lines: 3, Outcome: "gave up: failed twice",
		Tail: []state.Line{
			tool(60*time.Minute, "Bash", "go build ./...", 4*time.Second),
			{At: ago(51 * time.Minute), Kind: state.LineError, Text: "billing/retry.go:12: undefined: backoff"},
			{At: ago(50 * time.Minute), Kind: state.LineResult, Text: "I could not make it compile.", Failed: true},
		},
	}
	return []state.Worker{dev, rev, gone}
}

func samplePulls() []state.Pull {
	checks := func(states ...board.CheckState) []board.Check {
		var out []board.Check
		for i, s := range states {
			out = append(out, board.Check{Name: []string{"lint", "unit", "race", "e2e"}[i], State: s})
		}
		return out
	}
	g, r, p := board.ChecksGreen, board.ChecksRed, board.ChecksPending
	pulls := []state.Pull{
		{Ref: "ACM-12", PR: board.PullRequest{Number: 41, Name: "#41", Title: "Cache invalidation", State: board.PullOpen, Draft: true, Head: "task/acm-12-cache-invalidation", Mergeable: board.MergeClean, Checks: p, CheckRuns: checks(g, g, p, p), CreatedAt: ago(12 * time.Minute)}},
		{Ref: "ACM-5", PR: board.PullRequest{Number: 39, Name: "#39", Title: "Paging", State: board.PullOpen, Head: "task/acm-5-paging", Mergeable: board.MergeUnknown, Checks: g, CheckRuns: checks(g, g), CreatedAt: ago(time.Hour)}},
		{Ref: "ACM-9", PR: board.PullRequest{Number: 38, Name: "#38", Title: "Search ranks", State: board.PullOpen, Head: "task/acm-9-search-ranks", Mergeable: board.MergeConflict, Behind: 7, Checks: r, CheckRuns: checks(r, g), CreatedAt: ago(26 * time.Hour), Reviews: []board.Review{
			{State: board.ReviewChangesRequested, Body: "two things", At: ago(3 * time.Hour), Findings: []board.Finding{{Severity: "blocking"}, {Severity: "blocking"}, {Severity: "nit"}}},
		}}},
		{Ref: "ACM-4", PR: board.PullRequest{Number: 36, Name: "#36", Title: "Themes 日本語 and 中文", State: board.PullOpen, Head: "task/acm-4-themes", Mergeable: board.MergeClean, Behind: 3, Checks: g, CheckRuns: checks(g, g, g, g), CreatedAt: ago(6 * time.Hour), Reviews: []board.Review{{Bot: true, Commit: "77aa01", State: board.ReviewComment, Body: "PASS at 77aa01"}}}},
		{Ref: "ACM-3", PR: board.PullRequest{Number: 35, Name: "#35", Title: "Login", State: board.PullOpen, Head: "task/acm-3-login", Mergeable: board.MergeClean, Checks: g, CheckRuns: checks(g, g, g, g), CreatedAt: ago(3 * time.Hour), Reviews: []board.Review{{Bot: true, State: board.ReviewComment, Body: "PASS at 9c1f2e"}}}},
	}
	for i := range pulls {
		pulls[i].PR.Base, pulls[i].PR.BaseSHA = "main", "e41b02"
		for j := range pulls[i].PR.Reviews {
			review := &pulls[i].PR.Reviews[j]
			review.Author = "reviewer"
			if review.At.IsZero() {
				review.At = ago(2 * time.Hour)
			}
		}
	}
	return pulls
}

func sampleLog() []state.Entry {
	return []state.Entry{
		{At: ago(12 * time.Minute), Firing: 211, Text: "1 started"},
		{At: ago(12 * time.Minute), Firing: 211, Ref: "ACM-12", Text: "Ready tier 3 → claimed, worktree acm-12, developer started"},
		{At: ago(5 * time.Minute), Firing: 212, Text: "nothing started"},
		{At: ago(5 * time.Minute), Firing: 212, Ref: "ACM-8", Text: "claim of another session is 92m old", Bad: true},
		{At: ago(11 * time.Second), Firing: 213, Text: "1 routed, 1 started"},
		{At: ago(11 * time.Second), Firing: 213, Ref: "ACM-3", Text: "PASS on 9c1f2e → Human Review, released, commented"},
		{At: ago(11 * time.Second), Firing: 213, Ref: "ACM-5", Text: "In Progress, delegate reviewer → claimed, reviewer started"},
		{At: ago(11 * time.Second), Firing: 213, Ref: "ACM-22", Text: "waits: 2 of 2 developers busy"},
	}
}

// large is a board of n issues and five busy workers.
func large(n int) *state.Snapshot {
	s := sample()
	s.Rows = nil
	roles := board.Roles()
	for i := range n {
		role := roles[i%len(roles)]
		s.Rows = append(s.Rows, state.Row{
			Issue: sampleIssue(fmt.Sprintf("ACM-%d", i+1), fmt.Sprintf("Issue number %d about %s", i+1, strings.Repeat("x", i%20)), role, time.Duration(i)*time.Minute),
			Hold:  "blocked", Waits: fmt.Sprintf("blocked by ACM-%d", i),
		})
	}
	return s
}

// room is a control room of a size with a picture, on a clock that stands.
func room(w, h int, s *state.Snapshot) (*Model, *stub) {
	ctl := newStub()
	lib := &library{snap: sample}
	if s != nil {
		lib.snap = func() *state.Snapshot { return s }
	}
	opts := Options{Controller: ctl, Reader: lib, Now: func() time.Time { return noon }}
	opts.Attention.Away = 10 * time.Minute
	m := newModel(context.Background(), opts)
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	if s != nil {
		m.Update(snapshotMsg{snap: s, open: true, at: noon})
	}
	return m, ctl
}

var namedKeys = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "f1": {Code: tea.KeyF1},
	"ctrl+z": {Code: 'z', Mod: tea.ModCtrl}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
	"ctrl+l": {Code: 'l', Mod: tea.ModCtrl}, "ctrl+f": {Code: 'f', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
	"space": {Code: tea.KeySpace, Text: " "}, "backspace": {Code: tea.KeyBackspace},
}

// typeKeys presses keys one after the other and carries out what they ask for
// at once. A word that names no key is typed letter by letter.
func typeKeys(m *Model, keys ...string) {
	for _, k := range keys {
		press(m, k, settle)
	}
}

// press presses a key, or types a word, and lets do carry out what it asks for.
func press(m *Model, k string, do func(*Model, tea.Cmd)) {
	if msg, ok := namedKeys[k]; ok {
		do(m, m.onKeyMsg(msg))
		return
	}
	for _, r := range k {
		do(m, m.onKeyMsg(tea.KeyPressMsg{Code: r, Text: string(r)}))
	}
}

func (m *Model) onKeyMsg(msg tea.KeyPressMsg) tea.Cmd {
	_, cmd := m.Update(msg)
	return cmd
}

// settle runs a command as the program would, except what waits.
func settle(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			settle(m, c)
		}
	case nil, tea.QuitMsg:
	default:
		_, next := m.Update(msg)
		settle(m, next)
	}
}

// screen is what the room shows, as text.
func screen(m *Model) string {
	m.dirty = true
	return m.View().Content
}
