package tui

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// busyRoom is the sample with more to act on: what waits to be released, a
// pull request that conflicts, one that is red.
func busyRoom() *state.Snapshot {
	s := sample()
	s.Needs = append(s.Needs, state.Need{Kind: state.NeedStale, Ref: "ACM-8", Title: "Quota", Text: "stale claim", Since: ago(90 * time.Minute)})
	s.Rows[0].Issue.URL = "https://boards.example/ACM-21"
	for i := range s.Pulls {
		s.Pulls[i].PR.HeadSHA = "head-" + s.Pulls[i].PR.Name
	}
	return s
}

// to are the keys that select a row from the start of the board.
func to(ref string, keys ...string) []string {
	return append([]string{"/", strings.ToLower(ref), "enter"}, keys...)
}

func ptr(s string) *string { return &s }

// TestActionsSendWhatTheySay is every action that changes something, by its
// key: what is asked for, and that nothing is before it was confirmed.
func TestActionsSendWhatTheySay(t *testing.T) {
	t.Parallel()
	move := func(ref board.Ref, from, to board.Role) state.Command {
		return state.Command{Kind: state.CommandMove, Ref: ref, Role: to, From: from}
	}
	for name, tc := range map[string]struct {
		keys []string
		want []state.Command
	}{
		"the usual next column":     {to("ACM-40", "m", "enter"), []state.Command{move("ACM-40", board.RoleBacklog, board.RoleReady)}},
		"another column by digit":   {to("ACM-21", "m", "1"), []state.Command{move("ACM-21", board.RoleReady, board.RoleBacklog)}},
		"done is merged, not moved": {to("ACM-21", "m", "6", "esc"), nil},
		"hold":                      {to("ACM-21", "m", "7"), []state.Command{{Kind: state.CommandHold, Ref: "ACM-21"}}},
		"a worked row asks first":   {[]string{"m", "2"}, nil},
		"a worked row, confirmed":   {[]string{"m", "2", "y"}, []state.Command{move("ACM-12", board.RoleInProgress, board.RoleReady)}},
		"a menu swallows":           {[]string{"m", "p", "x", "esc"}, nil},
		"carry down":                {to("ACM-21", "esc", "J"), []state.Command{{Kind: state.CommandOrder, Ref: "ACM-21", After: "ACM-22"}}},
		"carry up":                  {to("ACM-22", "esc", "K"), []state.Command{{Kind: state.CommandOrder, Ref: "ACM-22", Before: "ACM-21"}}},
		"carry over the end":        {to("ACM-21", "esc", "K"), nil},
		"claim":                     {to("ACM-21", "c"), []state.Command{{Kind: state.CommandClaim, Ref: "ACM-21"}}},
		"claim a worked row":        {[]string{"c"}, nil},
		"release a stale claim":     {to("ACM-8", "r", "y"), []state.Command{{Kind: state.CommandRelease, Ref: "ACM-8"}}},
		"release, enter is nothing": {to("ACM-8", "r", "enter", "n"), nil},
		"release what is free":      {to("ACM-21", "r"), nil},
		"dispatch now":              {to("ACM-21", "D", "y"), []state.Command{{Kind: state.CommandDispatch, Ref: "ACM-21"}}},
		"dispatch, no":              {to("ACM-21", "D", "n"), nil},
		"steer":                     {[]string{"s", "use the new key", "enter"}, []state.Command{{Kind: state.CommandSteer, Ref: "ACM-12", Run: "r12", Text: "use the new key"}}},
		"steer with a new line":     {[]string{"s", "one", "ctrl+j", "two", "enter"}, []state.Command{{Kind: state.CommandSteer, Ref: "ACM-12", Run: "r12", Text: "one\ntwo"}}},
		"steer nobody":              {to("ACM-21", "s"), nil},
		"interrupt":                 {[]string{"i"}, []state.Command{{Kind: state.CommandInterrupt, Ref: "ACM-12", Run: "r12"}}},
		"stop":                      {[]string{"x", "y"}, []state.Command{{Kind: state.CommandStop, Ref: "ACM-12", Text: "stopped in the control room"}}},
		"take over":                 {[]string{"T", "y"}, []state.Command{{Kind: state.CommandTakeOver, Ref: "ACM-12", Run: "r12"}}},
		"merge":                     {to("ACM-3", "M", "y"), []state.Command{{Kind: state.CommandMerge, Ref: "ACM-3", PR: "#35", Head: "head-#35"}}},
		"merge a conflict":          {to("ACM-9", "M"), nil},
		"merge a draft":             {[]string{"M"}, nil},
		"request changes":           {to("ACM-3", "R", "less of it", "enter"), []state.Command{{Kind: state.CommandRequest, Ref: "ACM-3", PR: "#35", Head: "head-#35", Text: "less of it"}}},
		"request nothing":           {to("ACM-3", "R", "enter", "esc"), nil},
		"update from main":          {to("ACM-4", "U", "y"), []state.Command{{Kind: state.CommandUpdatePR, Ref: "ACM-4", PR: "#36"}}},
		"a new issue": {[]string{"b", "A title", "ctrl+j", "and text", "enter"}, []state.Command{{
			Kind: state.CommandCreate, Issue: &state.IssueDraft{Title: ptr("A title"), Body: ptr("and text"), Milestone: ptr("M1")},
		}}},
		"a new issue without a title": {[]string{"b", "enter", "esc"}, nil},
		"edit the labels": {to("ACM-21", "E", "2", "ui, perf,ui", "enter"), []state.Command{{
			Kind: state.CommandEdit, Ref: "ACM-21", Issue: &state.IssueDraft{Labels: []string{"ui", "perf"}, Was: &state.IssueDraft{Labels: []string{}}},
		}}},
		"edit the blockers": {to("ACM-21", "E", "3", "acm-30", "enter"), []state.Command{{
			Kind: state.CommandEdit, Ref: "ACM-21", Issue: &state.IssueDraft{Blockers: []board.Ref{"ACM-30"}, Was: &state.IssueDraft{Blockers: []board.Ref{}}},
		}}},
		"edit the labels away": {to("ACM-12", "E", "2", "ctrl+u", "enter"), []state.Command{{
			Kind: state.CommandEdit, Ref: "ACM-12", Issue: &state.IssueDraft{Labels: []string{}, Was: &state.IssueDraft{Labels: []string{"UI", "perf"}}},
		}}},
		"edit nothing":      {to("ACM-21", "E", "1", "enter"), nil},
		"pause":             {[]string{"p"}, []state.Command{{Kind: state.CommandPause}}},
		"undo":              {[]string{"z"}, []state.Command{{Kind: state.CommandUndo}}},
		"undo, the other":   {[]string{"u"}, []state.Command{{Kind: state.CommandUndo}}},
		"fire":              {[]string{"ctrl+r"}, []state.Command{{Kind: state.CommandFire}}},
		"stop the loop":     {[]string{"X", "1"}, []state.Command{{Kind: state.CommandDrain}}},
		"abort wants words": {[]string{"X", "2", "y", "enter", "esc", "esc"}, nil},
		"abort":             {[]string{"X", "2", "abort", "enter"}, []state.Command{{Kind: state.CommandAbort}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
				m, ctl := room(size[0], size[1], busyRoom())
				typeKeys(m, tc.keys...)
				checkScreen(t, m)
				if got := ctl.commands(); !(len(got) == 0 && len(tc.want) == 0) && !reflect.DeepEqual(got, tc.want) {
					t.Fatalf("%v sent %+v, want %+v", tc.keys, got, tc.want)
				}
				if m.left != "" {
					t.Fatalf("left the room: %s", m.left)
				}
			}
		})
	}
}

func TestAFreshClaimWantsItsRefTyped(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Rows[7].Issue.Claim.Stamp = ago(2 * time.Minute)
	m, ctl := room(100, 30, s)
	typeKeys(m, to("ACM-8", "r", "y", "enter")...)
	if len(ctl.commands()) != 0 {
		t.Fatalf("sent %+v", ctl.commands())
	}
	has(t, m, "may be worked right now")
	typeKeys(m, "backspace", "acm-8", "enter")
	if got := ctl.commands(); len(got) != 1 || got[0].Kind != state.CommandRelease {
		t.Errorf("sent %+v", got)
	}
}

func TestAMergeOnRedWantsItsNameTyped(t *testing.T) {
	t.Parallel()
	s := busyRoom()
	s.Pulls[4].PR.Checks = board.ChecksRed
	m, ctl := room(100, 30, s)
	typeKeys(m, to("ACM-3", "M", "y", "enter")...)
	has(t, m, "although its checks are not green")
	typeKeys(m, "backspace", "#35", "enter")
	if got := ctl.commands(); len(got) != 1 || !got[0].Force || got[0].PR != "#35" {
		t.Errorf("sent %+v", got)
	}
}

// Where the owner's login is missing the page opens on which they can review,
// and the text that was written stays.
func TestAReviewWithoutALoginIsWrittenThere(t *testing.T) {
	t.Parallel()
	for why, want := range map[error]string{
		fmt.Errorf("request: %w", board.ErrNoLogin): "https://forge.test/o/r/pull/35/files",
		errors.New("the head has moved"):            "",
	} {
		s := busyRoom()
		s.Pulls[4].PR.URL = "https://forge.test/o/r/pull/35"
		m, ctl := room(100, 30, s)
		ctl.err = why
		opened := ""
		m.opts.Browse = func(url string) error { opened = url; return nil }
		typeKeys(m, to("ACM-3", "R", "less of it", "enter")...)
		if opened != want {
			t.Errorf("%v: opened %q", why, opened)
		}
		typeKeys(m, "R")
		has(t, m, "less of it")
	}
}

// What became of several rows is one sentence, whichever answer comes last.
func TestSeveralRowsAreAnsweredForTogether(t *testing.T) {
	t.Parallel()
	for want, refuse := range map[string]map[board.Ref]string{
		"3 rows → Ready · z takes them back, one at a time":                      nil,
		"2 rows → Ready, 1 not: ACM-41: somebody was faster":                     {"ACM-41": "somebody was faster"},
		"1 row → Ready, 2 not: ACM-41 is no row of this board; and 1 more":       {"ACM-41": "ACM-41 is no row of this board", "ACM-42": "no"},
		"0 rows → Ready, 3 not: ACM-40: the board cannot be written; and 2 more": {"ACM-40": "the board cannot be written", "ACM-41": "x", "ACM-42": "y"},
	} {
		m, ctl := room(120, 40, busyRoom())
		typeKeys(m, to("ACM-40", "esc", "space", "space", "space")...)
		typeKeys(m, "m")
		ctl.done = state.Done{Undo: 7, Text: "moved"}
		ctl.refuse = refuse
		typeKeys(m, "enter")
		has(t, m, want)
	}
}

func TestMarksAreToldOnANarrowScreen(t *testing.T) {
	t.Parallel()
	m, _ := room(80, 24, busyRoom())
	typeKeys(m, to("ACM-12", "esc", "space")...)
	has(t, m, "1 row marked: m move · c take · r release · esc none")
}

// A question about dispatching says what keeps the row, and no refusal names it
// twice.
func TestDispatchingWhatWaits(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, busyRoom())
	typeKeys(m, to("ACM-30", "D")...)
	has(t, m, "blocked by ACM-21.")
	ctl.err = errors.New("ACM-30 cannot be worked now: blocked by ACM-21")
	typeKeys(m, "y")
	has(t, m, "could not dispatch: ACM-30 cannot be worked now: blocked by ACM-21")
}

func TestMarkedRowsActTogether(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, busyRoom())
	typeKeys(m, to("ACM-40", "esc", "space", "space", "space")...)
	has(t, m, "3 rows marked")
	has(t, m, "*ACM-40")
	typeKeys(m, "m")
	has(t, m, "Move 3 rows")
	typeKeys(m, "enter")
	got := ctl.commands()
	if len(got) != 3 || got[0].Ref != "ACM-40" || got[2].Ref != "ACM-42" || got[1].Role != board.RoleReady || got[1].From != board.RoleBacklog {
		t.Fatalf("sent %+v", got)
	}
	hasNot(t, m, "rows marked")
	has(t, m, "3 rows → Ready")
	// Another try, called off: the marks stay until esc takes them.
	typeKeys(m, "space", "m", "esc")
	has(t, m, "*ACM-42")
	typeKeys(m, "esc")
	hasNot(t, m, "*ACM-42")
	if len(ctl.commands()) != 3 {
		t.Errorf("sent %+v", ctl.commands())
	}
}

// TestAnEndedWorkerIsNotTakenOver: the loop would refuse it, after the room had
// given the terminal away.
func TestAnEndedWorkerIsNotTakenOver(t *testing.T) {
	t.Parallel()
	s := busyRoom()
	s.Workers[0].Run.Phase = state.PhaseEnded
	m, ctl := room(100, 30, s)
	typeKeys(m, "T")
	has(t, m, "has ended; only a worker that runs")
	if hasNot(t, m, "yourself?"); len(ctl.commands()) != 0 {
		t.Errorf("sent %+v", ctl.commands())
	}
}

func TestAQuestionWhoseSubjectChangedDoesNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys   []string
		change func(s *state.Snapshot)
		want   string
	}{
		"the row moved":  {to("ACM-21", "m"), func(s *state.Snapshot) { s.Rows[0].Issue.Role = board.RoleBacklog }, "has moved to Backlog meanwhile"},
		"the row went":   {to("ACM-21", "D"), func(s *state.Snapshot) { s.Rows = s.Rows[1:] }, "has gone from the board meanwhile"},
		"a worker came":  {to("ACM-21", "m"), func(s *state.Snapshot) { s.Rows[0].Run = "r5" }, "a worker has started on ACM-21 meanwhile"},
		"the head moved": {to("ACM-3", "M"), func(s *state.Snapshot) { s.Pulls[4].PR.HeadSHA = "new" }, "#35 has moved meanwhile"},
		"it was merged":  {to("ACM-3", "M"), func(s *state.Snapshot) { s.Pulls = s.Pulls[:4] }, "#35 is not open any more"},
		"the run ended":  {[]string{"x"}, func(s *state.Snapshot) { s.Workers[0].Run.Phase = state.PhaseEnded }, "has ended meanwhile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, ctl := room(100, 30, busyRoom())
			typeKeys(m, tc.keys...)
			s := busyRoom()
			tc.change(s)
			take(m, s)
			key := "y"
			if m.menu.sure == nil {
				key = "enter"
			}
			typeKeys(m, key)
			has(t, m, tc.want)
			if len(ctl.commands()) != 0 {
				t.Errorf("sent %+v", ctl.commands())
			}
		})
	}
}

func TestActingKeysRestAfterTheRowIsGone(t *testing.T) {
	t.Parallel()
	now := noon
	ctl := newStub()
	m := newModel(t.Context(), Options{Controller: ctl, Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	take(m, sample())
	s := sample()
	s.Rows = append(s.Rows[:5:5], s.Rows[6:]...)
	take(m, s)
	typeKeys(m, "x")
	has(t, m, "this row has just changed, press again")
	typeKeys(m, "down", "up") // moving is not acting
	now = now.Add(600 * time.Millisecond)
	typeKeys(m, "x")
	has(t, m, "Stop the reviewer on ACM-5")
}

// TestActingKeysRestAfterAnotherRequest: where one request was, a worse one of
// the same row stands now, and nobody has read it.
func TestActingKeysRestAfterAnotherRequest(t *testing.T) {
	t.Parallel()
	asks := func(id, input string) *state.Snapshot {
		s := sample()
		s.Needs = []state.Need{{Kind: state.NeedRequest, Ref: "ACM-12", Run: "r12", Request: id, Title: "Cache invalidation", Since: ago(time.Minute)}}
		s.Requests = []state.Request{{ID: id, Run: "r12", Ref: "ACM-12", Kind: state.RequestPermission, Tool: "Bash", Input: input, Since: ago(time.Minute)}}
		return s
	}
	for _, there := range []string{"1", "3"} { // on the board, in what needs you
		now := noon
		ctl := newStub()
		m := newModel(t.Context(), Options{Controller: ctl, Now: func() time.Time { return now }})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		take(m, asks("q1", "go test ./..."))
		typeKeys(m, append(to("ACM-12"), there)...)
		take(m, asks("q2", "rm -rf /"))
		typeKeys(m, "a", "1")
		if sent := ctl.commands(); len(sent) != 0 {
			t.Fatalf("sent unread: %+v", sent)
		}
		now = now.Add(600 * time.Millisecond)
		typeKeys(m, "3", "a", "1")
		has(t, m, "rm -rf /")
		if sent := ctl.commands(); len(sent) != 1 || sent[0].Request != "q2" {
			t.Errorf("sent %+v", sent)
		}
	}
}

func TestProgressStandsOnTheRowUntilItIsTrue(t *testing.T) {
	t.Parallel()
	now := noon
	ctl := newStub()
	m := newModel(t.Context(), Options{Controller: ctl, Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	take(m, busyRoom())
	typeKeys(m, to("ACM-21", "m", "1")...)
	now = now.Add(5 * time.Second)
	m.Update(tickMsg{}) // the toast passes, the dots stay
	has(t, m, "… moving")
	take(m, busyRoom())
	has(t, m, "… moving")
	s := busyRoom()
	s.Rows[0].Issue.Role = board.RoleBacklog
	take(m, s)
	hasNot(t, m, "… moving")

	ctl.err = errors.New("another process has moved it")
	typeKeys(m, "esc", "esc")
	typeKeys(m, to("ACM-22", "c")...)
	hasNot(t, m, "taking it")
	has(t, m, "could not take ACM-22: another process has moved it")
	now = now.Add(time.Minute)
	m.Update(tickMsg{})
	has(t, m, "another process has moved it") // a refusal stays
	typeKeys(m, "down")
	hasNot(t, m, "another process has moved it")
}

func TestUndoIsOffered(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, busyRoom())
	ctl.done = state.Done{Undo: 7}
	typeKeys(m, to("ACM-21", "c")...)
	has(t, m, "ACM-21 is yours · z takes it back")
}

func TestTypedAhead(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, "x", "y", "p") // as fast as one can
	got := ctl.commands()
	if len(got) != 2 || got[0].Kind != state.CommandStop || got[1].Kind != state.CommandPause {
		t.Errorf("sent %+v", got)
	}
}

func TestCopying(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, busyRoom())
	typeKeys(m, "y")
	has(t, m, "branch: task/acm-12-cache-invalidation")
	typeKeys(m, "y")
	has(t, m, "copied: ACM-12")
	typeKeys(m, to("ACM-21", "o")...)
	has(t, m, "copied: https://boards.example/ACM-21")
	typeKeys(m, to("ACM-22", "o")...)
	has(t, m, "has no page")
}

func TestAnEditOverAnotherEditIsRefused(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, busyRoom())
	typeKeys(m, to("ACM-21", "E", "1", " and JSON")...)
	s := busyRoom()
	s.Rows[0].Issue.Body = "new words"
	take(m, s)
	typeKeys(m, "enter")
	has(t, m, "was edited by somebody else meanwhile")
	if len(ctl.commands()) != 0 {
		t.Errorf("sent %+v", ctl.commands())
	}
	typeKeys(m, "E", "1")
	if got := m.field.Input.Value(); !strings.Contains(got, "and JSON") {
		t.Errorf("the text is lost: %q", got)
	}
}

// TestAKeptEditKnowsWhatItWasBegunOver: the text changed while the draft lay, in
// this room or before the next one; the first sending says so, the second is
// meant, and changes only what differs.
func TestAKeptEditKnowsWhatItWasBegunOver(t *testing.T) {
	t.Parallel()
	var kept map[string]string
	for name, again := range map[string]bool{"the same room": false, "the next room": true} {
		ctl := newStub()
		open := func() *Model {
			m := newModel(t.Context(), Options{Controller: ctl, Now: fixedNow, Kept: kept, Keep: func(all map[string]string) error { kept = all; return nil }})
			m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
			take(m, busyRoom())
			return m
		}
		m := open()
		typeKeys(m, to("ACM-21", "E", "1", " and JSON", "esc")...)
		if again {
			m.keepLast()
			m = open()
		}
		s := busyRoom()
		s.Rows[0].Issue.Body = "new words"
		take(m, s)
		typeKeys(m, to("ACM-21", "E", "1", "enter")...)
		has(t, m, "was edited by somebody else meanwhile")
		if sent := ctl.commands(); len(sent) != 0 {
			t.Fatalf("%s: sent %+v", name, sent)
		}
		typeKeys(m, "E", "1", "enter")
		sent := ctl.commands()
		if len(sent) != 1 || sent[0].Issue.Body == nil || sent[0].Issue.Was.Body == nil || *sent[0].Issue.Was.Body != "new words" {
			t.Errorf("%s: sent %+v", name, sent)
		}
		if len(m.drafts.All()) != 0 {
			t.Errorf("%s: kept %v", name, m.drafts.All())
		}
		kept = nil
	}
}

func TestDraftsOutliveTheRoom(t *testing.T) {
	t.Parallel()
	var kept map[string]string
	keep := func(all map[string]string) error { kept = all; return nil }
	open := func() (*Model, *stub) {
		ctl := newStub()
		m := newModel(t.Context(), Options{Controller: ctl, Now: fixedNow, Kept: kept, Keep: keep})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		take(m, busyRoom())
		return m, ctl
	}
	m, _ := open()
	typeKeys(m, "s", "half a word")
	m.keepLast() // as after a lost terminal
	m, ctl := open()
	has(t, m, "your draft, not sent")
	typeKeys(m, "s")
	has(t, m, "half a word")
	typeKeys(m, " more", "enter")
	if got := ctl.commands(); len(got) != 1 || got[0].Text != "half a word more" {
		t.Fatalf("sent %+v", got)
	}
	if len(kept) != 0 {
		t.Errorf("what was sent is still kept: %v", kept)
	}
	ctl.err = errors.New("no")
	typeKeys(m, "s", "again", "enter")
	has(t, m, "your text is kept")
	if kept["steer r12"] != "again" {
		t.Errorf("a refused text is lost: %v", kept)
	}
}

func TestWithoutContactNothingIsDone(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, busyRoom())
	m.Update(snapshotMsg{open: false})
	for _, k := range []string{"m", "x", "c", "b", "p", "z", "D"} {
		typeKeys(m, k)
		has(t, m, "no contact")
		if m.mode != modeBrowse {
			t.Errorf("%s opened something", k)
		}
	}
	typeKeys(m, "t")
	if m.view != viewWorkers {
		t.Error("reading does not work")
	}
	if len(ctl.commands()) != 0 {
		t.Errorf("sent %+v", ctl.commands())
	}
}

// TestReleasingByTheLease: a claim whose lease has run out is released by y, one
// that stands wants its ref typed.
func TestReleasingByTheLease(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		until time.Duration
		says  string
		keys  []string
	}{
		"run out": {-time.Minute, "Release the stale claim on ACM-8", []string{"y"}},
		"stands":  {time.Minute, "Type ACM-8 to do it", []string{"ACM-8", "enter"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sample()
			at := slices.IndexFunc(s.Rows, func(r state.Row) bool { return r.Issue.Ref == "ACM-8" })
			s.Rows[at].Issue.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "other", Stamp: ago(97 * time.Minute), LeaseUntil: noon.Add(tc.until)}
			m, ctl := room(120, 30, s)
			typeKeys(m, to("ACM-8", "r")...)
			has(t, m, tc.says)
			typeKeys(m, tc.keys...)
			if sent := ctl.commands(); len(sent) != 1 || sent[0].Kind != state.CommandRelease {
				t.Errorf("sent %+v", sent)
			}
		})
	}
}
