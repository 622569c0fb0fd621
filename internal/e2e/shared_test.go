//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// Two loops on two checkouts of one project share one board: every issue is
// worked once, by one of them, and both come to their end.
func TestTwoLoopsOneBoard(t *testing.T) {
	heavy(t)
	shared := playDir(t)
	first := newPlay(t, playOptions{config: map[string]any{"native": map[string]any{"path": filepath.Join(shared, "board")}}})
	second := first.clone()

	var refs []board.Ref
	for n := range 6 {
		refs = append(refs, first.ready(fmt.Sprintf("Note number %d", n+1)))
	}
	asks := first.own("board", "create", "--milestone", "M1", "--state", "question", "--", "Which one?")
	if got := second.rows(); len(got) != 7 {
		t.Fatalf("the second checkout sees %d rows after %s", len(got), asks)
	}
	one, two := first.start(untilIdle...), second.start(untilIdle...)
	for _, s := range []*process{one, two} {
		if code, out := s.end(); code != 0 {
			t.Errorf("exit %d\n%s", code, out)
		}
	}
	// One may have ended while the other still worked: what waits for both is
	// the same now.
	first.loop()

	for _, ref := range refs {
		first.wantRow(ref, board.RoleHumanReview)
	}
	events := readEvents(first, filepath.Join(shared, "board", "events.jsonl"))
	first.wantFenced(events)
	first.wantHeldByOne(events)
	first.wantNothingLeft()
	second.wantNothingLeft()
	worked := map[board.Ref]map[board.Kind]int{}
	for _, p := range []*play{first, second} {
		n := 0
		for _, f := range p.folders() {
			spec, err := f.Spec()
			if err != nil {
				t.Fatal(err)
			}
			if worked[spec.Ref] == nil {
				worked[spec.Ref] = map[board.Kind]int{}
			}
			worked[spec.Ref][spec.Kind]++
			n++
		}
		t.Logf("%s worked in %d runs", p.repo, n)
	}
	for _, ref := range refs {
		if w := worked[ref]; w[board.KindDeveloper] != 1 || w[board.KindReviewer] != 1 {
			t.Errorf("%s was worked by %v", ref, w)
		}
	}
	if n := len(first.pulls()); n != len(refs) {
		t.Errorf("%d pull requests for %d issues", n, len(refs))
	}
}

// wantHeldByOne fails if a session took a row while the agent of another one's
// run lived: the claim of a row that is not free passes from a developer to its
// reviewer and nowhere else.
func (p *play) wantHeldByOne(events []boardEvent) {
	p.t.Helper()
	held := map[board.Ref]string{}
	for _, e := range events {
		switch e.Type {
		case "claim":
			if held[e.Ref] == "developer" && e.Fields.Kind == "developer" || held[e.Ref] == "reviewer" {
				p.t.Errorf("event %d: %s was claimed for a %s while a %s held it", e.Seq, e.Ref, e.Fields.Kind, held[e.Ref])
			}
			held[e.Ref] = e.Fields.Kind
		case "release":
			delete(held, e.Ref)
		}
	}
	for ref, by := range held {
		p.t.Errorf("%s is still held by a %s", ref, by)
	}
}

// clone is another checkout of the same project, worked by its own loop.
func (p *play) clone() *play {
	p.t.Helper()
	c := playIn(p.t, playDir(p.t))
	p.gitIn(c.dir, "clone", "-q", p.remote, c.repo)
	c.remote = p.remote
	c.git("config", "user.name", "Olive Owner")
	c.git("config", "user.email", "olive@example.com")
	return c
}

// A second loop on the same checkout is refused: with the pid of the first and
// the way out, and without a change to anything.
func TestSecondLoopOnOneCheckout(t *testing.T) {
	t.Parallel()
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	p.shut()
	first := p.start(untilIdle...)
	p.working(1)
	_, errs, code := p.try(untilIdle...)
	if want := fmt.Sprintf("pid %d", first.cmd.Process.Pid); code != 2 || !strings.Contains(errs, want) ||
		!strings.Contains(errs, "a loop already works in "+p.repo) || !strings.Contains(errs, "`dispatcher ctl drain`") {
		t.Errorf("exit %d, want 2, %s and a way out: %s", code, want, errs)
	}
	// Another state folder makes no second loop of one checkout.
	p.env = append(p.env, "DISPATCHER_STATE_DIR="+filepath.Join(p.dir, "elsewhere"))
	if _, errs, code := p.try(untilIdle...); code != 2 || !strings.Contains(errs, "a loop already works") {
		t.Errorf("with another state folder: exit %d: %s", code, errs)
	}
	p.env = p.env[:len(p.env)-1]
	p.open()
	if code, out := first.end(); code != 0 {
		t.Errorf("the first loop: exit %d\n%s", code, out)
	}
	p.wantOnce(ref)
	if _, err := os.Stat(filepath.Join(p.dir, "elsewhere", "runs")); err == nil {
		t.Error("the refused loop made runs")
	}
}
