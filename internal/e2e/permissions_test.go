package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// attempt is one tool call that a worker tries, whether it may, and what it
// then shows, if that is not empty. An exit code is no answer: Claude Code takes
// the silent failure of test, grep or diff for none.
type attempt struct {
	tool  string
	input map[string]any
	may   bool
	shows string
}

func may(command string) attempt    { return shell(command, true) }
func mayNot(command string) attempt { return shell(command, false) }

// shows is a command that may run, and its whole output.
func shows(command, output string) attempt {
	a := may(command)
	a.shows = output
	return a
}

func shell(command string, may bool) attempt {
	return attempt{tool: "Bash", input: map[string]any{"command": command, "description": "Try it"}, may: may}
}

func (a attempt) String() string {
	for _, key := range []string{"command", "file_path", "path"} {
		if s, ok := a.input[key].(string); ok {
			return a.tool + ": " + s
		}
	}
	return a.tool
}

// allowingHook are settings with a hook that allows every tool call.
const allowingHook = `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"allow\"}}'"}]}]}}`

// try plays the attempts one after another and checks each, for an owner who
// has the files. The program on PATH is a stand-in that shows its arguments and
// standard input.
func try(t *testing.T, kind board.Kind, place string, files map[string]string, attempts []attempt, edits ...func(*claude.Options)) *bench {
	t.Helper()
	var turns []*anthropic.Turn
	for i, a := range attempts {
		turns = append(turns, &anthropic.Turn{Tools: []anthropic.ToolUse{{ID: "call" + strconv.Itoa(i), Name: a.tool, Input: a.input}}})
	}
	last := say("Tried.")
	if kind == board.KindReviewer {
		last = conclude("Tried.", "PASS")
	}
	turns = append(turns, last)
	b := newBench(t, &anthropic.Script{Conversations: []*anthropic.Conversation{{Name: "worker", Turns: turns}}})
	stand := "#!/bin/sh\necho \"ran: $*\"\ncase \"$*\" in *'--body-file -'*) cat ;; esac\n"
	if err := os.WriteFile(filepath.Join(b.bin, "dispatcher"), []byte(stand), 0o755); err != nil {
		t.Fatal(err)
	}
	b.write(".secrets/key.pem", "SECRET\n")
	b.git("worktree", "add", "-q", ".claude/worktrees/x", "-b", "task/dsp-1-x")
	for name, text := range files {
		b.noKey = b.noKey || strings.Contains(text, "apiKeyHelper")
		path := filepath.Join(b.dir, filepath.FromSlash(name))
		text = strings.ReplaceAll(text, "{{repo}}", b.repo)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls, final := b.worker(kind, filepath.Join(b.repo, place), edits...)
	if final != "Tried." {
		t.Errorf("the final message is %q", final)
	}
	for i, a := range attempts {
		got, ok := calls["call"+strconv.Itoa(i)]
		switch {
		case !ok:
			t.Errorf("%s: no result", a)
		case a.may && !got.ok:
			t.Errorf("%s: failed: %.300s", a, got.text)
		case a.shows != "" && got.text != strconv.Quote(a.shows):
			t.Errorf("%s: shows %.300q, want %q", a, got.text, a.shows)
		case !a.may && !got.denied:
			t.Errorf("%s: was not denied: %.300s", a, got.text)
		}
	}
	return b
}

// TestReviewerPermissions holds the reviewer's command line to what its prompt
// tells it to do, and to nothing more: it can read and post its review, and it
// can write no file and start no other program.
//
// It holds for every owner, whatever the owner's own settings of Claude Code
// allow: those let the owner work, not this reviewer. What it cannot log in
// without is left.
func TestReviewerPermissions(t *testing.T) {
	t.Parallel()
	const allow = `{"permissions": {"allow": ["Bash", "Read", "Write", "Edit"], "additionalDirectories": ["/etc"], "defaultMode": "bypassPermissions"}}`
	for name, files := range map[string]map[string]string{
		"no settings":            nil,
		"a rule of the person's": {"home/.claude/settings.json": allow},
		"a rule of a trusted project's": {
			"repo/.claude/settings.json": allow, "home/.claude/.claude.json": `{"projects": {"{{repo}}": {"hasTrustDialogAccepted": true}}}`,
		},
		"a rule of the checkout's": {"repo/.claude/settings.local.json": allow},
		"a hook":                   {"home/.claude/settings.json": allowingHook},
		"a login by a helper":      {"home/.claude/settings.json": `{"apiKeyHelper": "echo ` + dummyKey + `", "permissions": {"allow": ["Bash"]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reviewerTries(t, files)
		})
	}
}

func reviewerTries(t *testing.T, files map[string]string) {
	t.Helper()
	read := func(path string, may bool) attempt {
		return attempt{tool: "Read", input: map[string]any{"file_path": path}, may: may}
	}
	b := try(t, board.KindReviewer, "", files, []attempt{
		may("dispatcher pulls view 3"), may("dispatcher pulls diff 3 | head -50"), may("dispatcher pulls checks 3 2>&1"),
		may("dispatcher pulls view 3 && dispatcher pulls diff '#3'"),
		may("dispatcher board issue DSP-1 --comments 30"),
		may("dispatcher review 3 --commit 1f3a9c0 --findings '[{\"path\":\"a.go\",\"line\":3,\"severity\":\"blocking\",\"body\":\"It'\\''s {wrong} $x `y`\"}]' --body-file - <<'END_OF_TEXT'\n## Review\n`code` \"quotes\" $(x) {a,b}\nEND_OF_TEXT"),
		may("dispatcher board comment DSP-1 --as reviewer --body-file - <<'END_OF_TEXT'\nFine.\nEND_OF_TEXT"),
		may("dispatcher board state DSP-1 question"), may("dispatcher board release DSP-1"),
		may("git fetch origin"), may("git show origin/main:greet.txt"), may("git diff main task/dsp-1-x"),
		may("git log --oneline -5"), shows("git grep -n hello main -- greet.txt", "main:greet.txt:1:hello"), may("git blame greet.txt"), may("git status"),
		may("ls -la"), may("cat greet.txt"), shows("grep -rn hello greet.txt", "1:hello"),
		read("{{cwd}}/greet.txt", true),
		{tool: "Grep", input: map[string]any{"pattern": "hello"}, may: true},

		read("/proc/self/environ", false), read("{{cwd}}/.secrets/key.pem", false), read("/etc/passwd", false), mayNot("cat .secrets/key.pem"),
		mayNot("printenv ANTHROPIC_API_KEY"), mayNot("env"), mayNot("cat /proc/self/environ"),
		mayNot("touch pwned"), mayNot("echo hi > pwned"), mayNot("cat > pwned <<'E'\nx\nE"), mayNot("dispatcher pulls diff 3 > pwned"),
		mayNot("git diff --output=pwned main"), mayNot("git log --output=pwned -1"), mayNot("git diff --ext-diff main"),
		mayNot("git log --outp=pwned -1"), mayNot("git grep --open-files='touch pwned' hello"), mayNot("git show --outpu=pwned HEAD"),
		mayNot("git fetch origin --upload-p='touch pwned'"), mayNot("git ls-remote --upload-pac='touch pwned' origin"),
		mayNot("git fetch --upload-pack='touch pwned' origin"), mayNot("git fetch origin --upload-pack='touch pwned'"),
		mayNot("git grep -O'touch pwned' hello"), mayNot("git -c core.pager='touch pwned' log -1"),
		mayNot("git checkout -b pwned"), mayNot("git push origin HEAD"), mayNot("git stash"), mayNot("git restore greet.txt"),
		mayNot("git config user.name pwned"), mayNot("git commit --allow-empty -m pwned"), mayNot("git branch pwned"),
		mayNot("dispatcher commit -m x"), mayNot("dispatcher pr --title x"), mayNot("dispatcher start M1"),
		mayNot("dispatcher pulls diff 3; touch pwned"), mayNot("dispatcher pulls diff $(touch pwned)"),
		mayNot("python3 -c 'print(1)'"), mayNot("sh -c 'touch pwned'"), mayNot("sed -i s/hello/pwned/ greet.txt"), mayNot("find . -delete"),
		{tool: "Write", input: map[string]any{"file_path": "{{cwd}}/pwned", "content": "x"}},
		{tool: "Edit", input: map[string]any{"file_path": "{{cwd}}/greet.txt", "old_string": "hello", "new_string": "pwned"}},
	})
	if s := b.git("status", "--porcelain", "--untracked-files=all"); strings.Contains(s, "pwned") || strings.Contains(s, "greet.txt") {
		t.Errorf("the reviewer changed the main checkout:\n%s", s)
	}
	if s := b.git("branch", "--list", "pwned"); s != "" {
		t.Error("the reviewer made a branch")
	}
}

// TestDeveloperPermissions holds the developer's command line to what its
// prompt tells it to do.
func TestDeveloperPermissions(t *testing.T) {
	t.Parallel()
	b := try(t, board.KindDeveloper, ".claude/worktrees/x", nil, []attempt{
		{tool: "Write", input: map[string]any{"file_path": "{{cwd}}/new.txt", "content": "new\n"}, may: true},
		{tool: "Read", input: map[string]any{"file_path": "{{cwd}}/greet.txt"}, may: true},
		{tool: "Edit", input: map[string]any{"file_path": "{{cwd}}/greet.txt", "old_string": "hello", "new_string": "bonjour"}, may: true},
		may("git add new.txt greet.txt && git -c user.name=d -c user.email=d@example.com commit -qm 'Greet'"),
		may("git push -q -u origin HEAD"),
		may("dispatcher commit -m 'Greet in French'"), may("dispatcher board tick DSP-1 1"), may("dispatcher pulls view 3"),
		may("dispatcher pr --title 'Greet' --base main --body-file - <<'END_OF_TEXT'\nIt greets.\n\nFixes DSP-1\nEND_OF_TEXT"),
		shows("printf 'x' > \"$TMPDIR/body.md\" && cat \"$TMPDIR/body.md\"", "x"),
		shows("cd . && grep -c bonjour greet.txt", "1"),
		{tool: "Write", input: map[string]any{"file_path": "{{cwd}}/../../../greet.txt", "content": "pwned\n"}},
		{tool: "EnterWorktree", input: map[string]any{"name": "other"}},
		{tool: "ScheduleWakeup", input: map[string]any{"delaySeconds": 60, "reason": "later", "prompt": "go on"}},
	})
	if got := b.gitIn(b.remote, "show", "task/dsp-1-x:greet.txt"); got != "bonjour" {
		t.Errorf("the remote's branch has %q", got)
	}
	if got := b.git("show", "HEAD:greet.txt"); got != "hello" {
		t.Errorf("main has %q", got)
	}
}

// TestProfilePermissions holds the real CLI to a profile's rules: a denial wins
// over what the kind may, and an allowance opens what it may not. So it is
// whatever the owner's own settings allow; those open what no rule means, as a
// rule of the profile would, and give a worker no login that is withheld.
func TestProfilePermissions(t *testing.T) {
	t.Parallel()
	outside := map[string]any{"file_path": "{{cwd}}/../../../../beside.txt", "content": "x\n"}
	const allow = `{"permissions": {"allow": ["Bash", "Edit", "Write", "EnterWorktree"], "deny": ["Bash(git stash *)"]}, "env": {"NUM": 1, "GH_TOKEN": "mine", "DISPATCHER_WORKER": "nobody", "FINE": "fine"}}`
	withheld := shows(`echo "[$NUM/$GH_TOKEN/$DISPATCHER_WORKER/$FINE]"`, "[1//developer/fine]")
	for name, c := range map[string]struct {
		files map[string]string
		rules []string
		more  []attempt
	}{
		"no settings": {rules: []string{"Write"}},
		"a rule": {files: map[string]string{"home/.claude/settings.json": allow}, more: []attempt{
			mayNot("git stash list"), withheld,
		}},
		"a hook":                       {files: map[string]string{"home/.claude/settings.json": allowingHook}},
		"a rule of a file with a mark": {files: map[string]string{"home/.claude/settings.json": "\ufeff" + allow}, more: []attempt{withheld}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t, board.KindDeveloper, ".claude/worktrees/x", c.files, append([]attempt{
				may("echo fine > made.txt"), mayNot("touch made-too.txt"), mayNot("true && touch made-too.txt"), mayNot("git tag made"),
				{tool: "Write", input: outside, may: true},
				{tool: "EnterWorktree", input: map[string]any{"name": "other"}},
			}, c.more...), func(o *claude.Options) {
				o.Allow, o.Deny, o.AskFor = c.rules, []string{"Bash(touch *)"}, []string{"Bash(git tag *)"}
			})
		})
	}
}
