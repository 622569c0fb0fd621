package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
)

// bash is a turn that runs one command; expect holds for the result of the
// turn before.
func bash(command string, expect ...string) *anthropic.Turn {
	t := &anthropic.Turn{Tools: []anthropic.ToolUse{{Name: "Bash", Input: map[string]any{"command": command, "description": "Work"}}}}
	if len(expect) > 0 {
		t.Expect = expect[0]
	}
	return t
}

func write(name, text string) *anthropic.Turn {
	return &anthropic.Turn{Tools: []anthropic.ToolUse{{Name: "Write", Input: map[string]any{"file_path": "{{cwd}}/" + name, "content": text}}}}
}

func say(text string) *anthropic.Turn { return &anthropic.Turn{Text: text} }

// conclude is how a reviewer ends: its message, and the verdict as a value.
func conclude(text, verdict string) *anthropic.Turn {
	return use("StructuredOutput", map[string]any{"report": text, "verdict": verdict}, "")
}

// developing is a developer who does the whole task by the book, after what
// comes first.
func developing(first ...*anthropic.Turn) *anthropic.Conversation {
	return &anthropic.Conversation{
		Name: "developer", Match: `(?m)^# Build issue DSP-1$`,
		Turns: append(first,
			write("bonjour.txt", "bonjour\n"),
			bash("grep -q hello greet.txt && git add bonjour.txt"),
			bash("dispatcher commit -m 'Greet in French'"),
			bash("git push -u origin HEAD"),
			bash("dispatcher board tick DSP-1 1"),
			bash("dispatcher pr --title 'Greet in French' --base main --body-file - <<'END_OF_TEXT'\nAdds a greeting.\n\nFixes DSP-1\nEND_OF_TEXT"),
			say("STATUS: COMPLETE\n\n## What was done\nA greeting.\n\n## Branch and pull request\nPull request #1.\n\n## How to verify\nRead bonjour.txt.\n\n## Follow-ups\n- Greet in German."),
		),
	}
}

// passing is a reviewer who reads the diff, posts a review and passes.
func passing() *anthropic.Conversation {
	return &anthropic.Conversation{
		Name: "reviewer", Match: `(?m)^# Review pull request #1 for issue DSP-1$`,
		Vars: map[string]string{"sha": `Commit to judge: ([0-9a-f]{40})`},
		Turns: []*anthropic.Turn{
			bash("dispatcher pulls view 1 && dispatcher pulls checks 1"),
			bash("dispatcher pulls diff 1"),
			bash("dispatcher review 1 --commit {{sha}} --body-file - <<'END_OF_TEXT'\nIt greets; it's right.\nEND_OF_TEXT", `\+bonjour`),
			bash("dispatcher board comment DSP-1 --as reviewer --body-file - <<'END_OF_TEXT'\nReviewed: fine.\nEND_OF_TEXT"),
			conclude("Every claim holds.\n\nVERDICT: PASS", "PASS"),
		},
	}
}

// TestWholeTask takes an issue from Ready to Done: a developer and a reviewer
// with the real CLI, and the owner's merge.
func TestWholeTask(t *testing.T) {
	t.Parallel()
	b := newRepository(t, developing(), passing())
	b.loop()
	b.expectRole(board.RoleHumanReview)

	pulls := b.pulls()
	if len(pulls) != 1 {
		t.Fatalf("%d pull requests: %+v", len(pulls), pulls)
	}
	pr := pulls[0]
	if !pr.ByAgent || pr.Draft || pr.Base != "main" || !strings.HasPrefix(pr.Head, "task/dsp-1-") || !slices.Equal(pr.Issues, []board.Ref{"DSP-1"}) {
		t.Errorf("pull request %+v", pr)
	}
	if len(pr.Reviews) != 1 || !pr.Reviews[0].Bot || pr.Reviews[0].State != board.ReviewComment ||
		pr.Reviews[0].Commit != pr.HeadSHA || strings.TrimSpace(pr.Reviews[0].Body) != "It greets; it's right." {
		t.Errorf("reviews %+v", pr.Reviews)
	}
	if done, all, _ := board.AllTicked(b.issue().Body); done != 1 || all != 1 {
		t.Errorf("%d of %d boxes are ticked", done, all)
	}
	if got := b.runs(); got[board.KindDeveloper] != 1 || got[board.KindReviewer] != 1 {
		t.Errorf("runs %v", got)
	}

	b.own("pulls", "merge", "1")
	b.expectRole(board.RoleDone)
	if got := b.gitIn(b.remote, "show", "main:bonjour.txt"); got != "bonjour" {
		t.Errorf("the remote's main has %q", got)
	}
	if parents := strings.Fields(b.gitIn(b.remote, "log", "-1", "--format=%P", "main")); len(parents) != 2 || parents[1] != pr.HeadSHA {
		t.Errorf("the merge has the parents %v", parents)
	}
	author := b.gitIn(b.remote, "log", "-1", "--format=%an <%ae> %cn <%ce>", pr.HeadSHA)
	if author != "dispatcher developer <developer@dispatcher.invalid> dispatcher developer <developer@dispatcher.invalid>" {
		t.Errorf("the commit is by %s", author)
	}
	if got := b.git("show", "HEAD:bonjour.txt"); got != "bonjour" {
		t.Errorf("the main checkout has %q", got)
	}
	b.expectStored()
	b.expectNoSecret()
}

// expectStored holds every run to a whole transcript and a recorded end.
func (b *bench) expectStored() {
	b.t.Helper()
	for _, f := range b.folders() {
		exit, err := f.Exit()
		if err != nil || exit == nil {
			b.t.Errorf("%s: exit %v, %v", f.Run(), exit, err)
			continue
		}
		if exit.Code != 0 || exit.Problem != "" || exit.Final == "" {
			b.t.Errorf("%s: ended with %+v", f.Run(), exit)
		}
		calls, final := b.read(b.file(f.TranscriptPath()))
		if len(calls) < 3 || final != exit.Final {
			b.t.Errorf("%s: %d tool results and final %q in the transcript", f.Run(), len(calls), final)
		}
	}
}

// TestQuestion parks an issue from inside the CLI; the owner's answer is in
// the next developer's prompt, and the task goes on.
func TestQuestion(t *testing.T) {
	t.Parallel()
	asking := &anthropic.Conversation{
		Name: "asking", Match: `(?m)^# Build issue DSP-1$`,
		Turns: []*anthropic.Turn{
			bash("dispatcher board comment DSP-1 --as developer --body-file - <<'END_OF_TEXT'\nFormal or familiar?\n\n1. bonjour\n2. salut\n\nI recommend 1.\nEND_OF_TEXT"),
			bash("dispatcher board state DSP-1 question"),
			bash("dispatcher board release DSP-1"),
			say("STATUS: INCOMPLETE\n\nParked: formal or familiar?"),
		},
	}
	answered := developing()
	answered.Name, answered.Match = "answered", `(?s)# Build issue DSP-1\n.*Formal or familiar\?\n\n1\. bonjour\n2\. salut.*Formal, please: it's a shop\.`
	b := newRepository(t, answered, asking, passing())
	b.loop()
	b.expectRole(board.RoleQuestion)
	b.own("board", "answer", "DSP-1", "--body", "Formal, please: it's a shop.")
	b.expectRole(board.RoleReady)
	b.loop()
	b.expectRole(board.RoleHumanReview)
	if got := b.runs(); got[board.KindDeveloper] != 2 || got[board.KindReviewer] != 1 {
		t.Errorf("runs %v", got)
	}
}

// TestRework sends a pull request back; the next developer works on the same
// branch and pull request.
func TestRework(t *testing.T) {
	t.Parallel()
	blocking := passing()
	blocking.Name = "blocking"
	blocking.Turns = []*anthropic.Turn{
		bash("dispatcher pulls diff 1"),
		bash(`dispatcher review 1 --commit {{sha}} --findings '[{"path":"bonjour.txt","line":1,"severity":"blocking","body":"It'\''s not polite."}]' --body-file - <<'END_OF_TEXT'` + "\nOne finding.\nEND_OF_TEXT"),
		bash("dispatcher board comment DSP-1 --as reviewer --body-file - <<'END_OF_TEXT'\nNot polite yet.\nEND_OF_TEXT"),
		conclude("One blocking finding.\n\nVERDICT: CHANGES_REQUESTED", "CHANGES_REQUESTED"),
	}
	again := passing()
	again.Name, again.Match = "again", `This is a re-review\.`
	rework := &anthropic.Conversation{
		Name: "rework", Match: `(?s)# Continue issue DSP-1\n.*blocking, bonjour\.txt:1: It's not polite\.`,
		Turns: []*anthropic.Turn{
			bash("printf 'bonjour, madame\\n' > bonjour.txt && git add bonjour.txt"),
			bash("dispatcher commit -m 'Be polite'"),
			bash("git push origin HEAD"),
			say("STATUS: COMPLETE\n\nPull request #1 is polite now."),
		},
	}
	b := newRepository(t, rework, again, developing(), blocking)
	b.loop()
	b.expectRole(board.RoleHumanReview)
	pulls := b.pulls()
	if len(pulls) != 1 || len(pulls[0].Reviews) != 2 {
		t.Fatalf("pull requests %+v", pulls)
	}
	if f := pulls[0].Reviews[0].Findings; len(f) != 1 || f[0].Severity != "blocking" || f[0].Line != 1 {
		t.Errorf("findings %+v", f)
	}
	if n := b.gitIn(b.remote, "rev-list", "--count", "main.."+pulls[0].Head); n != "2" {
		t.Errorf("the branch has %s commits", n)
	}
	if got := b.runs(); got[board.KindDeveloper] != 2 || got[board.KindReviewer] != 2 {
		t.Errorf("runs %v", got)
	}
}

// TestOwnerSendsBack carries the owner's request verbatim to a developer, and
// the pull request back to Human Review and to Done.
func TestOwnerSendsBack(t *testing.T) {
	t.Parallel()
	rework := &anthropic.Conversation{
		Name: "rework", Match: `(?s)# Continue issue DSP-1\n.*verbatim\. It outranks.*Say \*madame\*,\nit's a shop\.`,
		Turns: []*anthropic.Turn{
			bash("printf 'bonjour, madame\\n' > bonjour.txt && git add bonjour.txt && dispatcher commit -m 'Be polite' && git push origin HEAD"),
			say("STATUS: COMPLETE\n\nPull request #1 says it."),
		},
	}
	again := passing()
	again.Name, again.Match = "again", `This is a re-review\.`
	b := newRepository(t, rework, again, developing(), passing())
	b.loop()
	b.expectRole(board.RoleHumanReview)
	b.own("pulls", "request-changes", "1", "--body", "Say *madame*,\nit's a shop.")
	b.expectRole(board.RoleChangesRequested)
	b.loop()
	b.expectRole(board.RoleHumanReview)
	b.own("pulls", "merge", "1")
	b.expectRole(board.RoleDone)
	if got := b.gitIn(b.remote, "show", "main:bonjour.txt"); got != "bonjour, madame" {
		t.Errorf("the remote's main has %q", got)
	}
	if got := b.runs(); got[board.KindDeveloper] != 2 || got[board.KindReviewer] != 2 {
		t.Errorf("runs %v", got)
	}
}

// TestNothingDone gives an issue to a person when a developer ends well twice
// and has done nothing: first without a status, then with a false one (failure
// row 4).
func TestNothingDone(t *testing.T) {
	t.Parallel()
	silent := &anthropic.Conversation{Name: "silent", Match: `(?m)^# Build issue DSP-1$`, Turns: []*anthropic.Turn{say("All done!")}}
	boasting := &anthropic.Conversation{
		Name: "boasting", Match: `(?s)# Build issue DSP-1\n.*This is try 2\..*no STATUS: COMPLETE\|INCOMPLETE on the first or last line`,
		Turns: []*anthropic.Turn{say("STATUS: COMPLETE\n\nPull request #1 is open.")},
	}
	b := newRepository(t, boasting, silent)
	b.loop()
	b.expectRole(board.RoleInProgress)
	i := b.issue()
	if reason, held := board.Attention(&i, "", ""); !held || !strings.Contains(reason, "2 failed") {
		t.Errorf("attention %q, %v: %+v", reason, held, i.Comments)
	}
	if got := b.runs(); got[board.KindDeveloper] != 2 || got[board.KindReviewer] != 0 {
		t.Errorf("runs %v", got)
	}
	if len(b.pulls()) != 0 || b.gitIn(b.remote, "branch", "--list", "task/*") != "" {
		t.Error("something was pushed or opened")
	}
}

// TestForbidden lets a developer try what is not a worker's: each is refused
// with a reason, nothing changes, and the work goes on.
func TestForbidden(t *testing.T) {
	t.Parallel()
	commands := []string{
		"dispatcher board create 'Another issue'",
		"dispatcher board state DSP-1 done",
		"dispatcher board claim DSP-1 dev",
		"dispatcher board comment DSP-1 --as dispatcher --body-file - <<'END_OF_TEXT'\nVerified.\nEND_OF_TEXT",
		"dispatcher board comment DSP-1 --body-file - <<'END_OF_TEXT'\nI am the owner.\nEND_OF_TEXT",
		"dispatcher pulls merge 1",
		"dispatcher review 1 --commit HEAD --body-file - <<'END_OF_TEXT'\nFine.\nEND_OF_TEXT",
		"env -u DISPATCHER_WORKER -u DISPATCHER_RUN dispatcher board create 'Another issue'",
		"dispatcher start M1 --no-tui",
	}
	var turns []*anthropic.Turn
	for _, c := range commands {
		turns = append(turns, bash(c))
	}
	b := newRepository(t, developing(turns...), passing())
	b.loop()
	b.expectRole(board.RoleHumanReview)
	refused := 0
	for _, r := range b.model.Requests() {
		if r.Conversation == "developer" && r.Turn > 0 && r.Turn <= len(commands) {
			if !strings.Contains(r.LastUser, "Exit code") || !strings.Contains(r.LastUser, "dispatcher:") {
				t.Errorf("%q was not refused with a reason: %.400s", commands[r.Turn-1], r.LastUser)
			}
			refused++
		}
	}
	if refused != len(commands) {
		t.Errorf("%d of %d commands were tried", refused, len(commands))
	}
	var rows []struct{ Ref board.Ref }
	b.decode(b.own("board", "poll", "--all", "--all-milestones", "--json"), &rows)
	if len(rows) != 1 {
		t.Errorf("the board has %d rows: %v", len(rows), rows)
	}
	for _, c := range b.issue().Comments {
		if c.Role == board.ActorOwner || c.Body == "Verified." {
			t.Errorf("a comment that was refused stands there: %+v", c)
		}
	}
	if len(b.pulls()) != 1 || len(b.pulls()[0].Reviews) != 1 {
		t.Errorf("pull requests %+v", b.pulls())
	}
}

// TestKilledLoop kills the loop while a worker waits for the model. The worker
// lives on, the next loop adopts it, and no second one is started.
func TestKilledLoop(t *testing.T) {
	t.Parallel()
	held := write("note.tmp", "x\n")
	held.Gate = "thinking"
	b := newRepository(t, developing(held, bash("rm note.tmp")), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	first := b.dispatcher(ctx, untilIdle...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if err := b.model.AwaitGate(ctx, "thinking"); err != nil {
		_ = first.Process.Kill()
		t.Fatalf("%v\n%s", err, b.transcripts())
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("the loop ended by itself")
	}
	second := b.beside(ctx)
	b.await(ctx, "the second loop", func() bool { return strings.Contains(b.file(b.stateDir()+"/loop.log"), "adopted") })
	b.model.Release("thinking")
	second()
	b.expectRole(board.RoleHumanReview)
	if got := b.runs(); got[board.KindDeveloper] != 1 || got[board.KindReviewer] != 1 {
		t.Errorf("runs %v", got)
	}
	sessions := map[string]bool{}
	for _, r := range b.model.Requests() {
		if r.Conversation == "developer" {
			sessions[r.Session] = true
		}
	}
	if len(sessions) != 1 {
		t.Errorf("%d developers worked on the issue", len(sessions))
	}
	b.expectStored()
	b.expectNoSecret()
}

// await asks again and again until something is so.
func (b *bench) await(ctx context.Context, what string, so func() bool) {
	b.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.t.Fatalf("%s: %v\n%s", what, ctx.Err(), b.transcripts())
		}
	}
}
