package worktree

import (
	"errors"
	"strings"
	"testing"
)

// TestPlan holds every rule of what pruning may remove.
func TestPlan(t *testing.T) {
	t.Parallel()
	ours := func(change func(*observed)) observed {
		o := observed{Path: "/r/.claude/worktrees/w", Inside: true}
		change(&o)
		return o
	}
	for name, tc := range map[string]struct {
		o      observed
		remove bool
		why    string
		force  bool
		unlock bool
	}{
		"nothing in it":            {o: ours(func(*observed) {}), remove: true},
		"the main checkout":        {o: observed{Main: true}, why: "main checkout"},
		"elsewhere":                {o: observed{Path: "/x"}, why: "not below"},
		"locked, no process":       {o: ours(func(o *observed) { o.Locked, o.Reason = true, "mine" }), why: "locked: mine"},
		"locked, no reason":        {o: ours(func(o *observed) { o.Locked = true }), why: "no reason given"},
		"locked, living process":   {o: ours(func(o *observed) { o.Locked, o.LockPID, o.PIDAlive = true, 7, true }), why: "living process 7"},
		"locked, dead process":     {o: ours(func(o *observed) { o.Locked, o.LockPID = true, 7 }), remove: true, unlock: true, why: "process 7 is dead"},
		"dead process but changes": {o: ours(func(o *observed) { o.Locked, o.LockPID, o.Dirty = true, 7, []string{"a"} }), why: "uncommitted"},
		"unreadable":               {o: ours(func(o *observed) { o.Unreadable = "index broken" }), why: "cannot be judged"},
		"git at work":              {o: ours(func(o *observed) { o.Busy = true }), why: "git is at work"},
		"rebase":                   {o: ours(func(o *observed) { o.Operation = "rebase" }), why: "middle of a rebase"},
		"changes":                  {o: ours(func(o *observed) { o.Dirty = []string{"a", "b", "c", "d", "e"} }), why: `"a", "b", "c" and 2 more`},
		"untracked":                {o: ours(func(o *observed) { o.Untracked = []string{"a"} }), why: "untracked"},
		"unpushed":                 {o: ours(func(o *observed) { o.Unpushed = 2 }), why: "2 unpushed"},
		"detached with commits":    {o: ours(func(o *observed) { o.Unpushed, o.Detached = 1, true }), why: "on no branch"},
		"detached without":         {o: ours(func(o *observed) { o.Detached = true }), remove: true},
		"folder gone":              {o: ours(func(o *observed) { o.Missing = true }), remove: true},
		"folder gone, detached":    {o: ours(func(o *observed) { o.Missing, o.Detached, o.Unpushed = true, true, 1 }), why: "on no branch"},
		"odd line ends":            {o: ours(func(o *observed) { o.Hollow = true }), remove: true, force: true},
		"submodule":                {o: ours(func(o *observed) { o.Nested = true }), remove: true, force: true},
		"submodule with work":      {o: ours(func(o *observed) { o.Nested, o.NestedOwn = true, "2 unpushed commits in it" }), why: "2 unpushed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := plan([]observed{{Path: "/r", Main: true}, tc.o})
			if err != nil {
				t.Fatal(err)
			}
			s := steps[1]
			if s.Remove != tc.remove || s.Force != tc.force || s.Unlock != tc.unlock || !strings.Contains(s.Why, tc.why) {
				t.Errorf("step = %+v", s)
			}
		})
	}
}

func TestPlanNeedsMain(t *testing.T) {
	t.Parallel()
	for _, all := range [][]observed{nil, {{Path: "/r/.claude/worktrees/w", Inside: true}}} {
		if steps, err := plan(all); !errors.Is(err, ErrNoMain) || steps != nil {
			t.Errorf("plan = %v, %v", steps, err)
		}
	}
}

func TestReasonPID(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]int{
		LockReason("r-1", 4711):       4711,
		"claude agent x (pid 123)":    123,
		"pid: 99":                     99,
		"pid=5":                       5,
		"dispatcher run pid 1 pid 22": 22,
		"":                            0,
		"initializing":                0,
		"rapid 5":                     0,
		"pid 99999999999999999999":    0,
		"on a usb disk":               0,
	} {
		if got := reasonPID(reason); got != want {
			t.Errorf("reasonPID(%q) = %d, want %d", reason, got, want)
		}
	}
}
