package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// deafAgent ignores every signal that asks it to end, and has a child in a
// session of its own that does the same. Its second try waits at the gate.
const deafAgent = `#!/bin/sh
trap '' TERM INT HUP
cat >/dev/null
cd "$(dirname "$0")" || exit
if [ "$DISPATCHER_ATTEMPT" != 1 ]; then
	touch second
	until test -e second-may-end; do sleep 0.1; done
	echo 'STATUS: INCOMPLETE'
	exit
fi
setsid sh -c 'trap "" TERM INT HUP; echo $$ >orphan; while :; do sleep 1; done' &
until test -s orphan; do sleep 0.05; done
env >env.new && mv env.new env
while :; do sleep 1; done
`

// TestFailure6LateWriter: a worker that ignores SIGTERM loses its supervisor.
// Nothing of it lives when its row goes to the next try, and what writes five
// seconds later as that worker, wherever it survived, is refused
// (ChronoAIProject/fkst-substrate#47).
func TestFailure6LateWriter(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it takes half a minute and more")
	}
	t.Parallel()
	p := newPlay(t, playOptions{})
	deaf := filepath.Join(p.dir, "deaf.sh")
	if err := os.WriteFile(deaf, []byte(deafAgent), 0o755); err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	text, err := os.ReadFile(filepath.Join(p.repo, "dispatcher.config.json"))
	if err != nil {
		t.Fatal(err)
	}
	p.decode(string(text), &config)
	agents, _ := config["agents"].(map[string]any)
	agents["developer"] = map[string]any{"kind": "command", "command": deaf}
	if text, err = json.Marshal(config); err != nil {
		t.Fatal(err)
	}
	p.write("repo/dispatcher.config.json", string(text))
	p.git("commit", "-qam", "Work with a program that hears nothing")
	p.git("push", "-q")
	ref := p.ready("Note this")
	there := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(p.dir, name)); return err == nil }
	}
	s := p.start("start", "M1", "--no-tui")
	p.eventually("the deaf worker is at work", there("env"))
	first := p.folders()[0]
	super, ok, err := first.Supervisor()
	if err != nil || !ok {
		t.Fatalf("supervisor %v, %v", ok, err)
	}
	orphan := p.number("orphan")
	if err := syscall.Kill(super.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("its row goes to the next try", there("second"))
	for name, pid := range map[string]int{"the agent": super.AgentPID, "its orphan": orphan} {
		if proc.Alive(pid, "") {
			t.Errorf("%s survived, pid %d", name, pid)
		}
	}
	// The claim is the next worker's, which stamps it and names its process
	// meanwhile: whose it is counts.
	row := func() map[string]any {
		var i map[string]any
		p.decode(p.own("board", "issue", string(ref), "--json"), &i)
		if claim, ok := i["claim"].(map[string]any); ok {
			i["claim"] = claim["session"]
		}
		return i
	}
	before := row()
	worktree, env := p.workerEnv("env")
	accepted := 0
	writes := [][]string{
		{"board", "comment", string(ref), "--as", "developer", "--body", "I am late"},
		{"board", "tick", string(ref), "1"},
		{"board", "state", string(ref), "question"},
		{"board", "release", string(ref)},
	}
	for _, args := range writes {
		wait := "0"
		if args[1] == "comment" {
			wait = "5"
		}
		late := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `trap "" TERM; sleep "$0"; exec dispatcher "$@"`, wait}, args...)...)
		late.Dir, late.Env = worktree, env
		out, err := late.CombinedOutput()
		if err == nil {
			accepted++
			t.Errorf("%v was taken: %s", args, out)
		} else if !strings.Contains(string(out), "claim conflict") {
			t.Errorf("%v was refused for another reason: %s", args, out)
		}
	}
	if diff := cmp.Diff(before, row()); diff != "" {
		t.Errorf("the row has changed:\n%s", diff)
	}
	t.Logf("survivors 0, late writes %d of %d", accepted, len(writes))
	p.write("second-may-end", "")
	p.own("ctl", "abort")
	if code, out := s.end(); code != 0 {
		t.Errorf("exit %d:\n%s", code, out)
	}
	p.wantNothingLeft()
	p.wantRow(ref, board.RoleReady)
}

// number reads a file that holds one.
func (p *play) number(name string) int {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// workerEnv is the environment that a worker wrote down, and its worktree.
func (p *play) workerEnv(name string) (worktree string, env []string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	env = strings.Split(strings.TrimSpace(string(text)), "\n")
	found, err := filepath.Glob(filepath.Join(p.repo, ".claude", "worktrees", "*"))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("worktrees %v, %v", found, err)
	}
	return found[0], env
}
