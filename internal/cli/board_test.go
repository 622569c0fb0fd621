package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/cli"
)

// run is one command in a folder with a native board.
func run(t *testing.T, dir string, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := &app.Factory{
		IO:      &app.IO{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Width: func() int { return 0 }},
		Getenv:  func(k string) string { return env[k] },
		Environ: func() []string { return nil },
		Dir:     dir, Now: time.Now, Version: "test",
	}
	code = cli.Main(t.Context(), f, args)
	return code, stdout.String(), stderr.String()
}

func TestBoardExitCodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dispatcher.config.json"), []byte(`{"platform": "native"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	worker := map[string]string{"DISPATCHER_WORKER": "reviewer", "DISPATCHER_REF": "DSP-1"}
	cases := []struct {
		name string
		env  map[string]string
		args []string
		want int
	}{
		{"create", nil, []string{"create", "--state", "ready", "one"}, 0},
		{"poll", nil, []string{"poll", "--all-milestones"}, 0},
		{"no command", nil, nil, 2},
		{"unknown command", nil, []string{"nosuch"}, 2},
		{"unknown flag", nil, []string{"poll", "--nosuch"}, 2},
		{"no milestone", nil, []string{"poll"}, 2},
		{"no such issue", nil, []string{"issue", "DSP-7"}, 2},
		{"refused", nil, []string{"state", "DSP-1", "done"}, 2},
		{"a worker's refusal", worker, []string{"poll", "--all-milestones"}, 2},
		{"a worker's reading", worker, []string{"issue", "DSP-1"}, 0},
		{"a worker's help", worker, []string{"poll", "--help"}, 0},
	}
	for _, c := range cases {
		code, out, errs := run(t, dir, c.env, append([]string{"board"}, c.args...)...)
		if code != c.want || (code == 0) != (errs == "") || code != 0 && out != "" {
			t.Errorf("%s: exit %d, want %d; out %q, err %q", c.name, code, c.want, out, errs)
		}
	}
}
