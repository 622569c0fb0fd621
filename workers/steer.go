package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// sendWithin is how long an agent may take to read a message.
const sendWithin = 20 * time.Second

// The begins of the ids of interrupts: the supervisor waits for the owner's
// word for as long as it takes after the owner's own.
const (
	OwnerInterrupt = "owner-"
	stallInterrupt = "interrupt-"
)

// Steer sends a message into a run and answers its id. It joins the running
// turn after the tool that runs now, or starts the next turn. ErrNotRunning if
// the run takes no message any more; then nothing was sent.
func (l *Launcher) Steer(ctx context.Context, run, text string) (string, error) {
	id := uuid.NewString()
	err := l.send(ctx, run, func(f Folder, a Agent) ([]byte, error) {
		if can := a.Can(); !can.Steer {
			return nil, fmt.Errorf("%w: %s", ErrUnable, can.Why)
		}
		// The supervisor must know of the message before the agent does, or it
		// could end the session in between.
		return a.Message(id, text), f.RecordMessage(id, l.now(), text)
	})
	if err != nil {
		return "", fmt.Errorf("steer run %s: %w", run, err)
	}
	return id, nil
}

// Interrupt ends the turn that runs. Messages that wait are answered next;
// when none waits, the run waits for one for a while.
func (l *Launcher) Interrupt(ctx context.Context, run string) error {
	return l.interrupt(ctx, run, stallInterrupt)
}

// Hold ends the turn that runs, as its owner wants it, and answers when it has
// ended, or false when the agent has not shown within a few seconds that it took
// the word: then it may end later, or never. A run whose turn has ended waits
// for the owner's word, however long that takes.
func (l *Launcher) Hold(ctx context.Context, run string) (stands bool, err error) {
	st, err := l.Observe(ctx, run)
	if err != nil {
		return false, fmt.Errorf("interrupt: %w", err)
	}
	if st.Waiting {
		return false, fmt.Errorf("interrupt run %s: it stands still already and waits for your word", run)
	}
	if err := l.interrupt(ctx, run, OwnerInterrupt); err != nil {
		return false, err
	}
	return l.settled(ctx, run, func(st *Status) bool { return st.Waiting }), nil
}

func (l *Launcher) interrupt(ctx context.Context, run, as string) error {
	err := l.send(ctx, run, func(_ Folder, a Agent) ([]byte, error) {
		if can := a.Can(); !can.Interrupt {
			return nil, fmt.Errorf("%w: %s", ErrUnable, can.Why)
		}
		return a.Interrupt(as + uuid.NewString()), nil
	})
	if err != nil {
		return fmt.Errorf("interrupt run %s: %w", run, err)
	}
	return nil
}

// send writes one line while nobody else writes and the session has not been
// ended.
func (l *Launcher) send(ctx context.Context, run string, line func(Folder, Agent) ([]byte, error)) error {
	f, err := l.Folder(run)
	if err != nil {
		return err
	}
	st, err := l.Observe(ctx, run)
	if err != nil {
		return err
	}
	if st.Phase != PhaseRunning {
		return fmt.Errorf("%w: it is %s", ErrNotRunning, st.Phase)
	}
	spec, err := f.Spec()
	if err != nil {
		return err
	}
	agent, err := l.agent(spec.Agent)
	if err != nil {
		return err
	}
	lock, err := statefile.Lock(ctx, f.InputLockPath())
	if err != nil {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it at the latest with the process
	if f.Ending() {
		return fmt.Errorf("%w: it is ending", ErrNotRunning)
	}
	data, err := line(f, agent)
	if err != nil {
		return err
	}
	return l.write(f, data)
}
