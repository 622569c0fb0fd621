//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// theDay is the script of the agents on the owner's day: one who listens, one
// who wants to publish, one who asks, and all who build.
func theDay(t *testing.T, dir string) string {
	t.Helper()
	var base struct {
		Version int                         `json:"version"`
		Default map[string][]map[string]any `json:"default"`
		Issues  map[string]map[string]any   `json:"issues"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(agentScript(dir, true))))
	if err := d.Decode(&base); err != nil {
		t.Fatal(err)
	}
	develop, _ := base.Default["developer"][0]["steps"].([]any)
	before := func(steps ...any) map[string]any {
		return map[string]any{"developer": []any{map[string]any{"steps": append(steps, develop...)}}}
	}
	base.Issues = map[string]map[string]any{
		"DSP-1": before(map[string]any{"say": "I listen first."}, map[string]any{"hear": true}),
		"DSP-2": {"developer": []any{
			map[string]any{"when": []string{"pr"}, "steps": develop},
			map[string]any{"steps": append([]any{
				map[string]any{"run": []string{"sh", "-c", "npm publish"}, "ask": true, "mayFail": true},
			}, develop...)},
		}},
		"DSP-3": {"developer": []any{
			map[string]any{"when": []string{"answered"}, "steps": develop},
			map[string]any{"steps": []any{
				map[string]any{
					"run":   []string{"dispatcher", "board", "comment", "{{ref}}", "--as", "developer", "--body-file", "{{tmp}}/question.md"},
					"files": map[string]string{"question.md": "Which format?\n\n1. ISO everywhere (recommended)\n2. Local dates\n"},
				},
				map[string]any{"run": []string{"dispatcher", "board", "state", "{{ref}}", "question"}},
				map[string]any{"run": []string{"dispatcher", "board", "release", "{{ref}}"}},
				map[string]any{"final": "I asked.\n\nSTATUS: INCOMPLETE"},
			}},
		}},
	}
	text, err := json.Marshal(base)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheOwnersDay plays what an owner does in a day, each with the keys that
// screens.md allows: watch, steer, deny, answer, send back, merge, drain.
func TestTheOwnersDay(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it takes half a minute and more")
	}
	t.Parallel()
	p := newPlay(t, playOptions{})
	p.write("agents.json", theDay(t, p.dir))
	p.own("board", "create", "Listen to me", "--state", "ready", "--milestone", "m1")
	r := p.sit("start", "m1")
	r.see("DSP-1", "I listen first.")

	r.job("look at what a worker does", 1, func() { r.press("t"); r.see("Workers", "I listen first.") })
	r.home()
	r.job("steer it", 2, func() {
		r.press("s")
		r.text("keep the old key format")
		r.press("\r")
		r.see("keep the old key format")
	})
	r.await(func() bool { return p.rows()["DSP-1"].Role == board.RoleHumanReview })

	p.own("board", "create", "Publish it", "--state", "ready", "--milestone", "m1")
	r.see("npm publish")
	r.job("deny what a worker asks", 3, func() { r.press("!", "a", "3") })
	r.text("not today\r") // the reason may be left out
	r.await(func() bool { return p.rows()["DSP-2"].Role == board.RoleHumanReview })
	r.home()

	p.own("board", "create", "Dates", "--state", "ready", "--milestone", "m1")
	r.await(func() bool { return p.rows()["DSP-3"].Role == board.RoleQuestion })
	r.see("DSP-3 question", "dev 0/") // its worker has ended: what is asked stands still
	r.job("answer a question with its option 1", 4, func() { r.press("!", "a", "1", "\r") })
	r.await(func() bool { return p.rows()["DSP-3"].Role == board.RoleHumanReview })

	r.reviews(p)

	p.shut()
	p.own("board", "create", "The last one", "--state", "ready", "--milestone", "m1")
	p.working(1)
	r.see("DSP-4")
	r.press("q")
	r.see("drain, then leave")
	r.press("2")
	r.see("draining")
	p.open()
	r.left()
	if row := p.rows()["DSP-4"]; row.Role != board.RoleInProgress || row.Claim != nil {
		t.Errorf("a drain left DSP-4 in %s, claimed: %v", row.Role, row.Claim != nil)
	}
	if _, err := os.Stat(filepath.Join(p.repo, "notes", "DSP-2.md")); err != nil {
		t.Errorf("what was merged is not in the main checkout: %v", err)
	}
}

// reviews is the owner's second half of the day: three pull requests wait.
func (r *robot) reviews(p *play) {
	r.t.Helper()
	r.job("see what needs me", 1, func() { r.press("3"); r.see("To review 3") })
	r.home()
	r.job("find an issue by word", 2, func() {
		r.press("/")
		r.text("publish")
		r.press("\r")
		r.see("1 of 3")
	})
	before := len(p.folders())
	r.job("review: read, then send back", 3, func() {
		r.press("d")
		r.see("notes/DSP-2.md")
		r.press("R")
		r.text(" say it in English")
		r.press("\r")
	})
	r.await(func() bool { return strings.Contains(p.own("pulls", "list", "--json"), "CHANGES_REQUESTED") })
	r.home()
	r.await(func() bool { // reworked and reviewed
		return len(p.folders()) == before+2 && p.rows()["DSP-2"].Role == board.RoleHumanReview
	})

	r.job("review: read, then merge", 3, func() {
		r.press("d")
		r.see("notes/DSP-2.md")
		r.press("M", "y")
	})
	r.await(func() bool { return p.rows()["DSP-2"].Role == board.RoleDone })
	r.home()

	r.job("pause for a meeting, resume", 2, func() { r.press("p"); r.see("paused"); r.press("p"); r.see("● running") })
	r.job("today's money by issue", 2, func() { r.press("g", "m"); r.see("oney") })
	r.home()
	r.job("see every rule of why a row waits", 1, func() { r.press("w"); r.see("DSP-") })
	r.home()
}
