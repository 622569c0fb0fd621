//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// exitLimit is how long SIGTERM may take (design.md, section 5).
const exitLimit = 20 * time.Second

// atWork is a headless loop with two developers at work that wait at their
// gate, and one issue more that has to wait for a slot.
func atWork(t *testing.T) (*play, *process, []board.Ref) {
	t.Helper()
	p := newPlay(t, playOptions{})
	refs := []board.Ref{p.ready("First"), p.ready("Second"), p.ready("Third")}
	p.shut()
	s := p.start("start", "M1", "--no-tui")
	p.working(2)
	return p, s, refs
}

// Ctrl-C once: what runs is finished, nothing new starts, the loop ends.
func TestInterruptDrains(t *testing.T) {
	t.Parallel()
	p, s, refs := atWork(t)
	s.signal(syscall.SIGINT)
	s.until("draining: nothing new starts, what runs is finished; Ctrl-C again aborts")
	p.open()
	code, out := s.end()
	if code != 0 || !strings.Contains(out, "\ndrained\n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	// A drain finishes runs, not tasks: the reviews are left to the next loop.
	for _, ref := range refs[:2] {
		if r := p.rows()[ref]; r.Role != board.RoleInProgress || r.Delegate != board.DelegateReviewer {
			t.Errorf("%s is in %s for %q: %s", ref, r.Role, r.Delegate, r.Waits)
		}
	}
	p.wantRow(refs[2], board.RoleReady)
	p.wantSound()
	p.loop()
	for _, ref := range refs {
		p.wantRow(ref, board.RoleHumanReview)
	}
}

// Ctrl-C twice, and more often: every worker is stopped, the rows go back.
func TestInterruptTwiceAborts(t *testing.T) {
	heavy(t)
	p, s, refs := atWork(t)
	s.signal(syscall.SIGINT)
	s.until("draining")
	s.signal(syscall.SIGINT)
	s.until("aborting")
	for range 3 {
		_ = s.cmd.Process.Signal(syscall.SIGINT) // it may have ended
	}
	code, out := s.end()
	if code != 0 || !strings.Contains(out, "aborted: every worker is stopped, the rows are back") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	p.wantNothingLeft()
	for _, ref := range refs {
		p.wantRow(ref, board.RoleReady)
	}
	p.open()
	p.loop()
	for _, ref := range refs {
		p.wantRow(ref, board.RoleHumanReview)
	}
	p.wantSound()
}

// An abort puts a row with an open pull request back to Changes Requested, and
// hands a review back to the reviewers.
func TestAbortRestoresByTheTable(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	ref := p.ready("Sent back")
	p.loop()
	p.own("pulls", "request-changes", "1", "--body", "Say more.")
	p.wantRow(ref, board.RoleChangesRequested)
	p.shut()
	s := p.start("start", "M1", "--no-tui")
	p.working(1)
	s.signal(syscall.SIGINT)
	s.until("draining") // two at once are one signal
	s.signal(syscall.SIGINT)
	s.until("aborting")
	s.end()
	p.wantNothingLeft()
	p.wantRow(ref, board.RoleChangesRequested)
}

// SIGTERM, however often: the loop goes in time, workers and rows stay as they
// are, and the next start goes on with them.
func TestTermLeavesWorkersRunning(t *testing.T) {
	heavy(t)
	p, s, refs := atWork(t)
	before := p.alive()
	began := time.Now()
	s.signal(syscall.SIGTERM)
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // twice is once
	code, out := s.end()
	if took := time.Since(began); code != 0 || took > exitLimit || !strings.Contains(out, "left: 2 workers go on; `dispatcher start` re-adopts them") {
		t.Errorf("exit %d after %s:\n%s", code, took, out)
	}
	if after := p.alive(); len(after) != 2 {
		t.Errorf("at work: %v, before %v", after, before)
	}
	for _, ref := range refs[:2] {
		if r := p.rows()[ref]; r.Role != board.RoleInProgress || r.Claim == nil {
			t.Errorf("%s is in %s, claimed: %v", ref, r.Role, r.Claim != nil)
		}
	}
	p.open()
	p.loop()
	for _, ref := range refs {
		p.wantRow(ref, board.RoleHumanReview)
	}
	p.wantSound()
}

// SIGHUP, as a closed terminal or a lost connection sends it: the loop goes on.
func TestHangupGoesOn(t *testing.T) {
	heavy(t)
	p, s, refs := atWork(t)
	s.signal(syscall.SIGHUP)
	s.signal(syscall.SIGHUP)
	p.open()
	p.eventually("everything is in review", func() bool {
		for _, ref := range refs {
			if p.rows()[ref].Role != board.RoleHumanReview {
				return false
			}
		}
		return true
	})
	s.signal(syscall.SIGINT)
	if code, out := s.end(); code != 0 {
		t.Errorf("exit %d:\n%s", code, out)
	}
	p.wantSound()
}

// A signal while the loop is still starting up ends it like any other, and
// costs nothing.
func TestSignalsDuringStartUp(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, after := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 80 * time.Millisecond, 200 * time.Millisecond} {
			s := p.start("start", "M1", "--no-tui")
			time.Sleep(after) // a moment of the start, no synchronisation
			s.signal(sig)
			s.end()
		}
	}
	p.loop()
	p.wantOnce(ref)
}

// control reads the answer of a command of `ctl`.
func (p *play) control(args ...string) string {
	p.t.Helper()
	return p.own(append([]string{"ctl"}, args...)...)
}

func (p *play) snapshot() state.Snapshot {
	p.t.Helper()
	var s state.Snapshot
	p.decode(p.control("status", "--json"), &s)
	return s
}

// A headless loop is steered from another terminal, command by command.
func TestControlOfAHeadlessLoop(t *testing.T) {
	heavy(t)
	p, s, refs := atWork(t)
	if out := p.control("status"); !strings.Contains(out, "running · repo · M1") || !strings.Contains(out, "developer try 1") {
		t.Errorf("status:\n%s", out)
	}
	if got := p.snapshot(); got.Mode != state.ModeRunning || len(got.Workers) != 2 {
		t.Errorf("status --json: %s, %d workers", got.Mode, len(got.Workers))
	}
	p.taken("pause", "")
	p.eventually("it is paused", func() bool { return p.snapshot().Mode == state.ModePaused })
	p.taken("hold", refs[2], "--body", "not now")
	// A poll says what the last firing did, and the one that holds is under way.
	p.eventually("it is held", func() bool { return p.rows()[refs[2]].Waits == "held by you: not now" })
	p.taken("unhold", refs[2])
	p.taken("stop", refs[0], "--body", "wrong way")
	p.eventually("the stopped row is held and free", func() bool {
		r := p.rows()[refs[0]]
		return r.Claim == nil && r.Waits == "held by you: wrong way"
	})
	p.taken("fire", "")
	p.taken("resume", "")
	p.open()
	p.taken("unhold", refs[0])
	p.eventually("all are in review", func() bool {
		for _, ref := range refs {
			if p.rows()[ref].Role != board.RoleHumanReview {
				return false
			}
		}
		return true
	})
	p.answerAndRetry()
	p.taken("drain", "")
	if code, out := s.end(); code != 0 || !strings.Contains(out, "drained") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	p.wantSound()
}

// answerAndRetry answers a question, and lets a row that was given up go on.
func (p *play) answerAndRetry() {
	p.t.Helper()
	asks := board.Ref(strings.Fields(p.own("board", "create", "--milestone", "M1", "--state", "question", "--body", "- [ ] done\n", "--", "Which one?"))[0])
	p.own("board", "comment", string(asks), "--as", "developer", "--body", "Which one?")
	p.taken("answer", asks, "--body", "This one.")
	p.taken("pause", "") // or the loop works it before the words are there
	gaveUp := board.Ref(strings.Fields(p.own("board", "create", "--milestone", "M1", "--state", "in-progress", "--body", "- [ ] done\n", "--", "Given up"))[0])
	p.own("board", "comment", string(gaveUp), "--as", "dispatcher", "--body", board.AttentionText("2 failed dispatcher attempts - tests"))
	p.taken("retry", gaveUp, "--body", "Once more.")
	p.taken("resume", "")
	p.eventually("both are in review", func() bool {
		rows := p.rows()
		return rows[asks].Role == board.RoleHumanReview && rows[gaveUp].Role == board.RoleHumanReview
	})
}

// taken sends a command with --json, and holds the answer to it.
func (p *play) taken(verb string, ref board.Ref, args ...string) {
	p.t.Helper()
	all := []string{verb}
	if ref != "" {
		all = append(all, string(ref))
	}
	var got struct {
		Command string
		Ref     board.Ref
		Taken   bool
	}
	out := p.control(append(append(all, args...), "--json")...)
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Command != verb || got.Ref != ref || !got.Taken {
		p.t.Errorf("%v answered %s (%v)", all, out, err)
	}
}

// An abort from another terminal is an abort.
func TestControlAborts(t *testing.T) {
	t.Parallel()
	p, s, refs := atWork(t)
	p.taken("abort", "")
	if code, out := s.end(); code != 0 || !strings.Contains(out, "aborted") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	p.wantNothingLeft()
	for _, ref := range refs {
		p.wantRow(ref, board.RoleReady)
	}
}

// Where no loop runs every command says so, and a worker steers nothing.
func TestControlIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	commands := [][]string{
		{"status"},
		{"status", "--json"},
		{"pause"},
		{"resume"},
		{"fire"},
		{"drain"},
		{"abort"},
		{"hold", string(ref)},
		{"unhold", string(ref)},
		{"retry", string(ref)},
		{"stop", string(ref)},
		{"answer", string(ref), "--body", "yes"},
	}
	for _, c := range commands {
		out, errs, code := p.try(append([]string{"ctl"}, c...)...)
		if code != 1 || out != "" || !strings.Contains(errs, "no loop is running here") || !strings.Contains(errs, "dispatcher start") {
			t.Errorf("ctl %v without a loop: exit %d: %s%s", c, code, out, errs)
		}
	}
	p.env = append(p.env, "DISPATCHER_WORKER=developer", "DISPATCHER_REF="+string(ref), "DISPATCHER_RUN=r")
	for _, c := range commands {
		out, errs, code := p.try(append([]string{"ctl"}, c...)...)
		if code != 2 || out != "" || !strings.Contains(errs, "refused: a developer may not run it") {
			t.Errorf("ctl %v by a worker: exit %d: %s%s", c, code, out, errs)
		}
	}
}
