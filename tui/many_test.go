package tui

import (
	"fmt"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// many is a board of 5,000 issues with 50 workers, all of whom ask something.
func many() *state.Snapshot {
	s := large(5000)
	one := s.Workers[0]
	s.Workers, s.Needs, s.Requests = nil, nil, nil
	for i := range 50 {
		w := one
		w.Run.ID, w.Run.Ref = fmt.Sprint("run-", i), s.Rows[i*7].Issue.Ref
		s.Rows[i*7].Run = w.Run.ID
		s.Workers = append(s.Workers, w)
		id := fmt.Sprint("ask-", i)
		s.Requests = append(s.Requests, state.Request{ID: id, Kind: state.RequestPermission, Run: w.Run.ID, Ref: w.Run.Ref, Tool: "Bash", Summary: "npm publish", Since: noon})
		s.Needs = append(s.Needs, state.Need{Kind: state.NeedRequest, Ref: w.Run.Ref, Title: "Publish", Run: w.Run.ID, Request: id, Since: noon})
	}
	for i := range 2000 {
		s.Log = append(s.Log, state.Entry{At: noon.Add(time.Duration(i) * time.Second), Firing: i / 3, Ref: board.Ref(fmt.Sprint("ACM-", i)), Text: "started", Bad: i%9 == 0})
		s.Pulls = append(s.Pulls, state.Pull{PR: board.PullRequest{Number: i, Name: fmt.Sprint("#", i), Title: "A change", Head: "task/x"}, Ref: board.Ref(fmt.Sprint("ACM-", i))})
	}
	return s
}

// TestFiveThousandIssues walks through every view of a board that is much
// larger than any screen, at every usual size.
func TestFiveThousandIssues(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}, {300, 80}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			m, _ := room(size[0], size[1], many())
			for _, keys := range [][]string{
				{"1"},
				{"G"},
				{"pgup"},
				{"home"},
				{"/"},
				{"4999"},
				{"enter"},
				{"enter"},
				{"esc"},
				{"esc"},
				{"2"},
				{"G"},
				{"v"},
				{"v"},
				{"3"},
				{"G"},
				{"enter"},
				{"esc"},
				{"4"},
				{"G"},
				{"pgup"},
				{"5"},
				{"home"},
				{"G"},
				{"1"},
				{":"},
				{"4321"},
				{"esc"},
				{"?"},
				{"esc"},
				{"!"},
				{"a"},
				{"esc"},
				{"q"},
				{"esc"},
			} {
				typeKeys(m, keys...)
				checkScreen(t, m)
			}
			if m.left != "" {
				t.Errorf("the walk left as %q", m.left)
			}
		})
	}
}

// TestALoopThatHangs says which step has lasted for how long, and one out of
// contact since when.
func TestALoopThatHangs(t *testing.T) {
	t.Parallel()
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }})
	m.resize(120, 40)
	s := sample()
	s.Step, s.StepSince = "poll", noon
	take(m, s)
	now = noon.Add(9 * time.Second)
	m.dirty = true
	hasNot(t, m, "is in poll for")
	now = noon.Add(31 * time.Second)
	m.dirty = true
	has(t, m, "poll")
	has(t, m, "0:31")
	m.Update(snapshotMsg{open: false, at: noon})
	has(t, m, "no contact")
	typeKeys(m, "j", "5", "1")
	has(t, m, "Cache invalidation")
}
