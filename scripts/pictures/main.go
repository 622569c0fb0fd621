//go:build unix

// Command pictures takes the pictures of the documentation: it plays the real
// `dispatcher demo` on a terminal, waits for telling moments, and writes
// docs/pictures/*.svg from the cells of the screen, those of the README as PNG
// too where rsvg-convert is installed. It also records a life of the demo for
// terminals to play, docs/pictures/demo.cast.
//
// What it shows is what the program draws; nothing is painted by hand. It is
// run by `make pictures`, by a person who then looks at them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// The demo plays in a folder of this name, which pictures may show.
const playground = "dispatcher-demo"

// options are what the command line asks for.
type options struct {
	to, only, program string
	wait              time.Duration
	cast              bool
}

func run(ctx context.Context, args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("pictures", flag.ContinueOnError)
	flags.StringVar(&o.to, "to", filepath.Join("docs", "pictures"), "the folder for the pictures")
	flags.StringVar(&o.only, "only", "", "take only the pictures whose names hold this")
	flags.StringVar(&o.program, "program", "", "a dispatcher that is built already, in place of building one")
	flags.DurationVar(&o.wait, "wait", 3*time.Minute, "how long a moment is waited for")
	flags.BoolVar(&o.cast, "cast", false, "record the demo in place of taking pictures")
	if err := flags.Parse(args); err != nil {
		return err
	}
	tmp := filepath.Join(os.TempDir(), playground)
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return fmt.Errorf("make a folder for the demo, whose name pictures show: %w", err)
	}
	defer func() {
		if !strings.Contains(fmt.Sprint(err), "look for its workers") {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	binary := filepath.Join(tmp, "dispatcher")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	if o.program != "" {
		build = exec.CommandContext(ctx, "cp", o.program, binary)
	}
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	if o.cast {
		return record(ctx, filepath.Join(o.to, "demo.cast"), tmp, binary, o.wait)
	}
	return picture(ctx, &o, tmp, binary)
}

// demo starts a demo on a terminal; the answer ends it and all its workers.
func demo(w, h int, tmp, binary string) (*terminal, func() error, error) {
	t, err := openTerminal(w, h, tmp, binary, "demo", "--dir", "acme")
	if err != nil {
		return nil, nil, err
	}
	return t, func() error {
		err := endLoop(t, binary, filepath.Join(tmp, "acme", "repo"))
		t.close()
		return err
	}, nil
}

// endLoop ends the loop of the demo by its own command, so that no worker is
// left; also when the run was interrupted, when the loop is only about to start,
// and when its room has left it in the background.
func endLoop(t *terminal, binary, repo string) error {
	ctl := func(args ...string) bool {
		cmd := exec.Command(binary, append([]string{"ctl"}, args...)...) //nolint:noctx // it must run when the run is over
		cmd.Dir = repo
		return cmd.Run() == nil
	}
	for range 120 {
		aborted := ctl("abort")
		if t.gone() && !aborted && !ctl("status") {
			return nil
		}
		if !aborted && !t.gone() { // its loop has ended, the room still shows it
			_ = t.typeKeys([]string{esc, pause, esc, pause, "q"})
		}
		time.Sleep(500 * time.Millisecond)
	}
	return fmt.Errorf("the demo did not end: look for its workers with `dispatcher runs` in %s", repo)
}

// picture takes all pictures in one life of the demo.
func picture(ctx context.Context, o *options, tmp, binary string) (err error) {
	all := shots()
	t, end, err := demo(all[0].w, all[0].h, tmp, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := t.see(ctx, o.wait, whole); err != nil {
		return err
	}
	var missing error
	for i := range all {
		if !strings.Contains(all[i].name, o.only) {
			continue
		}
		if err := take(ctx, t, &all[i], o); err != nil {
			missing = errors.Join(missing, fmt.Errorf("take %s: %w", all[i].name, err))
			if ctx.Err() != nil || t.gone() {
				break
			}
			_ = t.typeKeys(home) // the others may come out all the same
		}
	}
	return missing
}

// quick is how long a screen takes to be drawn, on a busy machine too.
const quick = 10 * time.Second

// take waits for the moment and writes the picture.
func take(ctx context.Context, t *terminal, s *shot, o *options) error {
	t.resize(s.w, s.h)
	if err := t.see(ctx, quick, browsing); err != nil {
		// On a busy machine an escape and the key after it can arrive as one.
		if err := t.typeKeys(home); err != nil {
			return err
		}
	}
	ready := browsing
	if s.when != nil {
		ready = func(screen string) bool { return browsing(screen) && s.when(screen) }
	}
	if err := t.see(ctx, o.wait, ready); err != nil {
		return err
	}
	if err := t.typeKeys(s.keys); err != nil {
		return err
	}
	picture, text, err := t.picture(ctx, o.wait, s.title, s.waitFor)
	if err != nil {
		return err
	}
	if private := leaks(text); private != "" {
		return fmt.Errorf("the screen shows %q, which is of this machine:\n%s", private, text)
	}
	path := filepath.Join(o.to, filepath.FromSlash(s.name)+".svg")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder for the pictures: %w", err)
	}
	if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	if !strings.Contains(s.name, "/") {
		if err := png(ctx, path); err != nil {
			return err
		}
	}
	return t.typeKeys(s.back)
}

// leaks is a name of this machine that a text shows, empty for none.
func leaks(text string) string {
	host, _ := os.Hostname()
	home, _ := os.UserHomeDir()
	here, _ := os.Getwd()
	for _, private := range []string{host, home + "/", here} {
		if len(private) > 2 && strings.Contains(text, private) {
			return private
		}
	}
	return ""
}

// png draws a picture a second time, for places that take no SVG; where the
// program for it is missing the old one goes, so that none is stale.
func png(ctx context.Context, svg string) error {
	to := strings.TrimSuffix(svg, ".svg") + ".png"
	out, err := exec.CommandContext(ctx, "rsvg-convert", "--zoom", "1.5", "-o", to, svg).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old picture: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("draw %s: %w\n%s", to, err, out)
	}
	return nil
}
