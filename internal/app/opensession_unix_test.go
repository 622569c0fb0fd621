//go:build unix

package app

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// oddRef and oddRoot hold what a shell, and what tmux, would take for more
// than a name.
const (
	oddRef  = board.Ref(`#48 "'$(id);#S`)
	oddRoot = `c#Sharp $HOME 'quoted" #(id)`
)

// opened is a factory whose sessions are opened with what its PATH holds.
func opened(t *testing.T, bin, tmux string) (*Factory, *config.Config, string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), oddRoot)
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin}
	if tmux != "" {
		env = append(env, "TMUX="+tmux)
	}
	f := &Factory{
		Environ: func() []string { return env },
		Getenv: func(key string) string {
			for _, kv := range env {
				if v, ok := strings.CutPrefix(kv, key+"="); ok {
					return v
				}
			}
			return ""
		},
	}
	return f, &config.Config{Root: root, Path: filepath.Join(root, "dispatcher.config.json")}, t.TempDir()
}

// fakeTmux is a tmux that writes down what it was called with, one argument a
// line after its folder, and fails where it is told so.
func fakeTmux(t *testing.T, fails bool) (bin string, calls func() []string) {
	t.Helper()
	bin = t.TempDir()
	log := filepath.Join(bin, "calls")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >>'" + log + "'\n"
	if fails {
		script += "echo 'no server running on /tmp/gone' >&2\nexit 1\n"
	}
	if err := os.WriteFile(filepath.Join(bin, "tmux"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return bin, func() []string {
		text, err := os.ReadFile(log)
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
}

// Without a tmux around the room, or with one that cannot be called, the
// session is opened on the room's own terminal.
func TestSessionOnThisTerminal(t *testing.T) {
	t.Parallel()
	bin, calls := fakeTmux(t, false)
	for name, c := range map[string]struct{ bin, tmux string }{
		"outside of tmux": {bin, ""},
		"tmux is missing": {t.TempDir(), "/tmp/tmux-1/default,1,0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, cfg, state := opened(t, c.bin, c.tmux)
			run, err := f.sessions(t.Context(), cfg, state)(oddRef)
			if err != nil {
				t.Fatal(err)
			}
			here, ok := run.(*proc.Terminal)
			if !ok {
				t.Fatalf("it is opened as %T", run)
			}
			if want := []string{"take-over", string(oddRef)}; strings.Join(here.Args, "\n") != strings.Join(want, "\n") || here.Dir != cfg.Root {
				t.Errorf("it runs %q in %q", here.Args, here.Dir)
			}
			if !strings.HasPrefix(here.Name, state) {
				t.Errorf("%s is no copy of this program in %s", here.Name, state)
			}
			if env := strings.Join(here.Env, "\n"); !strings.Contains(env, "DISPATCHER_CONFIG="+cfg.Path) || !strings.Contains(env, "PATH="+c.bin) {
				t.Errorf("it runs with %q", here.Env)
			}
			if got := calls(); got != nil {
				t.Errorf("tmux was called: %q", got)
			}
		})
	}
}

// In tmux the session gets a window of its own, and the room's terminal is
// left alone. Nothing of its name or folder is expanded on the way.
func TestSessionInAWindow(t *testing.T) {
	t.Parallel()
	bin, calls := fakeTmux(t, false)
	f, cfg, state := opened(t, bin, "/tmp/tmux-1/default,1,0")
	run, err := f.sessions(t.Context(), cfg, state)(oddRef)
	if err != nil || run != nil {
		t.Fatalf("answered %v, %v", run, err)
	}
	got := calls()
	doubled := func(s string) string { return strings.ReplaceAll(s, "#", "##") }
	want := []string{
		"new-window", "-n", doubled(string(oddRef)), "-c", doubled(cfg.Root), "-e", "DISPATCHER_CONFIG=" + cfg.Path,
		"sh", "-c", holdOpen, "sh", filepath.Join(state, "bin", "*", "dispatcher"), "take-over", string(oddRef),
	}
	if len(got) != len(want) {
		t.Fatalf("tmux was called with %q", got)
	}
	for i := range want {
		if same, _ := filepath.Match(want[i], got[i]); !same && got[i] != want[i] {
			t.Errorf("argument %d is %q, want %q", i, got[i], want[i])
		}
	}
}

func TestSessionThatTmuxRefuses(t *testing.T) {
	t.Parallel()
	bin, _ := fakeTmux(t, true)
	f, cfg, state := opened(t, bin, "/tmp/gone,1,0")
	run, err := f.sessions(t.Context(), cfg, state)("DSP-1")
	if run != nil || err == nil || !strings.Contains(err.Error(), "open a tmux window") || !strings.Contains(err.Error(), "no server running") {
		t.Errorf("answered %v, %v", run, err)
	}
}

// The window's command line gives the program its arguments as they are, and
// stays open where that fails, so that its error can be read.
func TestTheWindowHoldsWhatFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exit string
		held bool
	}{"ended well": {"0", false}, "failed": {"1", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), oddRoot)
			if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '<%s>' \"$@\"\nexit "+c.exit+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", holdOpen, "sh", program, "take-over", string(oddRef))
			cmd.Stdin = strings.NewReader("\n")
			out, err := cmd.Output()
			want := "<take-over><" + string(oddRef) + ">"
			if err != nil || !strings.HasPrefix(string(out), want) || bytes.Contains(out, []byte("enter closes this window")) != c.held {
				t.Errorf("it said %q, %v", out, err)
			}
		})
	}
}

// The real tmux opens it in the repository's folder, under the name.
func TestSessionInARealTmux(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux here; what it is called with is tested above")
	}
	dir, err := os.MkdirTemp("", "tm") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	call := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), tmux, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	endsWithTheTest(t, tmux, socket)
	call("new-session", "-d", "-s", "Other", "cat")
	f, cfg, state := opened(t, filepath.Dir(tmux)+":"+os.Getenv("PATH"), socket+",1,0")
	// What it runs is a copy of this test's own binary, which fails (TestMain):
	// the window is held.
	if run, err := f.sessions(t.Context(), cfg, state)(oddRef); err != nil || run != nil {
		t.Fatalf("answered %v, %v", run, err)
	}
	if got := call("list-windows", "-F", "#{window_name}"); !strings.HasSuffix(got, "\n"+string(oddRef)) {
		t.Errorf("the windows are %q", got)
	}
	if got := call("display-message", "-p", "-t", ":1", "#{pane_start_path}"); got != cfg.Root {
		t.Errorf("it runs in %q, want %q", got, cfg.Root)
	}
	held := time.Now().Add(2 * time.Minute)
	for !strings.Contains(call("capture-pane", "-p", "-t", ":1"), "enter closes this window") {
		if time.Now().After(held) {
			t.Fatal("the window never says that it is held")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// endsWithTheTest ends the tmux server at socket when the test does, however
// that ends: a process in a session of its own waits for the end of a pipe that
// only this process holds open, which comes when it is killed as well.
func endsWithTheTest(t *testing.T, tmux, socket string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", `cat; exec "$0" -S "$1" kill-server`, tmux, socket)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	held, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = held.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the tmux server was not ended: %v", err)
		}
	})
}
