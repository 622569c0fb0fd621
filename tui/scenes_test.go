package tui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// scene is a screen that is kept as a golden: how to get there, and on what
// picture.
type scene struct {
	name string
	keys []string
	snap func() *state.Snapshot
	lib  func(l *library) // what its reader answers otherwise
	dumb bool             // nothing has been answered yet
	then func(m *Model)   // what happens afterwards
}

// scenes are the views as they are on a usual day, and what stands over them.
// They are drawn at every size.
var scenes = []scene{
	{name: "board", snap: sample},
	{name: "board-strip", keys: []string{"tab"}, snap: sample},
	{name: "board-list", keys: []string{"v"}, snap: sample},
	{name: "board-backlog", keys: []string{"left", "left", "left"}, snap: sample},
	{name: "board-find", keys: []string{"/", "log"}, snap: sample},
	{name: "board-find-nothing", keys: []string{"/", "zebra"}, snap: sample},
	{name: "board-goto", keys: []string{"g"}, snap: sample},
	{name: "board-question", keys: []string{"!"}, snap: sample},
	{name: "board-none", snap: changed(func(s *state.Snapshot) { s.Rows, s.Workers, s.Pulls, s.Needs, s.Log = nil, nil, nil, nil, nil })},
	{name: "board-poll-error", snap: changed(func(s *state.Snapshot) {
		s.PollError = "read the board: issue file .dispatcher/board/ACM-9.json is from a newer version"
	})},
	{name: "board-notice", snap: changed(func(s *state.Snapshot) {
		s.Notices = []state.Notice{{ID: 1, Ref: "ACM-9", Text: "could not be claimed: its pull request is merged"}}
	})},
	{name: "board-paused", snap: changed(func(s *state.Snapshot) { s.Mode, s.Needs = state.ModePaused, nil })},
	{name: "issue", keys: []string{"enter"}, snap: sample},
	{name: "issue-why", keys: []string{"down", "down", "w"}, snap: sample},
	{name: "issue-question", keys: []string{"!", "enter"}, snap: sample},
	{name: "workers", keys: []string{"2"}, snap: sample},
	{name: "workers-transcript", keys: []string{"2", "enter", "home"}, snap: sample},
	{name: "workers-grid", keys: []string{"2", "v"}, snap: sample},
	{name: "workers-none", keys: []string{"2"}, snap: changed(func(s *state.Snapshot) { s.Workers = nil })},
	{name: "needs", keys: []string{"3"}, snap: sample},
	{name: "needs-answer", keys: []string{"!", "a", "1"}, snap: sample},
	{name: "needs-draft", keys: []string{"3", "a", "both", "esc", "esc"}, snap: sample},
	{name: "needs-review", keys: []string{"3", "down", "down"}, snap: sample},
	{name: "needs-asks", keys: []string{"3"}, snap: waitingWorkers},
	{name: "needs-none", keys: []string{"3"}, snap: changed(func(s *state.Snapshot) { s.Needs = nil })},
	{name: "permission", keys: []string{"!", "a"}, snap: waitingWorkers},
	{name: "ask", keys: []string{"!", "!", "a"}, snap: waitingWorkers},
	{name: "pulls", keys: []string{"4"}, snap: sample},
	{name: "diff", keys: []string{"3", "down", "down", "d"}, snap: sample},
	{name: "diff-line", keys: []string{"3", "down", "down", "d", "enter", "down", "down", "down", "down"}, snap: sample},
	{name: "diff-sides", keys: []string{"3", "down", "down", "d", "v"}, snap: sample},
	{name: "diff-request", keys: []string{"3", "down", "down", "d", "enter", "down", "down", "down", "down", "R", "too long"}, snap: sample},
	{name: "diff-text", keys: []string{"3", "down", "down", "d", ","}, snap: sample},
	{name: "log", keys: []string{"5"}, snap: sample},
	{name: "money", keys: []string{"g", "m"}, snap: sample},
	{name: "next", keys: []string{"g", "f"}, snap: sample},
	{name: "help", keys: []string{"?"}, snap: sample},
	{name: "palette", keys: []string{":"}, snap: sample},
	{name: "palette-found", keys: []string{":", "mo"}, snap: sample},
	{name: "move", keys: []string{"m"}, snap: sample},
	{name: "leave", keys: []string{"q"}, snap: sample},
	{name: "stop", keys: []string{"x"}, snap: sample},
	{name: "given-up", keys: []string{"3", "down", "a"}, snap: sample},
	{name: "leave-abort", keys: []string{"q", "3"}, snap: sample},
	{name: "waiting", snap: func() *state.Snapshot { return nil }},
}

// conditions are the views with nothing in them, before anything was read,
// without contact with the loop, and when something has failed.
var conditions = []scene{
	{name: "board-folded", snap: changed(func(s *state.Snapshot) {
		kept := s.Rows[:0]
		for i := range s.Rows {
			if r := s.Rows[i].Issue.Role; r == board.RoleBacklog || r == board.RoleDone {
				kept = append(kept, s.Rows[i])
			}
		}
		s.Rows, s.Workers, s.Needs = kept, nil, nil
	})},
	{name: "board-loading", snap: changed(func(s *state.Snapshot) {
		s.Rows, s.Workers, s.Pulls, s.Needs, s.Log, s.Firings = nil, nil, nil, nil, nil, nil
		s.PolledAt, s.Step, s.StepSince = time.Time{}, "poll", ago(4*time.Second)
		s.Reading = &board.Progress{Board: "GitHub", Page: 2, Pages: 3}
	})},
	{name: "board-silent", snap: changed(func(s *state.Snapshot) { s.Step, s.StepSince = "poll", ago(31*time.Second) })},
	{name: "board-lost", snap: sample, then: loseContact},
	{name: "issue-bare", keys: []string{"down", "enter"}, snap: sample},
	{name: "issue-loading", keys: []string{"enter"}, snap: sample, dumb: true, then: later(3 * time.Second)},
	{name: "issue-lost", keys: []string{"enter"}, snap: sample, then: loseContact},
	{name: "issue-failing", keys: []string{"enter"}, snap: sample, lib: failing},
	{name: "workers-starting", keys: []string{"2"}, snap: changed(func(s *state.Snapshot) {
		w := &s.Workers[0]
		w.Run.Phase, w.Run.StartedAt, w.Run.ClaimedAt, w.LastSign = state.PhaseClaimed, time.Time{}, ago(3*time.Second), time.Time{}
		w.Activity, w.CostUSD, w.Tokens, w.Lines, w.Tail = "", 0, 0, 0, nil
	})},
	{name: "workers-lost", keys: []string{"2"}, snap: sample, then: loseContact},
	{name: "workers-failing", keys: []string{"2", "down", "down"}, snap: sample, lib: failing},
	{name: "needs-lost", keys: []string{"3", "a", "both", "esc"}, snap: sample, then: loseContact},
	{name: "pulls-none", keys: []string{"4"}, snap: changed(func(s *state.Snapshot) { s.Pulls = nil })},
	{name: "pulls-unknown", keys: []string{"4"}, snap: unknownPulls},
	{name: "pulls-lost", keys: []string{"4"}, snap: sample, then: loseContact},
	{name: "diff-none", keys: []string{"4", "d"}, snap: sample, lib: func(l *library) { l.none = true }},
	{name: "diff-loading", keys: []string{"4", "d"}, snap: sample, dumb: true, then: later(3 * time.Second)},
	{name: "diff-failing", keys: []string{"4", "d"}, snap: sample, lib: failing},
	{name: "log-none", keys: []string{"5"}, snap: changed(func(s *state.Snapshot) { s.Log, s.Firings, s.Firing = nil, nil, 0 })},
	{name: "log-quiet", keys: []string{"5"}, snap: quiet},
	{name: "log-away", keys: []string{"5"}, snap: sample, then: comeBack},
	{name: "money-none", keys: []string{"g", "m"}, snap: changed(func(s *state.Snapshot) { s.CostToday = 0 }), lib: func(l *library) { l.none = true }},
	{name: "money-loading", keys: []string{"g", "m"}, snap: sample, dumb: true},
	{name: "money-failing", keys: []string{"g", "m"}, snap: sample, lib: failing},
	{name: "next-none", keys: []string{"g", "f"}, snap: sample, lib: func(l *library) { l.none = true }},
	{name: "next-loading", keys: []string{"g", "f"}, snap: sample, dumb: true},
	{name: "next-failing", keys: []string{"g", "f"}, snap: sample, lib: failing},
}

// play is a room in which a scene has been played.
func (sc *scene) play(w, h int) *Model {
	snap := sc.snap()
	m, _ := room(w, h, snap)
	if l := m.opts.Reader.(*library); sc.lib != nil { //nolint:forcetypeassert // room makes it one
		sc.lib(l)
	}
	if sc.dumb {
		for _, k := range sc.keys {
			press(m, k, func(*Model, tea.Cmd) {})
		}
	} else {
		typeKeys(m, sc.keys...)
	}
	if sc.then != nil {
		sc.then(m)
	}
	return m
}

// changed is the sample with something in it made otherwise.
func changed(how func(s *state.Snapshot)) func() *state.Snapshot {
	return func() *state.Snapshot {
		s := sample()
		how(s)
		return s
	}
}

// waitingWorkers is the sample with two workers that wait: one for a permission, one
// for an answer.
func waitingWorkers() *state.Snapshot {
	s := sample()
	s.Requests = []state.Request{
		{
			ID: "q1", Kind: state.RequestPermission, Run: "r12", Ref: "ACM-12", Tool: "Bash", Summary: "npm publish --access public",
			Input: "{\n  \"command\": \"npm publish --access public\",\n  \"description\": \"Publish the package\"\n}", Why: "no rule allows it",
			Like: []string{"Bash(npm publish *)"}, Since: ago(40 * time.Second), Until: noon.Add(9 * time.Minute), Default: "deny",
		},
		{
			ID: "q2", Kind: state.RequestQuestion, Run: "r5", Ref: "ACM-5", Tool: "AskUserQuestion", Summary: "Which page size?", Since: ago(20 * time.Second),
			Questions: []state.Question{{Header: "Page size", Text: "How many rows has a page?", Options: []state.Option{
				{Label: "50", Description: "what the old list had"}, {Label: "200", Description: "fits a large screen, four times the load"},
			}}},
		},
	}
	s.Needs = append([]state.Need{
		{Kind: state.NeedRequest, Ref: "ACM-12", Title: "Cache invalidation", Text: "run \"npm publish --access public\"", Run: "r12", Request: "q1", Since: ago(40 * time.Second)},
		{Kind: state.NeedRequest, Ref: "ACM-5", Title: "Paging", Text: "How many rows has a page?", Run: "r5", Request: "q2", Since: ago(20 * time.Second)},
	}, s.Needs...)
	return s
}

// quiet is the sample after many firings that did nothing.
func quiet() *state.Snapshot {
	s := sample()
	for n := range 40 {
		s.Firings = append(s.Firings, state.Firing{N: 214 + n, At: ago(10*time.Second - time.Duration(n)*time.Second/5), Why: "timer", Took: 9 * time.Millisecond})
	}
	s.Firing = 253
	return s
}

// unknownPulls are pull requests of which the forge has told only a part.
func unknownPulls() *state.Snapshot {
	s := sample()
	for i := range s.Pulls {
		p := &s.Pulls[i].PR
		p.Checks, p.CheckRuns, p.Mergeable, p.Behind, p.BaseSHA = "", nil, board.MergeUnknown, 0, ""
	}
	return s
}

func failing(l *library) { l.err = errors.New("read .claude/dispatcher/runs: permission denied") }

func loseContact(m *Model) {
	m.Update(contactMsg{Lost: ago(12 * time.Second), Again: noon.Add(3 * time.Second)})
}

// later lets time pass.
func later(d time.Duration) func(m *Model) {
	return func(m *Model) {
		m.now = func() time.Time { return noon.Add(d) }
		m.Update(tickMsg{})
	}
}

// comeBack lets an hour pass in which two issues are finished, and presses a
// key.
func comeBack(m *Model) {
	later(time.Hour)(m)
	s := sample()
	s.At, s.CostToday, s.NextFiring = noon.Add(time.Hour), 7.22, noon.Add(time.Hour)
	s.Firings = append(s.Firings, state.Firing{N: 214, At: noon.Add(30 * time.Minute), Why: "a worker finished", Took: 90 * time.Millisecond})
	s.Log = append(s.Log, state.Entry{At: noon.Add(30 * time.Minute), Firing: 214, Ref: "ACM-5", Text: "PASS on 77aa01 → Human Review, released, commented"})
	s.Needs = append(s.Needs, state.Need{Kind: state.NeedReview, Ref: "ACM-5", Title: "Paging", Text: "PASS at 77aa01", PR: "#39", Since: noon.Add(30 * time.Minute)})
	m.Update(snapshotMsg{snap: s, open: true, at: noon})
	typeKeys(m, "up")
}
