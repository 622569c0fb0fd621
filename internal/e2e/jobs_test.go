//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestTheOtherJobs plays those of the fourteen jobs of screens.md that the
// owner's day has no occasion for, on a terminal, and counts their keys.
func TestTheOtherJobs(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: the same jobs are counted in tui without a terminal")
	}
	t.Parallel()
	p := newPlay(t, playOptions{})
	p.write("agents.json", theOtherDay(t, p.dir))
	listens := p.ready("Listen to me")
	idea := p.own("board", "create", "An idea for later", "--milestone", "M1")
	for range 5 {
		p.own("board", "create", "One of five", "--milestone", "M1")
	}
	r := p.sit("start", "M1")
	r.see(string(listens), "I listen first.")

	r.job("look at what a worker does, in the strip", 0, func() { r.see("I listen first.") })
	r.job("stop it and hold the row", 2, func() { r.press("x", "y") })
	r.await(func() bool {
		return strings.Contains(p.own("board", "issue", string(listens)), "held") && len(p.alive()) == 0
	})
	r.job("pause for a meeting", 1, func() { r.press("p"); r.see("paused") })

	r.job("find a folded row by word", 2, func() { r.press("/"); r.text("idea"); r.press("\r"); r.see("An idea") })
	r.job("see why a row waits", 0, func() { r.see("in Backlog") })
	r.job("Backlog to Ready, one row", 2, func() { r.press("m", "\r") })
	r.await(func() bool { return p.rows()[board.Ref(strings.Fields(idea)[0])].Role == board.RoleReady })
	r.text("/of five\r")
	r.see("5 of 7")
	r.job("Backlog to Ready, five rows", 7, func() { r.press(" ", " ", " ", " ", " ", "m", "\r") })
	r.await(func() bool { return p.in(board.RoleReady) == 6 })
	r.home()
	r.text("z")
	r.see("taken back")

	p.leaveBehind(listens)
	r.await(func() bool {
		rows := p.snapshot().Rows
		return slices.ContainsFunc(rows, func(row state.Row) bool { return row.Issue.Ref == listens && row.Issue.Claim != nil })
	})
	r.text("/" + string(listens) + "\r")
	r.job("release a stale claim", 2, func() { r.press("r", "y") })
	r.await(func() bool { return p.rows()[listens].Claim == nil })
	r.home()

	fails := p.ready("Check it")
	r.job("resume", 1, func() { r.press("p"); r.see("● running") })
	r.see(string(fails) + " gave up")
	tried := len(p.folders())
	r.job("look into a failed run, at its error", 2, func() { r.press("!", "t"); r.see("the check is red") })
	r.job("try it again", 2, func() { r.press("a", "1") })
	r.await(func() bool { return len(p.folders()) > tried })
	r.job("leave it running", 2, func() { r.press("q", "\r"); r.left() })
	p.own("ctl", "abort")
}

// in counts the rows of a column.
func (p *play) in(role board.Role) (n int) {
	for _, r := range p.rows() {
		if r.Role == role {
			n++
		}
	}
	return n
}

// theOtherDay is the script of an agent who listens, of one whose check is red,
// and of all who wait.
func theOtherDay(t *testing.T, dir string) string {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(agentScript(dir, true)), &s); err != nil {
		t.Fatal(err)
	}
	steps := func(list ...map[string]any) map[string]any {
		return map[string]any{"developer": []any{map[string]any{"steps": list}}}
	}
	s["issues"] = map[string]any{
		"DSP-1": steps(map[string]any{"say": "I listen first."}, map[string]any{"hear": true}, map[string]any{"final": "STATUS: INCOMPLETE"}),
		"DSP-8": steps(
			map[string]any{"run": []string{"sh", "-c", "echo the check is red; exit 1"}, "mayFail": true},
			map[string]any{"final": "It fails.\n\nSTATUS: INCOMPLETE"},
		),
	}
	s["default"].(map[string]any)["developer"] = []any{map[string]any{"steps": []any{ //nolint:forcetypeassert // written above
		map[string]any{"final": "Nothing of mine.\n\nSTATUS: INCOMPLETE"},
	}}}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// leaveBehind writes a claim into a row's file whose session is long gone, as a
// crash of another machine leaves it.
func (p *play) leaveBehind(ref board.Ref) {
	p.t.Helper()
	path := filepath.Join(p.repo, ".dispatcher", "board", "issues", string(ref)+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	var row map[string]any
	if err := json.Unmarshal(text, &row); err != nil {
		p.t.Fatal(err)
	}
	ago := time.Now().Add(-3 * time.Hour)
	row["claim"] = board.Claim{Kind: board.KindDeveloper, Session: "long-gone", Stamp: ago, LeaseUntil: ago.Add(time.Hour)}
	if text, err = json.Marshal(row); err != nil {
		p.t.Fatal(err)
	}
	p.write("repo/.dispatcher/board/issues/"+string(ref)+".json", string(text))
}
