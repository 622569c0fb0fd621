//go:build unix

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// TestTheOwnersDayAttached plays through rooms that come and go, one of them by
// kill -9, while the loop runs headless to its end.
func TestTheOwnersDayAttached(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it takes half a minute and more")
	}
	t.Parallel()
	p := newPlay(t, playOptions{})
	p.write("agents.json", theDay(t, p.dir))
	listens := p.ready("Listen to me")
	s := p.start("start", "M1", "--no-tui")
	p.working(1)

	first := p.sit("attach")
	first.see("DSP-1", "I listen first.")
	first.kill()
	if runs := p.alive(); len(runs) != 1 {
		t.Fatalf("with the room went the worker: %v live", runs)
	}

	r := p.sit("attach")
	r.see("DSP-1", "I listen first.")
	r.job("steer it", 2, func() {
		r.press("s")
		r.text("keep the old key format")
		r.press("\r")
		r.see("keep the old key format")
	})
	r.await(func() bool { return p.rows()[listens].Role == board.RoleHumanReview })
	publish := p.ready("Publish it")
	r.see("npm publish")
	r.job("allow what a worker asks", 3, func() { r.press("!", "a", "1") })
	r.await(func() bool { return p.rows()[publish].Role == board.RoleHumanReview })
	r.home()
	dates := p.ready("Dates")
	r.await(func() bool { return p.rows()[dates].Role == board.RoleQuestion })
	r.see("DSP-3 question", "dev 0/") // its worker has ended: what is asked stands still
	r.job("answer a question with its option 1", 4, func() { r.press("!", "a", "1", "\r") })
	r.await(func() bool { return p.rows()[dates].Role == board.RoleHumanReview })
	r.home()
	r.job("leave it running", 2, func() { r.press("q"); r.left() })

	p.own("ctl", "drain")
	if code, out := s.end(); code != 0 || !strings.Contains(out, "drained") {
		t.Errorf("the loop ended with %d:\n%s", code, out)
	}
}

// inRoom is a loop with its control room and one worker, which waits at its
// gate.
func inRoom(t *testing.T) (*play, *robot, board.Ref, string) {
	t.Helper()
	p := newPlay(t, playOptions{})
	ref := p.ready("First")
	p.shut()
	r := p.sit("start", "M1")
	r.see("First")
	p.working(1)
	return p, r, ref, p.alive()[0]
}

// goesOnAlone holds a loop without a terminal to what it was left with: nobody
// else may start, the one worker lives on and is settled, and a drain ends it.
func (p *play) goesOnAlone(ref board.Ref, run string) {
	p.t.Helper()
	p.eventually("an answer of the loop", func() bool {
		out, _, code := p.try("ctl", "status")
		return code == 0 && strings.Contains(out, string(ref)+" developer")
	})
	if _, errs, code := p.try("start", "M1", "--no-tui"); code == 0 || !strings.Contains(errs, "a loop already works in") {
		p.t.Errorf("a second start: exit %d\n%s", code, errs)
	}
	if runs := p.alive(); len(runs) != 1 || runs[0] != run {
		p.t.Errorf("%v live, want %s alone", runs, run)
	}
	p.open()
	p.eventually("the review", func() bool { return p.rows()[ref].Role == board.RoleHumanReview })
	if n := len(p.folders()); n != 2 {
		p.t.Errorf("%d runs, want one developer and one reviewer", n)
	}
	p.own("ctl", "drain")
	p.eventually("the end of the loop", func() bool { _, _, code := p.try("ctl", "status"); return code != 0 })
	p.wantRow(ref, board.RoleHumanReview)
}

// Whoever leaves the room leaves the loop to the background, and is told how to
// come back.
func TestLeavingHandsTheLoopOver(t *testing.T) {
	t.Parallel()
	p, r, ref, run := inRoom(t)
	r.job("leave it running", 2, func() {
		r.press("q")
		r.see("in the background")
		r.press("\r")
		r.left()
	})
	for _, want := range []string{"the loop goes on in the background, pid ", string(ref) + " developer", "dispatcher attach", "ctl drain ends it"} {
		if !strings.Contains(r.screen(), want) {
			t.Errorf("the shell does not say %q:\n%s", want, r.screen())
		}
	}
	p.goesOnAlone(ref, run)
}

// A closed window ends the room and nothing else: the loop goes on without one.
func TestLostTerminalLeavesTheLoop(t *testing.T) {
	heavy(t)
	p, r, ref, run := inRoom(t)
	if err := r.master.Close(); err != nil {
		t.Fatal(err)
	}
	p.goesOnAlone(ref, run)
	r.left()
}

// A loop that is to end by itself waits for whoever looks at it; when the window
// is closed, nobody does: what a worker asks is denied, and the loop goes on to
// its end.
func TestLostTerminalLetsTheLoopEnd(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	p.write("agents.json", theDay(t, p.dir))
	p.own("board", "create", "Not yet", "--milestone", "M1") // the day's first is another
	publish := p.ready("Publish it")
	r := p.sit("start", "M1", "--until-idle")
	r.see("npm publish")
	if p.rows()[publish].Role != board.RoleInProgress {
		t.Errorf("with an owner in front of it %s went on:\n%s", publish, r.screen())
	}
	if err := r.master.Close(); err != nil {
		t.Fatal(err)
	}
	r.left()
	p.wantRow(publish, board.RoleHumanReview)
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the loop ended with %d\n%s", code, p.log())
	}
	if _, _, code := p.try("ctl", "status"); code == 0 {
		t.Error("a loop goes on in the background")
	}
	for _, f := range p.folders() {
		text, err := os.ReadFile(f.TranscriptPath())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "Nobody is here to allow it") {
			return
		}
	}
	t.Errorf("no worker was told that nobody is here:\n%s", p.log())
}

// ctrl+z stops the screen and not the loop, which goes on in the background;
// the shell's fg shows it again, and what is suspended then is only a room.
func TestSuspendingHandsTheLoopOver(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: what it takes is tested in tui")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		stop string
	}{
		"painted": {[]string{"start", "M1"}, "\x1a"},
		"plain":   {[]string{"start", "M1", "--plain"}, "\x1a"},
		"named":   {[]string{"start", "M1", "--plain"}, "ctrl+z\r"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, playOptions{})
			ref := p.ready("First")
			p.shut()
			r := p.sitInShell(c.args...)
			r.see(string(ref))
			p.working(1)
			run := p.alive()[0]
			for i := range 2 {
				r.text(c.stop)
				shell := fmt.Sprint("the shell, ", i+1)
				r.see(shell)
				if i == 0 {
					r.see("the loop goes on in the background, pid ", "fg brings this room back")
				}
				if runs := p.alive(); len(runs) != 1 || runs[0] != run {
					t.Errorf("%v live, want %s alone", runs, run)
				}
				if out := p.own("ctl", "status"); !strings.Contains(out, string(ref)+" developer") {
					t.Errorf("the loop answers\n%s", out)
				}
				r.text("\n") // lets it go on
				r.await(func() bool {
					_, since, there := strings.Cut(r.screen(), shell)
					return r.emu.IsAltScreen() || !there || strings.Contains(since, string(ref))
				})
			}
			r.text("q")
			if len(c.args) > 2 {
				r.text("\r")
			}
			r.see("it has ended")
			p.goesOnAlone(ref, run)
		})
	}
}
