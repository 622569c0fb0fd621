package claude

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

const session = "e685fa8a-8e21-4b31-865f-ff331f0aee77"

func options(k board.Kind) Options {
	return Options{Kind: k, Model: "opus", Effort: "xhigh", Session: session, RoleFile: "/state/runs/r1/role.md", SettingsFile: "/state/runs/r1/settings.json"}
}

func TestCommandOfADeveloper(t *testing.T) {
	t.Parallel()
	for _, k := range []board.Kind{board.KindDeveloper, board.KindCleaner} {
		o := options(k)
		o.MaxBudgetUSD = 2.5
		got, err := Command(o)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--replay-user-messages", "--verbose",
			"--permission-prompts", "none", "--session-id", session, "--model", "opus", "--effort", "xhigh", "--max-budget-usd", "2.5",
			"--append-system-prompt-file", "/state/runs/r1/role.md", "--allowedTools", "Bash",
			"--disallowedTools", "EnterWorktree", "ExitWorktree", "EnterPlanMode", "ExitPlanMode", "CronCreate", "ScheduleWakeup",
			"--permission-mode", "acceptEdits",
			"--settings", "/state/runs/r1/settings.json",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", k, got, want)
		}
	}
}

func TestCommandResumes(t *testing.T) {
	t.Parallel()
	o := options(board.KindDeveloper)
	o.Resume, o.Path, o.Model, o.Effort = true, "/opt/claude", "", ""
	got, err := Command(o)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(got, " ")
	if got[0] != "/opt/claude" || !strings.Contains(all, "--resume "+session) {
		t.Errorf("%q", got)
	}
	for _, flag := range []string{"--session-id", "--model", "--effort", "--max-budget-usd", "--plugin-dir"} {
		if slices.Contains(got, flag) {
			t.Errorf("%s in %q", flag, got)
		}
	}
}

// A profile that asks has its requests put to us; a reviewer's never are.
func TestCommandAsks(t *testing.T) {
	t.Parallel()
	for k, want := range map[board.Kind]string{
		board.KindDeveloper: "--permission-prompt-tool stdio", board.KindCleaner: "--permission-prompt-tool stdio",
		board.KindReviewer: "--permission-prompts none",
	} {
		o := options(k)
		o.Ask = true
		got, err := Command(o)
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(got, " "); !strings.Contains(all, want) || strings.Count(all, "--permission-prompt") != 1 {
			t.Errorf("%s: %q", k, got)
		}
	}
}

func TestReviewerReadsOnly(t *testing.T) {
	t.Parallel()
	got, err := Command(options(board.KindReviewer))
	if err != nil {
		t.Fatal(err)
	}
	value := func(flag string) string { return got[slices.Index(got, flag)+1] }
	if value("--tools") != "Bash,Read,Grep,Glob" || value("--permission-mode") != "dontAsk" {
		t.Errorf("%q", got)
	}
	if at := slices.Index(got, "--setting-sources"); at < 0 || got[at+1] != "" {
		t.Errorf("a reviewer reads its owner's settings: %q", got)
	}
	for _, rule := range reviewerMay() {
		for _, write := range []string{"push", "commit", "checkout", "reset", "merge ", "gh api", "gh pr merge", "rm", "git *", "gh *", "git fetch *", "git grep", "git log", "git diff"} {
			if strings.HasPrefix(rule, "Bash("+write) || strings.HasPrefix(rule, "Bash(git "+write) {
				t.Errorf("a reviewer may %s", rule)
			}
		}
	}
}

func TestCommandRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"kind":          func(o *Options) { o.Kind = "owner" },
		"no session":    func(o *Options) { o.Session = "" },
		"session flag":  func(o *Options) { o.Session = "--dangerously-skip-permissions" },
		"braced UUID":   func(o *Options) { o.Session = "{" + session + "}" },
		"relative role": func(o *Options) { o.RoleFile = "role.md" },
		"no settings":   func(o *Options) { o.SettingsFile = "" },
		"model flag":    func(o *Options) { o.Model = "--mcp-config" },
		"effort lines":  func(o *Options) { o.Effort = "high\n" },
		"path flag":     func(o *Options) { o.Path = "-x" },
	} {
		o := options(board.KindDeveloper)
		change(&o)
		if argv, err := Command(o); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

// A profile's rules: a reviewer takes the denials alone.
func TestRulesOfAProfile(t *testing.T) {
	t.Parallel()
	for k, allowed := range map[board.Kind]bool{board.KindDeveloper: true, board.KindCleaner: true, board.KindReviewer: false} {
		o := options(k)
		o.Allow, o.Deny = []string{"WebFetch", "mcp__db__query"}, []string{"Bash(npm publish *)", `Read("é")`}
		o.AskFor = []string{"Bash(./release.sh *)"}
		got, err := Command(o)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(got, "WebFetch") != allowed || slices.Contains(got, "mcp__db__query") != allowed {
			t.Errorf("%s: allowed %q", k, got)
		}
		var s struct{ Permissions struct{ Deny, Ask []string } }
		if err := json.Unmarshal([]byte(settings(o, owner{}, nil, nil)), &s); err != nil {
			t.Fatal(err)
		}
		for _, rule := range o.Deny {
			if !slices.Contains(s.Permissions.Deny, rule) {
				t.Errorf("%s: denied %q", k, s.Permissions.Deny)
			}
		}
		where := s.Permissions.Ask
		if !allowed { // a reviewer never asks
			where = s.Permissions.Deny
		}
		if !slices.Contains(where, o.AskFor[0]) || len(s.Permissions.Ask) > 0 != allowed {
			t.Errorf("%s: asks for %q, denied %q", k, s.Permissions.Ask, s.Permissions.Deny)
		}
		o.AskFor[0] = "--settings"
		if got, err := Command(o); err == nil {
			t.Errorf("%s: a flag for a rule: %q", k, got)
		}
		o.AskFor, o.Allow = nil, []string{"--dangerously-skip-permissions"}
		if got, err := Command(o); err == nil {
			t.Errorf("%s: a flag for a rule: %q", k, got)
		}
	}
}

func TestFurtherArguments(t *testing.T) {
	t.Parallel()
	o := options(board.KindDeveloper)
	o.Args = []string{"--mcp-config", "/m.json", "--strict-mcp-config", "--add-dir=/x"}
	argv, err := Command(o)
	if err != nil {
		t.Fatal(err)
	}
	at, policy := slices.Index(argv, "--mcp-config"), slices.Index(argv, "--permission-mode")
	if at < 0 || policy < at || argv[at+4] != "--append-system-prompt-file" {
		t.Errorf("they stand at %d, what it may do at %d: %q", at, policy, argv)
	}
	for _, arg := range []string{
		"--dangerously-skip-permissions", "--permission-mode=bypassPermissions", "--allowedTools", "--tools", "--settings",
		"-p", "--resume", "--session-id=x", "--", "--model", "a\nb",
	} {
		o.Args = []string{"--verbose-ish", arg}
		if argv, err := Command(o); err == nil {
			t.Errorf("%q was taken: %q", arg, argv)
		}
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	a := Agent{}
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"message", a.Message("u1", "two\nlines \x00"), `{"type":"user","message":{"role":"user","content":"two\nlines \u0000"},"parent_tool_use_id":null,"session_id":"","uuid":"u1"}`},
		{"interrupt", a.Interrupt("i1"), `{"type":"control_request","request_id":"i1","request":{"subtype":"interrupt"}}`},
		{"end", a.End("e1"), `{"type":"control_request","request_id":"e1","request":{"subtype":"end_session"}}`},
	}
	for _, tt := range tests {
		if string(tt.got) != tt.want+"\n" {
			t.Errorf("%s: %s", tt.name, tt.got)
		}
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	o := EnvOptions{
		Environ: []string{
			"PATH=/usr/bin", "HOME=/home/dev", "LC_ALL=C.UTF-8", "https_proxy=http://p", "IS_SANDBOX=1",
			"ANTHROPIC_API_KEY=k", "CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_RETRIES=1",
			"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PID=3", "AI_AGENT=1",
			"GH_TOKEN=g", "GITHUB_TOKEN=g", "LINEAR_API_KEY=l", "AWS_SECRET_ACCESS_KEY=a", "GIT_DIR=/other/.git", "MY_SECRET=s",
			"DISPATCHER_RUN=outer", "DISPATCHER_WORKER=reviewer",
		},
		BinDir: "/state/bin/abc", Config: "/repo/dispatcher.config.json", StateDir: "/state",
		Kind: board.KindDeveloper, Run: "r1", Ref: "DSP-3", Epoch: 7, Attempt: 2,
		Set: []string{"GIT_AUTHOR_NAME=dispatcher developer"},
	}
	env := map[string]string{}
	for _, kv := range Env(o) {
		name, value, _ := strings.Cut(kv, "=")
		if _, twice := env[name]; twice {
			t.Errorf("%s twice", name)
		}
		env[name] = value
	}
	for name, want := range map[string]string{
		"PATH": "/state/bin/abc:/usr/bin", "HOME": "/home/dev", "LC_ALL": "C.UTF-8", "https_proxy": "http://p", "IS_SANDBOX": "1", "TERM": "dumb",
		"ANTHROPIC_API_KEY": "k", "CLAUDE_CONFIG_DIR": "/c", "CLAUDE_CODE_OAUTH_TOKEN": "t", "CLAUDE_CODE_MAX_RETRIES": "1", "DISABLE_AUTOUPDATER": "1",
		"DISPATCHER_WORKER": "developer", "DISPATCHER_RUN": "r1", "DISPATCHER_REF": "DSP-3", "DISPATCHER_EPOCH": "7", "DISPATCHER_ATTEMPT": "2",
		"DISPATCHER_CONFIG": "/repo/dispatcher.config.json", "DISPATCHER_STATE_DIR": "/state", "GIT_AUTHOR_NAME": "dispatcher developer",
	} {
		if env[name] != want && !(name == "PATH" && strings.HasPrefix(env[name], "/state/bin/abc")) {
			t.Errorf("%s=%q, want %q", name, env[name], want)
		}
	}
	for _, name := range []string{
		"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID", "AI_AGENT", "GH_TOKEN", "GITHUB_TOKEN",
		"LINEAR_API_KEY", "AWS_SECRET_ACCESS_KEY", "GIT_DIR", "MY_SECRET",
	} {
		if v, there := env[name]; there {
			t.Errorf("%s=%s was let through", name, v)
		}
	}
	o.Environ = append(o.Environ, "CLAUDE_CODE_USE_BEDROCK=1")
	if !slices.Contains(Env(o), "AWS_SECRET_ACCESS_KEY=a") {
		t.Error("the model's cloud is not reachable")
	}
}
