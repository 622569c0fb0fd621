//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// gitsPerFiring is how many commands a firing may run when nothing has changed:
// where the remote stands, and where it was last seen (design.md, section 16,
// idle). A remote of files costs git a process of its own.
const gitsPerFiring = 2

// An idle loop is cheap: what follows from commits that have not moved is
// known, and worktrees are left alone.
func TestIdleLoopRunsLittle(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	p.loop()
	p.wantRow(ref, board.RoleHumanReview)

	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(p.dir, "calls")
	shim := filepath.Join(p.dir, "shim")
	if err := os.Mkdir(shim, 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>%s\nexec %s \"$@\"\n", calls, git)
	if err := os.WriteFile(filepath.Join(shim, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, kv := range p.env {
		if strings.HasPrefix(kv, "PATH=") {
			p.env[i] = "PATH=" + shim + ":" + kv[len("PATH="):]
		}
	}
	first := p.snapshotFiring()
	s := p.start("start", "M1", "--no-tui")
	s.until(fmt.Sprintf("firing %d ", first+4)) // start-up is over
	before := lines(t, calls)
	const firings = 10
	s.until(fmt.Sprintf("firing %d ", first+4+firings))
	after := lines(t, calls)
	// The firing that is under way may have begun.
	if n := len(after) - len(before); n > gitsPerFiring*(firings+2) {
		t.Errorf("%d idle firings ran git %d times:\n%s", firings, n, bytes.Join(after[len(before):], []byte("\n")))
	}
}

// snapshotFiring is the number of the last firing, as the loop left it.
func (p *play) snapshotFiring() int {
	p.t.Helper()
	var r struct{ Firing int }
	text, err := os.ReadFile(filepath.Join(p.stateDir(), "runtime.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.decode(string(text), &r)
	return r.Firing
}

func lines(t *testing.T, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}
