package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/backside4charter/dispatcher/internal/cli"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// TestMain makes this test binary the dispatcher that scripts run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"dispatcher": func() { os.Exit(cli.Run(context.Background(), "test", os.Args[1:])) },
	})
}

// TestScripts plays every script: one per command and failure.
func TestScripts(t *testing.T) {
	t.Parallel()
	quick := gittest.QuickConfig(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"linear": linearCmd},
		Setup: func(env *testscript.Env) error {
			env.Vars = append(withoutOurs(env.Vars),
				"HOME="+env.WorkDir, "USERPROFILE="+env.WorkDir, "XDG_CONFIG_HOME="+env.WorkDir+"/.config",
				"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+quick,
				"GIT_AUTHOR_NAME=Olive Owner", "GIT_AUTHOR_EMAIL=olive@example.com",
				"GIT_COMMITTER_NAME=Olive Owner", "GIT_COMMITTER_EMAIL=olive@example.com",
			)
			env.Defer(func() { abortLoop(env) })
			return nil
		},
	})
}

// abortLoop ends the loop that a script which failed has left: a script's
// background is interrupted once, and a loop that is drains, as long as a worker
// waits for its owner.
func abortLoop(env *testscript.Env) {
	if t, ok := env.T().(interface{ Failed() bool }); !ok || !t.Failed() {
		return
	}
	dir, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
	cmd := exec.Command(filepath.Join(dir, "dispatcher"), "ctl", "abort") //nolint:noctx // it ends by itself
	cmd.Dir, cmd.Env = env.WorkDir, env.Vars
	out, err := cmd.CombinedOutput()
	env.T().Log("the loop of the failed script is aborted: ", string(out), err)
}

// withoutOurs keeps a test that itself runs under a dispatcher from acting as
// its worker.
func withoutOurs(vars []string) []string {
	var out []string
	for _, v := range vars {
		if !strings.HasPrefix(v, "DISPATCHER_") && !strings.HasPrefix(v, "CLAUDE_CODE_") && !strings.HasPrefix(v, "LINEAR_") {
			out = append(out, v)
		}
	}
	return out
}
