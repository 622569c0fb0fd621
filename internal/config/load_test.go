package config_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
)

// write puts a configuration into dir and answers its path.
func write(t *testing.T, dir, text string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, config.FileName)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// temp is a temporary folder under its real name.
func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func load(t *testing.T, src config.Source) *config.Config {
	t.Helper()
	c, err := config.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoadMinimalFillsDefaults(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	path := write(t, dir, `{"platform": "native"}`)
	c := load(t, config.Source{Dir: dir})
	claude := config.Agent{
		Kind: config.AgentClaude, Command: "claude", Model: "opus", Effort: "xhigh",
		Permissions: config.Permissions{Ask: config.AskOwner, TimeoutMinutes: 60, Headless: config.AskDeny},
	}
	want := &config.Config{
		Platform:          config.PlatformNative,
		ClaimStaleMinutes: 90,
		Native: config.Native{
			Path: ".dispatcher/board", Key: "DSP",
			DeveloperName: "dispatcher developer", DeveloperEmail: "developer@dispatcher.invalid",
			ReviewerName: "dispatcher reviewer",
			States: map[string]string{
				"backlog": "Backlog", "ready": "Ready", "changesRequested": "Changes Requested", "inProgress": "In Progress",
				"question": "Question", "humanReview": "Human Review", "done": "Done",
			},
			Labels: config.Labels{ConfirmWithUser: "Confirm with user", UI: "UI"},
		},
		Loop: config.Loop{
			MaxDevelopers: 2, MaxReviewers: 2, MaxCleaners: 1, MaxWorkers: 5, PollSeconds: 5, VerifyMinutes: 60,
			StallMinutes: 10, StallToolMinutes: 30, StallGraceSeconds: 60, StartSeconds: 120,
		},
		Retry:       config.Retry{MaxAttempts: 2, BackoffSeconds: 10, MaxBackoff: 300},
		Agents:      map[string]config.Agent{"developer": claude, "reviewer": claude, "cleaner": claude},
		Pulls:       config.Pulls{Kind: "local"},
		Transcripts: config.Transcripts{KeepDays: 90, MaxGB: 20},
		Path:        path,
		Root:        dir,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if got := c.StaleWindow(); got != 90*time.Minute {
		t.Errorf("stale window = %v", got)
	}
	if got := c.Poll(); got != 5*time.Second {
		t.Errorf("poll = %v", got)
	}
	if diff := cmp.Diff(claude, c.AgentFor(board.KindReviewer)); diff != "" {
		t.Errorf("reviewer's agent (-want +got):\n%s", diff)
	}
	if got := claude.Permissions.Timeout(); got != time.Hour {
		t.Errorf("the owner has %v for an answer", got)
	}
	if keep, most := c.Transcripts.Keep(), c.Transcripts.MaxBytes(); keep != 90*24*time.Hour || most != 20e9 {
		t.Errorf("transcripts are kept for %v and %d bytes", keep, most)
	}
	if got, want := c.NativeDir(), filepath.Join(dir, ".dispatcher", "board"); got != want {
		t.Errorf("native board = %s, want %s", got, want)
	}
}

func TestLoadTakesWindowsText(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	write(t, dir, "\xef\xbb\xbf{\r\n  \"platform\": \"native\"\r\n}\r\n")
	if c := load(t, config.Source{Dir: dir}); c.Platform != config.PlatformNative {
		t.Errorf("platform = %q", c.Platform)
	}
}

func TestLoadFindsTheFile(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	near, far, other := filepath.Join(dir, "near"), filepath.Join(dir, "far"), filepath.Join(dir, "other")
	write(t, dir, `{"platform": "native", "native": {"key": "TOP"}}`)
	write(t, near, `{"platform": "native", "native": {"key": "NEAR"}}`)
	otherPath := write(t, other, `{"platform": "native", "native": {"key": "OTHER"}}`)
	deep := filepath.Join(near, "a", "b")
	for _, d := range []string{deep, far} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A folder of the file's name is no configuration.
	if err := os.Mkdir(filepath.Join(far, config.FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, key string
		src       config.Source
	}{
		{"in the folder itself", "TOP", config.Source{Dir: dir}},
		{"nearest upward", "NEAR", config.Source{Dir: deep}},
		{"past a folder of the same name", "TOP", config.Source{Dir: far}},
		{"environment before search", "OTHER", config.Source{Dir: deep, Env: otherPath}},
		{"flag before environment", "TOP", config.Source{Dir: deep, Env: otherPath, Flag: dir}},
		{"flag relative to the working directory", "OTHER", config.Source{Dir: near, Flag: filepath.Join("..", "other", config.FileName)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := load(t, tt.src).Native.Key; got != tt.key {
				t.Errorf("key = %s, want %s", got, tt.key)
			}
		})
	}
}

func TestLoadMissingSaysWhatToWriteWhere(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	git(t, dir, "init", "-q")
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		src  config.Source
		want []string
	}{
		"search": {config.Source{Dir: deep}, []string{"or any folder above", `{"platform": "native"}`, filepath.Join(dir, config.FileName)}},
		"flag":   {config.Source{Dir: deep, Flag: "x.json"}, []string{"--config", `{"platform": "native"}`, filepath.Join(deep, "x.json")}},
		"env":    {config.Source{Dir: deep, Env: "a"}, []string{"DISPATCHER_CONFIG"}},
	} {
		_, err := config.Load(t.Context(), tt.src)
		if !errors.Is(err, config.ErrMissing) {
			t.Errorf("%s: error = %v, want ErrMissing", name, err)
			continue
		}
		for _, w := range tt.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not name %q", name, err, w)
			}
		}
	}
}

func TestLoadUsesTheMainCheckout(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	main := filepath.Join(dir, "main checkout")
	write(t, main, `{"platform": "native", "native": {"key": "MAIN"}}`)
	if err := os.MkdirAll(filepath.Join(main, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(main, "sub"), `{"platform": "native", "native": {"key": "SUB"}}`)
	git(t, main, "init", "-q")
	git(t, main, "add", ".")
	git(t, main, "commit", "-q", "-m", "x")
	inside, outside := filepath.Join(main, ".claude", "worktrees", "w"), filepath.Join(dir, "elsewhere")
	git(t, main, "worktree", "add", "-q", inside)
	git(t, main, "worktree", "add", "-q", outside)
	linked := write(t, inside, `{"platform": "native", "native": {"key": "LINKED"}}`)
	write(t, outside, `{"platform": "native", "native": {"key": "LINKED"}}`)

	for name, tt := range map[string]struct {
		src       config.Source
		key, root string
	}{
		"worktree inside":             {config.Source{Dir: inside}, "MAIN", main},
		"worktree outside":            {config.Source{Dir: outside}, "MAIN", main},
		"subfolder of a worktree":     {config.Source{Dir: filepath.Join(outside, "sub")}, "SUB", filepath.Join(main, "sub")},
		"file named in the worktree":  {config.Source{Dir: dir, Flag: linked}, "LINKED", main},
		"from the main checkout":      {config.Source{Dir: main}, "MAIN", main},
		"worktree with DISPATCHER_..": {config.Source{Dir: inside, Env: main}, "MAIN", main},
	} {
		c, err := config.Load(t.Context(), tt.src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Native.Key != tt.key || c.Root != tt.root {
			t.Errorf("%s: key %s, root %s; want %s, %s", name, c.Native.Key, c.Root, tt.key, tt.root)
		}
	}
}

func TestLoadInOddRepositories(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	seed := filepath.Join(dir, "seed")
	write(t, seed, `{"platform": "native"}`)
	git(t, seed, "init", "-q")
	git(t, seed, "add", ".")
	git(t, seed, "commit", "-q", "-m", "x")

	t.Run("worktree of a bare repository is its own root", func(t *testing.T) {
		t.Parallel()
		bare, tree := filepath.Join(dir, "bare.git"), filepath.Join(dir, "bare-tree")
		git(t, dir, "clone", "-q", "--bare", seed, bare)
		git(t, bare, "worktree", "add", "-q", "--detach", tree)
		if c := load(t, config.Source{Dir: tree}); c.Root != tree {
			t.Errorf("root = %s, want %s", c.Root, tree)
		}
	})
	t.Run("worktree of a submodule belongs to the submodule", func(t *testing.T) {
		t.Parallel()
		super, tree := filepath.Join(dir, "super"), filepath.Join(dir, "module-tree")
		if err := os.Mkdir(super, 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, super, "init", "-q")
		git(t, super, "-c", "protocol.file.allow=always", "submodule", "add", "-q", seed, "module")
		module := filepath.Join(super, "module")
		if c := load(t, config.Source{Dir: module}); c.Root != module {
			t.Errorf("root = %s, want %s", c.Root, module)
		}
		git(t, module, "worktree", "add", "-q", "--detach", tree)
		if c := load(t, config.Source{Dir: tree}); c.Root != module {
			t.Errorf("root from its worktree = %s, want %s", c.Root, module)
		}
	})
	t.Run("worktree whose git directory is gone", func(t *testing.T) {
		t.Parallel()
		tree := filepath.Join(dir, "lost")
		write(t, tree, `{"platform": "native"}`)
		if err := os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+filepath.Join(dir, "gone")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(t.Context(), config.Source{Dir: tree})
		if err == nil || !strings.Contains(err.Error(), "worktree repair") {
			t.Errorf("error = %v, want the way out", err)
		}
	})
}

func TestLoadRefusals(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	path := write(t, dir, `{"platform": "native", "x": 1}`)
	_, err := config.Load(t.Context(), config.Source{Dir: dir})
	var v *config.ViolationsError
	if !errors.As(err, &v) || v.Path != path || len(v.Violations) != 1 {
		t.Errorf("error = %v, want one violation of %s", err, path)
	}

	if err := os.WriteFile(path, []byte(strings.Repeat(" ", 2<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(t.Context(), config.Source{Dir: dir}); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("error of a huge file = %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := config.Load(ctx, config.Source{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("error after cancel = %v", err)
	}
}

func TestStateDir(t *testing.T) {
	t.Parallel()
	root := temp(t)
	abs := filepath.Join(root, "abs")
	c := &config.Config{Root: root}
	for env, want := range map[string]string{
		"":        filepath.Join(root, ".claude", "dispatcher"),
		abs:       abs,
		"st/../s": filepath.Join(root, "s"),
	} {
		got := c.StateDir(func(k string) string {
			if k != "DISPATCHER_STATE_DIR" {
				t.Errorf("asked for %s", k)
			}
			return env
		})
		if got != want {
			t.Errorf("state dir with %q = %s, want %s", env, got, want)
		}
	}
}
