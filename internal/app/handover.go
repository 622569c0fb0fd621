package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/internal/control"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/loop/state"
)

// backgroundLog is where a loop in the background prints what it would print on
// a terminal.
const backgroundLog = "background.log"

// handoverWithin bounds how long the heir may take to get ready, and then to
// answer.
const handoverWithin = 20 * time.Second

// handOver starts a loop in the background in the place of this one, which has
// ended and left its workers running. The heir waits for the loop's lock and
// keeps everybody else from it meanwhile, so that the checkout is never without
// an owner; release gives it up. What runs then is a restart with live workers,
// and nothing more (design.md, section 5).
func (f *Factory) handOver(ctx context.Context, s *session, o StartOptions, release func()) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*handoverWithin)
	defer cancel()
	heir, err := f.startHeir(s, o)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- heir.Wait() }()
	logPath := filepath.Join(s.state, backgroundLog)
	if err := untilHeir(ctx, s.lock.heirPath(), ended); err != nil {
		_ = heir.Process.Kill()
		return fmt.Errorf("hand the loop to the background: %w; %s says more; workers go on, `dispatcher start` takes them up again", err, logPath)
	}
	release()
	client := control.NewClient(s.state)
	snap, err := untilAnswered(ctx, client, ended)
	if err != nil {
		return fmt.Errorf("hand the loop to the background: %w; %s says more; workers go on, `dispatcher start` takes them up again", err, logPath)
	}
	return f.sayHandedOver(snap, heir.Process.Pid, logPath)
}

// startHeir starts it in a session of its own, with no stream of ours.
func (f *Factory) startHeir(s *session, o StartOptions) (*exec.Cmd, error) {
	binary, err := f.CopySelf(s.state)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(filepath.Join(s.state, backgroundLog), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of the background: %w", err)
	}
	defer out.Close() //nolint:errcheck // the heir has its own
	args := []string{"start", "--no-tui", "--" + HeirFlag}
	if o.UntilIdle {
		args = append(args, "--until-idle")
	}
	args = append(append(args, "--"), s.options.Milestones...)
	cmd, err := proc.Detach(binary, args, s.cfg.Root, append(f.Environ(), "DISPATCHER_CONFIG="+s.cfg.Path), out)
	if err != nil {
		return nil, fmt.Errorf("start the loop in the background: %w", err)
	}
	return cmd, nil
}

// HeirFlag makes `start` wait for the loop that hands over to it.
const HeirFlag = "take-over"

// untilHeir waits until the heir stands at the lock.
func untilHeir(ctx context.Context, path string, ended <-chan error) error {
	return ask(ctx, ended, func() (bool, error) {
		l, ok, err := statefile.TryLock(path)
		if err != nil || !ok {
			return !ok && err == nil, err
		}
		return false, l.Unlock()
	})
}

func untilAnswered(ctx context.Context, c *control.Client, ended <-chan error) (snap *state.Snapshot, err error) {
	err = ask(ctx, ended, func() (bool, error) {
		s, err := c.Snapshot(ctx)
		if err != nil || s == nil {
			return false, nil //nolint:nilerr // not yet
		}
		snap = s
		return true, nil
	})
	return snap, err
}

// ask asks until the answer is yes, the heir has ended, or time is over.
func ask(ctx context.Context, ended <-chan error, ready func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, handoverWithin)
	defer cancel()
	t := time.NewTicker(20 * time.Millisecond)
	defer t.Stop()
	for {
		if yes, err := ready(); yes || err != nil {
			return err
		}
		select {
		case <-t.C:
		case err := <-ended:
			return fmt.Errorf("it ended at once: %w", errors.Join(err, errEnded))
		case <-ctx.Done():
			return errors.New("it does not answer")
		}
	}
}

var errEnded = errors.New("the process in the background is gone")

// sayHandedOver prints what runs and how to come back.
func (f *Factory) sayHandedOver(s *state.Snapshot, pid int, logPath string) error {
	var runs []string
	for i := range s.Workers {
		if w := &s.Workers[i]; w.Outcome == "" {
			runs = append(runs, fmt.Sprintf("%s %s", w.Run.Ref, w.Run.Kind))
		}
	}
	what := "no worker runs"
	if len(runs) > 0 {
		what = strings.Join(runs, ", ")
	}
	_, err := fmt.Fprintf(f.IO.Out, "the loop goes on in the background, pid %d: %s\n  dispatcher attach      opens the control room on it\n  dispatcher ctl status  says what it does; ctl drain ends it\n  its log: %s\n", pid, what, logPath)
	return err
}
