package tui

import (
	"errors"
	"reflect"
	"testing"

	"github.com/backside4charter/dispatcher/loop/state"
)

func TestStoppingAWorker(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, "x", "enter", "n", "x", "esc")
	if len(ctl.commands()) != 0 || m.mode != modeBrowse {
		t.Fatalf("sent %+v", ctl.commands())
	}
	typeKeys(m, "x")
	has(t, m, "Stop the developer on ACM-12 and hold the row?")
	typeKeys(m, "y")
	if sent := ctl.commands(); len(sent) != 1 || sent[0].Kind != state.CommandStop || sent[0].Ref != "ACM-12" {
		t.Fatalf("sent %+v", sent)
	}
	// A confirmation whose subject changed meanwhile does nothing.
	typeKeys(m, "x")
	s := sample()
	s.Workers[0].Run.Phase = state.PhaseEnded
	take(m, s)
	typeKeys(m, "y")
	has(t, m, "has ended meanwhile; nothing was done")
	typeKeys(m, "right", "x")
	has(t, m, "no worker runs on")
	if n := len(ctl.commands()); n != 1 {
		t.Errorf("%d commands sent", n)
	}
}

func TestAGivenUpRun(t *testing.T) {
	t.Parallel()
	held := func() *state.Snapshot {
		s := sample()
		s.Rows[8].Hold, s.Rows[8].Waits = "held", "held by owner"
		return s
	}
	for name, tc := range map[string]struct {
		snap func() *state.Snapshot
		keys []string
		want state.CommandKind
	}{
		"again":     {sample, []string{"1"}, state.CommandRetry},
		"hold":      {sample, []string{"3"}, state.CommandHold},
		"leave it":  {sample, []string{"esc"}, ""},
		"ctrl+c":    {sample, []string{"ctrl+c"}, ""},
		"go on":     {held, []string{"enter"}, state.CommandUnhold},
		"stay held": {held, []string{"2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, way := range [][]string{{"!", "!", "a"}, {"3", "down", "a"}} {
				m, ctl := room(100, 30, tc.snap())
				typeKeys(m, append(way, tc.keys...)...)
				sent := ctl.commands()
				if tc.want == "" && len(sent) == 0 {
					continue
				}
				if len(sent) != 1 || !reflect.DeepEqual(sent[0], state.Command{Kind: tc.want, Ref: "ACM-10"}) {
					t.Errorf("%v sent %+v", way, sent)
				}
			}
		})
	}
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	stopped := func() *state.Snapshot { s := sample(); s.Mode = state.ModeStopped; return s }
	idle := func() *state.Snapshot { s := sample(); s.Workers = nil; return s }
	for name, tc := range map[string]struct {
		keys []string
		snap func() *state.Snapshot
		sent state.CommandKind
		left Leave
	}{
		"1 leaves":             {[]string{"q", "1"}, sample, state.CommandLeave, LeaveWorkers},
		"enter is 1":           {[]string{"q", "enter"}, sample, state.CommandLeave, LeaveWorkers},
		"a second ctrl+c is 1": {[]string{"ctrl+c", "ctrl+c"}, sample, state.CommandLeave, LeaveWorkers},
		"2 drains":             {[]string{"q", "2"}, sample, state.CommandDrain, LeaveDrained},
		"3 asks and aborts":    {[]string{"q", "3", "abort", "enter"}, sample, state.CommandAbort, LeaveAborted},
		"3 then no":            {[]string{"q", "3", "y", "enter", "esc"}, sample, "", ""},
		"ctrl+c never aborts":  {[]string{"q", "3", "ctrl+c"}, sample, state.CommandLeave, LeaveWorkers},
		"down chooses":         {[]string{"q", "down", "enter"}, sample, state.CommandDrain, LeaveDrained},
		"esc stays":            {[]string{"q", "esc"}, sample, "", ""},
		"other keys do not":    {[]string{"q", "p", "9", "space"}, sample, "", ""},
		"idle asks too":        {[]string{"q", "1"}, idle, state.CommandLeave, LeaveWorkers},
		"idle and stay":        {[]string{"q", "2"}, idle, "", ""},
		"already over":         {[]string{"q"}, stopped, "", LeaveEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, ctl := room(100, 30, tc.snap())
			typeKeys(m, tc.keys...)
			sent := ctl.commands()
			if tc.sent == "" && len(sent) != 0 || tc.sent != "" && (len(sent) != 1 || sent[0].Kind != tc.sent) {
				t.Fatalf("sent %+v, want %q", sent, tc.sent)
			}
			if tc.sent != "" {
				if m.left != "" {
					t.Fatal("left before the loop had ended")
				}
				take(m, stopped())
			}
			if m.left != tc.left {
				t.Errorf("left as %q, want %q", m.left, tc.left)
			}
		})
	}
}

func TestDrainingShowsItsProgress(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, "q", "2")
	s := sample()
	s.Mode = state.ModeDraining
	take(m, s)
	has(t, m, "draining: 2 workers to go; the room closes when they are done")
	s = sample()
	s.Mode, s.Workers = state.ModeDraining, s.Workers[:1]
	take(m, s)
	has(t, m, "draining: 1 worker to go")
	typeKeys(m, "q", "3", "abort", "enter")
	if sent := ctl.commands(); len(sent) != 2 || sent[1].Kind != state.CommandAbort {
		t.Fatalf("sent %+v", sent)
	}
	s = sample()
	s.Mode = state.ModeStopped
	take(m, s)
	if m.left != LeaveAborted {
		t.Errorf("left as %q", m.left)
	}
}

func TestARefusedLeaveStays(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	ctl.err = errors.New("the state folder is full")
	typeKeys(m, "q", "1")
	has(t, m, "could not leave: the state folder is full")
	if m.left != "" || m.leaving != "" {
		t.Errorf("left %q, leaving %q", m.left, m.leaving)
	}
}

func TestAttachedOnlyLeaves(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	m.opts.Attached = true
	typeKeys(m, "q")
	if m.left != LeaveDetached || len(ctl.commands()) != 0 {
		t.Errorf("left %q, sent %+v", m.left, ctl.commands())
	}
}

func TestLostContact(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, sample())
	m.Update(snapshotMsg{open: false})
	has(t, m, "no contact for 0:00, last seen 14:17; workers go on; q leaves")
	has(t, m, "Cache invalidation")
	typeKeys(m, "q")
	if m.left != LeaveLost {
		t.Errorf("left as %q", m.left)
	}

	aborted := sample()
	aborted.Mode = state.ModeAborting
	m, _ = room(100, 30, aborted)
	m.Update(snapshotMsg{open: false})
	has(t, m, "it was being aborted, its workers stopped; q leaves")
}

// TestSuspending: a loop in this process is handed over before its screen
// stands still, a room on a loop elsewhere only stands still, and where neither
// can be it says why.
func TestSuspending(t *testing.T) {
	t.Parallel()
	shell := func() {}
	mode := func(now state.Mode) func() *state.Snapshot {
		return func() *state.Snapshot { s := sample(); s.Mode = now; return s }
	}
	for name, tc := range map[string]struct {
		opts Options
		snap func() *state.Snapshot
		sent bool
		says string
	}{
		"here":          {Options{Suspend: shell, Background: true}, sample, true, "the loop goes to the background"},
		"paused":        {Options{Suspend: shell, Background: true}, mode(state.ModePaused), true, "the loop goes to the background"},
		"no shell":      {Options{Background: true}, sample, false, "no shell stands behind this screen"},
		"bound":         {Options{Suspend: shell}, sample, false, "cannot go on in the background"},
		"draining":      {Options{Suspend: shell, Background: true}, mode(state.ModeDraining), false, "cannot be handed to the background"},
		"ended":         {Options{Suspend: shell, Background: true}, mode(state.ModeStopped), false, "cannot be handed to the background"},
		"attached":      {Options{Suspend: shell, Attached: true}, sample, false, ""},
		"away no shell": {Options{Attached: true}, sample, false, "no shell stands behind this screen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, ctl := room(140, 30, tc.snap())
			m.opts.Suspend, m.opts.Background, m.opts.Attached = tc.opts.Suspend, tc.opts.Background, tc.opts.Attached
			typeKeys(m, "ctrl+z")
			has(t, m, tc.says)
			if sent := ctl.commands(); len(sent) == 1 != tc.sent || tc.sent && sent[0].Kind != state.CommandLeave {
				t.Fatalf("sent %+v", sent)
			}
			take(m, mode(state.ModeStopped)())
			if want := map[bool]Leave{true: LeaveSuspended}[tc.sent]; m.left != want {
				t.Errorf("left as %q, want %q", m.left, want)
			}
		})
	}
}
