package tui

import (
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

// TestTheFourteenJobsCostTheirKeys plays the jobs of screens.md and counts the
// keys, typed text not among them.
func TestTheFourteenJobsCostTheirKeys(t *testing.T) {
	t.Parallel()
	kind := func(k state.CommandKind) func(*Model, []state.Command) bool {
		return func(_ *Model, sent []state.Command) bool { return len(sent) > 0 && sent[len(sent)-1].Kind == k }
	}
	in := func(v view) func(*Model, []state.Command) bool {
		return func(m *Model, _ []state.Command) bool { return m.view == v }
	}
	paused := func() *state.Snapshot { s := busyRoom(); s.Mode = state.ModePaused; return s }
	backlog := []string{"left", "left", "left", "left", "left"}
	for name, tc := range map[string]struct {
		snap  func() *state.Snapshot
		reach []string // selects the row; not counted
		keys  []string
		most  int
		done  func(m *Model, sent []state.Command) bool
	}{
		"see all that needs me":        {busyRoom, nil, []string{"3"}, 1, in(viewNeeds)},
		"answer with option 1":         {busyRoom, nil, []string{"!", "a", "1", "enter"}, 4, kind(state.CommandAnswer)},
		"allow what a worker asks":     {asking, nil, []string{"!", "a", "1"}, 3, kind(state.CommandAllow)},
		"see why a row waits":          {busyRoom, nil, []string{"w"}, 1, in(viewIssue)},
		"look at what a worker does":   {busyRoom, nil, []string{"t"}, 1, in(viewWorkers)},
		"steer it":                     {busyRoom, nil, []string{"s", "text:use the key", "enter"}, 2, kind(state.CommandSteer)},
		"stop it and hold the row":     {busyRoom, nil, []string{"x", "y"}, 2, kind(state.CommandStop)},
		"review: read, then merge":     {busyRoom, to("ACM-3"), []string{"d", "M", "y"}, 3, kind(state.CommandMerge)},
		"review: read, then send back": {busyRoom, to("ACM-3"), []string{"d", "R", "text:less", "enter"}, 3, kind(state.CommandRequest)},
		"Backlog to Ready":             {busyRoom, backlog, []string{"m", "enter"}, 2, kind(state.CommandMove)},
		"three rows to Ready":          {busyRoom, backlog, []string{"space", "space", "space", "m", "enter"}, 5, kind(state.CommandMove)},
		"release a stale claim":        {busyRoom, to("ACM-8"), []string{"r", "y"}, 2, kind(state.CommandRelease)},
		"find an issue by word": {busyRoom, nil, []string{"/", "text:finished", "enter"}, 2, func(m *Model, _ []state.Command) bool {
			return m.home.board.Selected().Issue.Role == board.RoleDone
		}},
		"today's money by issue":  {busyRoom, nil, []string{"g", "m"}, 2, in(viewMoney)},
		"pause for a meeting":     {busyRoom, nil, []string{"p"}, 1, kind(state.CommandPause)},
		"resume":                  {paused, nil, []string{"p"}, 1, kind(state.CommandResume)},
		"look into a failed run":  {busyRoom, []string{"!"}, []string{"!", "t"}, 2, in(viewWorkers)},
		"try a failed run again":  {busyRoom, []string{"!", "!"}, []string{"a", "1"}, 2, kind(state.CommandRetry)},
		"leave it running":        {busyRoom, nil, []string{"q", "enter"}, 2, kind(state.CommandLeave)},
		"deny what a worker asks": {asking, nil, []string{"!", "a", "3", "text:not now", "enter"}, 4, kind(state.CommandDeny)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][2]int{{120, 40}, {80, 24}} {
				m, ctl := room(size[0], size[1], tc.snap())
				typeKeys(m, tc.reach...)
				pressed := 0
				for _, k := range tc.keys {
					if len(k) > 5 && k[:5] == "text:" {
						typeKeys(m, k[5:])
						continue
					}
					typeKeys(m, k)
					pressed++
				}
				if pressed > tc.most {
					t.Errorf("%d keys, at most %d", pressed, tc.most)
				}
				if !tc.done(m, ctl.commands()) {
					t.Errorf("not done in %v: in %s, sent %+v\n%s", tc.keys, m.view.name(), ctl.commands(), plainScreen(m))
				}
			}
		})
	}
}
