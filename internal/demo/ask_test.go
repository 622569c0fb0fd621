package demo_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// answers are what was said to everything that the demo's workers asked.
func (h *hand) answers() []workers.Answer {
	h.t.Helper()
	runs, err := filepath.Glob(filepath.Join(h.d.Repo, ".claude", "dispatcher", "runs", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	var all []workers.Answer
	for _, dir := range runs {
		some, err := workers.OpenFolder(dir).Answers()
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}

// wantAnswers holds the demo to one ask, answered so.
func (h *hand) wantAnswers(by string, b workers.Behavior) {
	h.t.Helper()
	if got := h.answers(); len(got) != 1 || got[0].By != by || got[0].Behavior != b {
		h.t.Errorf("the workers were answered %+v, want one %s by %s", got, b, by)
	}
}

// One worker of the demo asks before it tries how a release would be pushed,
// and its owner answers from another terminal.
func TestOwnerAllowsTheDemosAsk(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it takes half a minute and more")
	}
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it plays half of the demo")
	}
	h := unprepared(t)
	cmd := exec.CommandContext(t.Context(), h.bin, "demo", "--no-tui", "--fast", "--dir", h.d.Dir)
	cmd.Dir, cmd.Env = t.TempDir(), h.env
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if out, err := h.try(h.d.Repo, nil, "ctl", "status"); err == nil && strings.Contains(out, "HEAD:refs/tags/v0.4.0") {
			t.Log(out)
			break
		}
		if time.Now().After(until) {
			t.Fatal("nobody asks for anything")
		}
	}
	h.owner("ctl", "allow", "DSP-3")
	h.wantAnswers(workers.ByOwner, workers.Allow)
	h.owner("ctl", "abort")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the demo: %v\n%s", err, said.String())
	}
	if tags := gitOut(t, h.d.Remote, "tag"); tags != "" {
		t.Errorf("a dry run pushed %s", tags)
	}
}
