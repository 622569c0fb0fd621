package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers"
)

// pollRow is a row of `board poll --json`, as far as the demo promises it.
type pollRow struct {
	Ref, Role, Waits string
	Claim            any
}

func (h *hand) poll() map[string]pollRow {
	h.t.Helper()
	var rows []pollRow
	if err := json.Unmarshal([]byte(h.owner("board", "poll", "--json", "--all", "--all-milestones")), &rows); err != nil {
		h.t.Fatal(err)
	}
	out := map[string]pollRow{}
	for _, r := range rows {
		out[r.Ref] = r
	}
	return out
}

// The demo as a person runs it: to where only the owner can go on, then the
// owner's part as it is printed, to all Done.
func TestWholeDemo(t *testing.T) {
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it plays the whole demo")
	}
	h := unprepared(t)
	out := h.play("demo", "--no-tui", "--until-idle", "--fast", "--dir", h.d.Dir)

	h.waitsForTheOwner()
	h.wantAnswers(workers.ByNobody, workers.Deny)
	if runtime.GOOS == "windows" {
		t.Skip("the owner's part is printed for a shell")
	}
	h.owners(out)
	h.everyIssueIsDone()
	h.startsAgainOnWhatIsDone()
}

// The demo on a Linear of our own, over HTTP: the same board life, its state in
// the demo's folder, and merges that close issues by that Linear's automation.
func TestWholeDemoOnLinear(t *testing.T) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it takes half a minute and more")
	}
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it plays the whole demo")
	}
	h := unprepared(t)
	out := h.play("demo", "--platform", "linear", "--no-tui", "--until-idle", "--fast", "--dir", h.d.Dir)
	serve := h.serve()
	h.waitsForTheOwner()
	if got := h.owner("board", "config"); !strings.Contains(got, "platform: linear") {
		t.Errorf("the configuration: %s", got)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the owner's part is printed for a shell")
	}
	h.ownersWhileServed(out)
	h.everyIssueIsDone()
	var i struct{ StateBy string }
	if err := json.Unmarshal([]byte(h.owner("board", "issue", "DSP-1", "--json")), &i); err != nil || i.StateBy != string(board.ActorAutomation) {
		t.Errorf("DSP-1 was closed by %q, %v", i.StateBy, err)
	}
	serve()
	h.startsAgainOnWhatIsDone()
}

// serve keeps the demo's board reachable until the answered function is called.
func (h *hand) serve(more ...string) (stop func()) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), h.bin, append([]string{"demo", "--serve", "--dir", h.d.Dir}, more...)...)
	cmd.Dir, cmd.Env = h.t.TempDir(), h.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	if scan := bufio.NewScanner(out); !scan.Scan() || !strings.Contains(scan.Text(), "answers at http://127.0.0.1:") {
		h.t.Fatalf("serve says %q", scan.Text())
	}
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			h.t.Errorf("serve ended with %v", err)
		}
	}
}

// unprepared is a hand whose demo the program makes itself.
func unprepared(t *testing.T) *hand {
	t.Helper()
	bin := program(t)
	h := &hand{t: t, bin: bin, env: environ(t, filepath.Dir(bin))}
	h.d.Dir = filepath.Join(t.TempDir(), "d")
	h.d.Repo, h.d.Remote = filepath.Join(h.d.Dir, "repo"), filepath.Join(h.d.Dir, "remote.git")
	return h
}

// waitsForTheOwner holds the board, the pull requests and git against what the
// demo promises of its first half.
func (h *hand) waitsForTheOwner() {
	h.t.Helper()
	rows := h.poll()
	for ref, role := range map[string]board.Role{
		"DSP-1": board.RoleHumanReview, "DSP-2": board.RoleQuestion, "DSP-3": board.RoleHumanReview,
		"DSP-4": board.RoleReady, "DSP-5": board.RoleReady, "DSP-6": board.RoleInProgress, "DSP-7": board.RoleBacklog,
		"DSP-8": board.RoleHumanReview, "DSP-9": board.RoleHumanReview, "DSP-10": board.RoleHumanReview,
	} {
		if got := rows[h.ref(ref)]; got.Role != string(role) || got.Claim != nil || got.Waits == "" {
			h.t.Errorf("%s: %+v, want %s, unclaimed and a reason", ref, got, role)
		}
	}
	if got := len(h.pulls()); got != 5 {
		h.t.Errorf("%d pull requests", got)
	}
	if p := h.pull("DSP-3"); len(p.Reviews) != 2 {
		h.t.Errorf("DSP-3 was reviewed %d times", len(p.Reviews))
	}
	h.isMerged()
	for _, ref := range []string{"DSP-1", "DSP-3"} {
		ref = strings.ToLower(strings.TrimPrefix(h.ref(ref), "#"))
		branches := strings.Fields(gitOut(h.t, h.d.Remote, "for-each-ref", "--format=%(refname:short)", "refs/heads/task/"+ref+"-*"))
		if len(branches) != 1 {
			h.t.Fatalf("branches of %s: %v", ref, branches)
		}
		if authors := gitOut(h.t, h.d.Remote, "log", "--format=%ae", "main.."+branches[0]); strings.Trim(strings.ReplaceAll(authors, h.author(), ""), "\n") != "" {
			h.t.Errorf("authors on %s: %s", branches[0], authors)
		}
	}
}

// isMerged: the conflict that the demo begins with is resolved by the cleaner
// and reviewed, and what was only behind is up to date and was not reviewed.
func (h *hand) isMerged() {
	h.t.Helper()
	for ref, c := range map[string]struct {
		message string
		reviews int
	}{
		"DSP-8": {"Merge main into task/dsp-8-help-says-where-the-list-is", 1},
		"DSP-9": {"Merge main into task/dsp-9-say-how-to-keep-a-copy", 0},
	} {
		p := h.pull(ref)
		if h.onGitHub && ref == "DSP-9" { // GitHub's own button did it
			c.message = "Merge branch 'main' into task/dsp-9-say-how-to-keep-a-copy"
		}
		if p.Mergeable != board.MergeClean || p.Behind != 0 || p.Checks != board.ChecksGreen || len(p.Foreign) != 0 || len(p.Reviews) != c.reviews {
			h.t.Errorf("%s: %s is %s, %d behind, checks %s, foreign %v, %d reviews", ref, p.Name, p.Mergeable, p.Behind, p.Checks, p.Foreign, len(p.Reviews))
		}
		got := gitOut(h.t, h.d.Remote, "log", "-1", "--format=%s|%ae|%P", p.HeadSHA)
		if want := c.message + "|" + h.author() + "|"; !strings.HasPrefix(got, want) || !strings.Contains(got, gitOut(h.t, h.d.Remote, "rev-parse", "main")) {
			h.t.Errorf("%s: its head is %s", ref, got)
		}
	}
	notes := ""
	for _, c := range h.issue("DSP-8").Comments {
		notes += c.Body + "\n"
	}
	for _, want := range []string{"a cleaner merges main into it", "resolved by hand is reviewed", "VERDICT: PASS"} {
		if !strings.Contains(notes, want) {
			h.t.Errorf("the comments of DSP-8 lack %q:\n%s", want, notes)
		}
	}
}

// A loop that is killed again and again, at any moment, ends where one that is
// left alone does.
func TestDemoThatIsKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it plays the whole demo")
	}
	h := unprepared(t)
	args := []string{"demo", "--no-tui", "--until-idle", "--fast", "--dir", h.d.Dir}
	for _, lines := range []int{1, 2, 3, 1, 5, 4, 2} {
		h.playAndKill(lines, args...)
	}
	h.play(args...)
	h.waitsForTheOwner()
}

// playAndKill kills a command of ours once it has printed so many lines.
func (h *hand) playAndKill(lines int, args ...string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.bin, args...)
	cmd.Dir = h.t.TempDir()
	cmd.Env = h.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	scan := bufio.NewScanner(out)
	for range lines {
		scan.Scan()
	}
	_ = cmd.Process.Kill() // it may have come to its end
	_ = cmd.Wait()
}

// play runs a command of ours for as long as the demo may take.
func (h *hand) play(args ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.bin, args...)
	cmd.Dir = h.t.TempDir()
	cmd.Env = h.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("dispatcher %v: %v\n%s\n%s", args, err, out.String(), errs.String())
	}
	return out.String()
}

// owners runs the commands that the demo printed, in a shell.
func (h *hand) owners(printed string) {
	h.t.Helper()
	var lines []string
	for line := range strings.Lines(printed) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	if len(lines) < 8 {
		h.t.Fatalf("the owner's part is too short:\n%s", printed)
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", strings.Join(lines, "\n"))
	cmd.Dir = h.t.TempDir()
	// The printed path must do: the program the demo was started with is gone.
	cmd.Env = slices.DeleteFunc(slices.Clone(h.env), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	cmd.Env = append(cmd.Env, "PATH=/usr/local/bin:/usr/bin:/bin")
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("the owner's part: %v\n%s\n\n%s", err, strings.Join(lines, "\n"), out)
	}
}

// ownersWhileServed runs the commands of a demo whose board is served, which says
// first how to keep it so.
func (h *hand) ownersWhileServed(printed string) {
	h.t.Helper()
	first, rest, _ := strings.Cut(printed, "What is left is the owner's.")
	if !strings.Contains(first, "demo --serve --dir ") {
		h.t.Errorf("nothing says how to keep the board reachable:\n%s", first)
	}
	h.owners(rest)
}

func (h *hand) everyIssueIsDone() {
	h.t.Helper()
	rows := h.poll()
	for ref, r := range rows {
		if r.Role != string(board.RoleDone) {
			h.t.Errorf("%s is left in %s: %s", ref, r.Role, r.Waits)
		}
	}
	if len(rows) != 10 {
		h.t.Errorf("%d issues", len(rows))
	}
}

// startsAgainOnWhatIsDone: a demo that is over has nothing left to do, and its
// work is whole.
func (h *hand) startsAgainOnWhatIsDone() {
	h.t.Helper()
	if again := h.play("demo", "--no-tui", "--until-idle", "--dir", h.d.Dir); !strings.Contains(again, "Every issue is done") {
		h.t.Errorf("started again on what is done:\n%s", again)
	}
	h.mainIsWhole()
}

// mainIsWhole: everything that was merged works together, and the main
// checkout has it.
func (h *hand) mainIsWhole() {
	h.t.Helper()
	if a, b := gitOut(h.t, h.d.Repo, "rev-parse", "main"), gitOut(h.t, h.d.Remote, "rev-parse", "main"); a != b {
		h.t.Errorf("the main checkout is at %s, the remote at %s", a, b)
	}
	if got := gitOut(h.t, h.d.Repo, "status", "--porcelain"); got != "" {
		h.t.Errorf("the main checkout is dirty: %s", got)
	}
	cmd := exec.Command("sh", "test/run.sh")
	cmd.Dir = h.d.Repo
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Errorf("the tests of what was merged: %v\n%s", err, out)
	}
}
