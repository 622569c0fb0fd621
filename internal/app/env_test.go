//go:build unix

package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers"
)

// owners is the environment of an owner with a login everywhere, who started
// dispatcher from inside of an agent.
var owners = []string{
	"PATH=/usr/bin:/bin", "HOME=/home/olive", "LANG=C.UTF-8", "LC_TIME=de_DE.UTF-8", "SSH_AUTH_SOCK=/run/agent", "HTTPS_PROXY=http://proxy",
	"GOCACHE=/cache/go", "TERM=xterm-256color",
	"GH_TOKEN=KEY1", "GITHUB_TOKEN=KEY2", "GH_CONFIG_DIR=/home/olive/.config/gh", "GH_HOST=ghe.example", "LINEAR_API_KEY=KEY3",
	"DISPATCHER_GITHUB_APP_KEY_DEVELOPER=KEY4", "DISPATCHER_GITHUB_APP_KEY_REVIEWER=KEY5", "NPM_TOKEN=KEY6", "AWS_SECRET_ACCESS_KEY=KEY7", "DATABASE_URL=KEY8",
	"ANTHROPIC_API_KEY=KEYM", "ANTHROPIC_BASE_URL=http://model", "CLAUDE_CONFIG_DIR=/home/olive/.claude", "CLAUDE_CODE_OAUTH_TOKEN=KEYM",
	"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=outer", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PID=3", "AI_AGENT=outer", "GIT_DIR=/elsewhere", "GIT_EDITOR=true",
	"DISPATCHER_RUN=outer", "DISPATCHER_WORKER=reviewer", "DISPATCHER_REF=DSP-1", "MY_REGISTRY=here", "MY_OTHER=there",
}

// every is what each worker gets here, besides who it is.
var every = []string{
	"HOME=/home/olive", "LANG=C.UTF-8", "LC_TIME=de_DE.UTF-8", "SSH_AUTH_SOCK=/run/agent", "HTTPS_PROXY=http://proxy", "GOCACHE=/cache/go", "TERM=xterm-256color",
	"PATH=/state/bin/abc:/usr/bin:/bin", "GH_CONFIG_DIR=/state/bin/abc/no-gh-login", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GIT_TERMINAL_PROMPT=0",
	"DISPATCHER_RUN=r1", "DISPATCHER_REF=DSP-3", "DISPATCHER_EPOCH=7", "DISPATCHER_ATTEMPT=2", "DISPATCHER_STATE_DIR=/state",
}

var developerSigns = []string{
	"DISPATCHER_WORKER=developer", "GIT_AUTHOR_NAME=dispatcher developer", "GIT_AUTHOR_EMAIL=developer@dispatcher.invalid",
	"GIT_COMMITTER_NAME=dispatcher developer", "GIT_COMMITTER_EMAIL=developer@dispatcher.invalid",
}

var reviewerSigns = []string{
	"DISPATCHER_WORKER=reviewer", "GIT_AUTHOR_NAME=dispatcher reviewer", "GIT_AUTHOR_EMAIL=reviewer@dispatcher.invalid",
	"GIT_COMMITTER_NAME=dispatcher reviewer", "GIT_COMMITTER_EMAIL=reviewer@dispatcher.invalid",
}

var models = []string{
	"ANTHROPIC_API_KEY=KEYM", "ANTHROPIC_BASE_URL=http://model", "CLAUDE_CONFIG_DIR=/home/olive/.claude", "CLAUDE_CODE_OAUTH_TOKEN=KEYM", "DISABLE_AUTOUPDATER=1",
}

// The exact environment of every kind of worker and of agent: what is not
// listed here no worker gets.
func TestExactEnvironment(t *testing.T) {
	t.Parallel()
	const agents = `"agents": {"own": {"kind": "command", "command": "x", "env": ["MY_*", "ANTHROPIC_API_KEY"]},
		"plain": {"kind": "command", "command": "x"}, "play": {"kind": "script", "script": "s"}, "named": {"env": ["NPM_TOKEN"]}}`
	native := `{"platform": "native", ` + agents + `}`
	linear := `{"platform": "linear", "repository": "acme/shop", "pulls": {"kind": "local"}, ` + agents + `, "linear": {"workspace": "acme", "teamId": "t", "teamKey": "DSP",
		"projectId": "p", "projectUrl": "https://linear.app/p", "agents": {"developer": "u-1", "reviewer": "u-2"}, "states": {"backlog": "a", "ready": "b",
		"changesRequested": "c", "inProgress": "d", "question": "e", "humanReview": "f", "done": "g"}}}`
	github := `{"platform": "github", "repository": "acme/shop", "pulls": {"kind": "local"}, ` + agents + `, "github": {"owner": "acme", "projectNumber": 2,
		"projectId": "p", "statusFieldId": "s", "claimedByFieldId": "c", "states": {"backlog": {"name": "a", "optionId": "1"}, "ready": {"name": "b", "optionId": "2"},
		"changesRequested": {"name": "c", "optionId": "3"}, "inProgress": {"name": "d", "optionId": "4"}, "question": {"name": "e", "optionId": "5"},
		"humanReview": {"name": "f", "optionId": "6"}, "done": {"name": "g", "optionId": "7"}}}}`
	tests := []struct {
		name, file, agent string
		kind              board.Kind
		want              [][]string
	}{
		{"developer", native, "developer", board.KindDeveloper, [][]string{every, developerSigns, models}},
		{"reviewer", native, "reviewer", board.KindReviewer, [][]string{every, reviewerSigns, models}},
		{"cleaner", native, "cleaner", board.KindCleaner, [][]string{every, developerSigns[1:], {"DISPATCHER_WORKER=cleaner"}, models}},
		{"a script asks no model", native, "play", board.KindDeveloper, [][]string{every, developerSigns}},
		{"any program", native, "plain", board.KindDeveloper, [][]string{every, developerSigns}},
		{"any program, with what it names", native, "own", board.KindDeveloper, [][]string{every, developerSigns, {"MY_REGISTRY=here", "MY_OTHER=there", "ANTHROPIC_API_KEY=KEYM"}}},
		{"a profile of a label", native, "named", board.KindReviewer, [][]string{every, reviewerSigns, models, {"NPM_TOKEN=KEY6"}}},
		{"the board's key, where no file has it", linear, "developer", board.KindDeveloper, [][]string{every, developerSigns, models, {"LINEAR_API_KEY=KEY3"}}},
		{"the board's login, for our own command alone", github, "developer", board.KindDeveloper, [][]string{every, developerSigns, models, {"DISPATCHER_GITHUB_BOARD_TOKEN=KEY1"}}},
	}
	for _, tt := range tests {
		cfg, violations := config.Parse([]byte(tt.file), "")
		if violations != nil {
			t.Fatalf("%s: %v", tt.name, violations)
		}
		cfg.Root, cfg.Path = t.TempDir(), "/repo/dispatcher.config.json"
		w := &fleet{
			l: workers.NewLauncher(workers.Options{Runs: "/state/runs", Agent: agentFor}), cfg: newLive(cfg),
			stateDir: "/state", binary: "/state/bin/abc/dispatcher", environ: func() []string { return owners },
		}
		spec, err := w.spec(state.RunSpec{
			Run: state.Run{ID: "r1", Ref: "DSP-3", Kind: tt.kind, Agent: tt.agent, Attempt: 2, Epoch: 7, Session: "e685fa8a-8e21-4b31-865f-ff331f0aee77"},
			Dir: "/repo", Role: "role", Prompt: "task",
		})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want := append(slices.Concat(tt.want...), "DISPATCHER_CONFIG=/repo/dispatcher.config.json")
		slices.Sort(want)
		if diff := cmp.Diff(want, spec.Env); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if all := strings.Join(spec.Command, " "); strings.Contains(all, "KEY") {
			t.Errorf("%s: a secret on the command line %q", tt.name, all)
		}
	}
}

// Hooks and checks get no credential at all, whoever's run they serve.
func TestHooksGetNoCredential(t *testing.T) {
	t.Parallel()
	cfg, _ := config.Parse([]byte(`{"platform": "native", "hooks": {"beforeRun": {"command": ["sh", "-c", "env; exit 1"]}}}`), "")
	h := &hooks{live: newLive(cfg), environ: func() []string { return append(slices.Clone(owners), "PATH=/usr/bin:/bin") }}
	err := h.Hook(t.Context(), loop.HookBeforeRun, state.Run{ID: "r1", Ref: "DSP-3", Kind: board.KindDeveloper, Worktree: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "DISPATCHER_REF=DSP-3") {
		t.Fatalf("the hook said %v", err)
	}
	for _, secret := range []string{"KEY1", "KEY2", "KEY3", "KEY4", "KEY5", "KEYM", "outer"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the hook got %s: %v", secret, err)
		}
	}
}
