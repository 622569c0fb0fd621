package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers"
)

// fleetOf is a fleet over a configuration, which starts nothing.
func fleetOf(t *testing.T, text string) *fleet {
	t.Helper()
	cfg, violations := config.Parse([]byte(text), "")
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	cfg.Root = t.TempDir()
	cfg.Path = filepath.Join(cfg.Root, config.FileName)
	return &fleet{
		l:   workers.NewLauncher(workers.Options{Runs: filepath.Join(cfg.Root, "runs"), Agent: agentFor}),
		cfg: newLive(cfg), stateDir: cfg.Root, binary: filepath.Join(cfg.Root, "bin", "dispatcher"),
		environ: func() []string { return []string{"PATH=/usr/bin", "TMUX=here", "MYAPP_URL=there"} },
	}
}

// TestProfileReachesTheAgent: what a profile allows and denies stands on the
// command line, and the owner who takes the session over works under the same
// rules, with the same identities.
func TestProfileReachesTheAgent(t *testing.T) {
	t.Parallel()
	w := fleetOf(t, `{"platform": "native", "agents": {"developer": {"env": ["MYAPP_*"],
		"permissions": {"allow": ["WebFetch"], "deny": ["Bash(npm publish *)"]}}}}`)
	cfg := w.cfg.now()
	cfg.Pulls.Kind = config.PullsGitHub
	cfg.GitHubApps = &config.GitHubApps{Developer: config.GitHubApp{KeyFile: "dev.pem"}, Reviewer: config.GitHubApp{KeyFile: "rev.pem"}}
	const id = "e685fa8a-8e21-4b31-865f-ff331f0aee77"
	run := state.Run{ID: id, Session: id, Ref: "DSP-1", Kind: board.KindDeveloper, Agent: "developer", Attempt: 1, Epoch: 7}
	spec, err := w.spec(state.RunSpec{Run: run, Dir: cfg.Root})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(w.l.SettingsFile(id)), 0o700); err != nil {
		t.Fatal(err)
	}
	owner := &Takeover{taking: &workers.Taking{Spec: workers.Spec{Dir: cfg.Root}}}
	if err := w.interactive(owner, &run); err != nil {
		t.Fatal(err)
	}
	told := func(argv []string, rule string) bool {
		return slices.ContainsFunc(argv, func(a string) bool { return strings.Contains(a, rule) })
	}
	written, err := os.ReadFile(w.l.SettingsFile(id))
	if err != nil || string(written) != spec.Settings || !strings.Contains(spec.Settings, `"deny":["Bash(npm publish *)"]`) {
		t.Errorf("the settings are %s, the owner's %s, %v", spec.Settings, written, err)
	}
	for name, argv := range map[string][]string{"its agent": spec.Command, "its owner": owner.Argv} {
		if !told(argv, "WebFetch") {
			t.Errorf("%s is not told of WebFetch: %q", name, argv)
		}
		if set := slices.Index(argv, "--settings"); set < 0 || argv[set+1] != w.l.SettingsFile(id) {
			t.Errorf("%s is not given its settings: %q", name, argv)
		}
		if role := slices.Index(argv, "--append-system-prompt-file"); role < 0 || argv[role+1] != w.l.RoleFile(id) {
			t.Errorf("%s is not given its role: %q", name, argv)
		}
	}
	for _, kv := range spec.Env {
		if !slices.Contains(owner.Env, kv) {
			t.Errorf("the owner's session lacks %s", kv)
		}
	}
	for _, want := range []string{"GIT_CONFIG_VALUE_1=!dispatcher __credential --app developer", "MYAPP_URL=there", "GIT_AUTHOR_NAME=" + identitiesOf(cfg).Developer.Name, "DISPATCHER_EPOCH=7"} {
		if !slices.Contains(owner.Env, want) {
			t.Errorf("no %s in the owner's session", want)
		}
	}
	if !slices.Contains(owner.Env, "TMUX=here") || slices.ContainsFunc(owner.Env, func(kv string) bool { return strings.HasPrefix(kv, workers.EnvRunFolder+"=") }) {
		t.Errorf("the owner's environment is %q", owner.Env)
	}
}
