package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// asking is the sample with a worker that asks for a permission.
func asking() *state.Snapshot {
	s := busyRoom()
	s.Requests = []state.Request{{
		ID: "q1", Kind: state.RequestPermission, Run: "r12", Ref: "ACM-12", Tool: "Bash", Summary: "npm publish",
		Input: `{"command": "npm publish"}`, Since: ago(40e9),
	}}
	s.Needs = append([]state.Need{{
		Kind: state.NeedRequest, Ref: "ACM-12", Title: "Cache invalidation", Text: `run "npm publish"`, Run: "r12", Request: "q1", Since: ago(40e9),
	}}, s.Needs...)
	return s
}

// job is one of the fourteen jobs of screens.md, or a part of one.
type job struct {
	snap  func() *state.Snapshot
	reach []string // selects the row; not counted
	any   bool     // it is done from every view
	keys  []string // text: is not counted either
	most  int
	done  func(m *Model, sent []state.Command) bool
}

func sends(kinds ...state.CommandKind) func(*Model, []state.Command) bool {
	return func(_ *Model, sent []state.Command) bool {
		return len(sent) >= len(kinds) && slices.EqualFunc(sent[len(sent)-len(kinds):], kinds, func(c state.Command, k state.CommandKind) bool { return c.Kind == k })
	}
}

func shows(v view, texts ...string) func(*Model, []state.Command) bool {
	return func(m *Model, _ []state.Command) bool {
		s := plainScreen(m)
		return m.view == v && !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(s, t) })
	}
}

// fullBacklog is a board with five rows in Backlog.
func fullBacklog() *state.Snapshot {
	s := busyRoom()
	at := slices.IndexFunc(s.Rows, func(r state.Row) bool { return r.Issue.Role == board.RoleBacklog })
	for _, ref := range []board.Ref{"ACM-91", "ACM-92", "ACM-93", "ACM-94", "ACM-95"} {
		r := s.Rows[at]
		r.Issue.Ref = ref
		s.Rows = append(s.Rows, r)
	}
	return s
}

// failedRun is a board whose given-up run has left an error in its transcript.
func failedRun() *state.Snapshot {
	s := busyRoom()
	s.Needs = slices.DeleteFunc(s.Needs, func(n state.Need) bool { return n.Kind != state.NeedAttention })
	w := &s.Workers[slices.IndexFunc(s.Workers, func(w state.Worker) bool { return w.Run.Ref == s.Needs[0].Ref })]
	w.Run.Failure = "exit status 2"
	w.Tail = append(slices.Clone(w.Tail), state.Line{At: noon, Kind: state.LineTool, Tool: "Bash", Text: "make check", Done: true, Failed: true})
	for range 50 {
		w.Tail = append(w.Tail, state.Line{At: noon, Kind: state.LineText, Text: "and so on"})
	}
	w.Lines = len(w.Tail)
	return s
}

// fourteenJobs are the jobs, each with the keys that it may cost.
func fourteenJobs() map[string]job {
	paused := func() *state.Snapshot { s := busyRoom(); s.Mode = state.ModePaused; return s }
	backlog := []string{"/", "acm-91", "enter", "esc"}
	five := slices.Repeat([]state.CommandKind{state.CommandMove}, 5)
	return map[string]job{
		"see what needs me": {busyRoom, nil, true, nil, 0, func(m *Model, _ []state.Command) bool {
			return strings.Contains(plainScreen(m), "5 need you   ACM-7 question")
		}},
		"see all that needs me":                {busyRoom, nil, true, []string{"3"}, 1, shows(viewNeeds, "Needs you 5")},
		"answer with option 1":                 {busyRoom, nil, true, []string{"!", "a", "1", "enter"}, 4, sends(state.CommandAnswer)},
		"allow what a worker asks":             {asking, nil, true, []string{"!", "a", "1"}, 3, sends(state.CommandAllow)},
		"deny what a worker asks":              {asking, nil, true, []string{"!", "a", "3", "text:not now", "enter"}, 4, sends(state.CommandDeny)},
		"see why a row waits":                  {busyRoom, to("ACM-30"), false, nil, 0, shows(viewBoard, "blocked by ACM-")},
		"see every rule":                       {busyRoom, nil, false, []string{"w"}, 1, shows(viewIssue)},
		"look at a worker, in the strip":       {busyRoom, nil, false, nil, 0, shows(viewBoard, "go test ./")},
		"look at what a worker does":           {busyRoom, nil, false, []string{"t"}, 1, shows(viewWorkers, "ACM-12 developer")},
		"steer it":                             {busyRoom, nil, false, []string{"s", "text:use the key", "enter"}, 2, sends(state.CommandSteer)},
		"stop it and hold the row":             {busyRoom, nil, false, []string{"x", "y"}, 2, sends(state.CommandStop)},
		"review: read, then merge":             {busyRoom, to("ACM-3"), false, []string{"d", "M", "y"}, 3, sends(state.CommandMerge)},
		"review: read, then send back":         {busyRoom, to("ACM-3"), false, []string{"d", "R", "text:less", "enter"}, 3, sends(state.CommandRequest)},
		"Backlog to Ready":                     {fullBacklog, backlog, false, []string{"m", "enter"}, 2, sends(state.CommandMove)},
		"five rows to Ready":                   {fullBacklog, backlog, false, []string{"space", "space", "space", "space", "space", "m", "enter"}, 7, sends(five...)},
		"release a stale claim":                {busyRoom, to("ACM-8"), false, []string{"r", "y"}, 2, sends(state.CommandRelease)},
		"find an issue by word":                {busyRoom, nil, false, []string{"/", "text:paging", "enter"}, 2, func(m *Model, _ []state.Command) bool { return m.subject().Ref == "ACM-5" }},
		"find a folded row by word":            {busyRoom, nil, false, []string{"/", "text:finished", "enter"}, 2, func(m *Model, _ []state.Command) bool { return m.home.board.Selected().Issue.Role == board.RoleDone }},
		"today's money":                        {busyRoom, nil, true, nil, 0, func(m *Model, _ []state.Command) bool { return strings.Contains(plainScreen(m), "$4.12") }},
		"today's money by issue":               {busyRoom, nil, true, []string{"g", "m"}, 2, shows(viewMoney)},
		"pause for a meeting":                  {busyRoom, nil, true, []string{"p"}, 1, sends(state.CommandPause)},
		"resume":                               {paused, nil, true, []string{"p"}, 1, sends(state.CommandResume)},
		"look into a failed run, at the error": {failedRun, nil, true, []string{"!", "t"}, 2, shows(viewWorkers, "make check")},
		"try it again":                         {failedRun, []string{"!"}, true, []string{"a", "1"}, 2, sends(state.CommandRetry)},
		"leave it running":                     {busyRoom, nil, true, []string{"q", "enter"}, 2, sends(state.CommandLeave)},
	}
}

// TestTheFourteenJobsCostTheirKeys plays the jobs of screens.md and counts the
// keys, typed text not among them. Coming back after lunch has a test of its own,
// for it needs the time (TestComingBack).
func TestTheFourteenJobsCostTheirKeys(t *testing.T) {
	t.Parallel()
	for name, tc := range fourteenJobs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := []string{"1"}
			if tc.any {
				from = []string{"1", "2", "3", "4", "5"}
			}
			for _, size := range [][2]int{{120, 40}, {80, 24}} {
				for _, start := range from {
					m, ctl := room(size[0], size[1], tc.snap())
					if start == "3" && len(tc.keys) > 0 && tc.keys[0] == "!" {
						continue // there the first need is selected, and ! leads on
					}
					typeKeys(m, append([]string{start}, tc.reach...)...)
					pressed := 0
					for _, k := range tc.keys {
						if text, is := strings.CutPrefix(k, "text:"); is {
							typeKeys(m, text)
							continue
						}
						typeKeys(m, k)
						pressed++
					}
					if pressed > tc.most {
						t.Errorf("%d keys, at most %d", pressed, tc.most)
					}
					if !tc.done(m, ctl.commands()) {
						t.Errorf("not done in %v from view %s at %v: in %s, sent %+v\n%s", tc.keys, start, size, m.view.name(), ctl.commands(), plainScreen(m))
					}
				}
			}
		})
	}
}
