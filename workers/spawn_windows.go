package workers

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/windows"
)

// inputs are the standard inputs of the supervisors that this process started.
// Windows has no named pipe that outlives its server: the supervisor reads the
// agent's input from us, and when that ends, with this process, it stops the
// agent; the run is resumed by its session (design.md, section 7).
type inputs map[string]io.WriteCloser

func (l *Launcher) spawn(f Folder, env []string) (<-chan error, error) {
	log, err := os.OpenFile(f.LogPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open its log: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(l.binary, SuperviseCommand, f.Dir()) //nolint:noctx // the end of its input ends it
	cmd.Dir = f.Dir()
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open its input: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if l.inputs == nil {
		l.inputs = inputs{}
	}
	l.inputs[f.Run()] = in
	l.mu.Unlock()
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		l.mu.Lock()
		delete(l.inputs, f.Run())
		l.mu.Unlock()
		ended <- err
	}()
	return ended, nil
}

func (l *Launcher) write(f Folder, data []byte) error {
	l.mu.Lock()
	in := l.inputs[f.Run()]
	l.mu.Unlock()
	if in == nil {
		return fmt.Errorf("send to run %s: %w in this process", f.Run(), ErrNotRunning)
	}
	if _, err := in.Write(data); err != nil {
		return fmt.Errorf("send to run %s: %w", f.Run(), errors.Join(ErrNotRunning, err))
	}
	return nil
}

// wakeSupervisor does nothing: it looks for the request by itself.
func wakeSupervisor(int) error { return nil }

// Send is not possible from any process but the one that started the run.
func (f Folder) Send([]byte, time.Duration) error {
	return fmt.Errorf("send to run %s: %w", f.Run(), ErrNotRunning)
}
