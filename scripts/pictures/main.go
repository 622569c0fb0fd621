//go:build unix

// Command pictures takes the pictures of the documentation: it plays the real
// `dispatcher demo` on a terminal of a fixed size, waits for a telling moment,
// and writes docs/pictures/*.svg from the cells of the screen.
//
// What it shows is what the program draws; nothing is painted by hand. It is
// run by `make pictures`, by a person who then looks at them.
package main

import (
	"context"
	"flag"
	"fmt"
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

// shot is one picture: what is typed, what must be on the screen, and where the
// cells go.
type shot struct {
	name    string
	title   string // for those who cannot see it
	w, h    int
	keys    []string
	waitFor func(screen string) bool
}

// pause stands between two keys that together would be another one.
const pause = ""

// shots are taken in this order in one life of the demo. The size changes
// once at most: what is drawn during a change is of no use.
var shots = []shot{
	{
		name: "workers", title: "A worker's transcript: what it says, the commands it runs, the changes it makes", w: 120, h: 30,
		keys: []string{"2", pause, pause, pause, pause, pause, pause, pause, pause, "j"}, waitFor: func(s string) bool { return strings.Count(s, " ✓ ") >= 9 && strings.Contains(s, "DSP-1 developer") },
	},
	{
		name: "board", title: "The board: every row says why it waits; live workers below, what needs you above", w: 120, h: 30,
		keys: []string{"1"}, waitFor: func(s string) bool {
			return strings.Contains(s, "question, ") && !strings.Contains(s, "Review 0") && strings.Count(s, "●") >= 3 && whole(s)
		},
	},
	{
		name: "needs-you", title: "What needs you: a worker's question with its options, and the field for your answer", w: 120, h: 30,
		keys: []string{"3", pause, "k", "k", "k", "k", "k", pause, "a", pause, "1"}, waitFor: func(s string) bool { return strings.Contains(s, "sent in full") && whole(s) },
	},
	{
		name: "board-80", title: "The same board on a terminal of 80 columns: a list, and what is selected", w: 80, h: 24,
		keys: []string{"\x1b", pause, "1"}, waitFor: func(s string) bool { return strings.Contains(s, "In progress ") && whole(s) },
	},
}

// whole: the last line says what the keys do, so that the screen has been drawn
// in its present size.
func whole(s string) bool {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	last := lines[len(lines)-1]
	return strings.Contains(last, "help") || strings.Contains(last, "send")
}

// folder is where the demo plays, below a temporary folder.
const folder = "acme"

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pictures", flag.ContinueOnError)
	to := flags.String("to", filepath.Join("docs", "pictures"), "the folder for the pictures")
	wait := flags.Duration("wait", 3*time.Minute, "how long a moment is waited for")
	if err := flags.Parse(args); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "pictures-*")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "dispatcher")
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	t, err := openTerminal(ctx, shots[0].w, shots[0].h, tmp, binary, "demo", "--dir", folder)
	if err != nil {
		return err
	}
	abort := exec.Command(binary, "ctl", "abort") //nolint:noctx // it must run when ctx is over
	abort.Dir = filepath.Join(tmp, folder, "repo")
	defer t.close(abort)
	if err := os.MkdirAll(*to, 0o755); err != nil {
		return fmt.Errorf("make the folder for the pictures: %w", err)
	}
	for i := range shots {
		if err := take(ctx, t, &shots[i], *to, tmp, *wait); err != nil {
			return fmt.Errorf("take %s: %w", shots[i].name, err)
		}
	}
	return nil
}

// take waits for the moment and writes the picture.
func take(ctx context.Context, t *terminal, s *shot, to, tmp string, wait time.Duration) error {
	t.resize(s.w, s.h)
	if err := t.see(ctx, wait, func(screen string) bool { return strings.Contains(screen, "dispatcher") }); err != nil {
		return err
	}
	for _, k := range s.keys {
		if k == pause {
			time.Sleep(500 * time.Millisecond)
			continue
		}
		if err := t.press(k); err != nil {
			return err
		}
	}
	picture, text, err := t.picture(ctx, wait, s.title, s.waitFor)
	if err != nil {
		return err
	}
	if strings.Contains(text, filepath.Base(tmp)) {
		return fmt.Errorf("the screen shows a path of this machine:\n%s", text)
	}
	return os.WriteFile(filepath.Join(to, s.name+".svg"), []byte(picture), 0o644)
}
