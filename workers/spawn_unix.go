//go:build unix

package workers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// inputs is not needed where standard input is a named pipe: whoever knows the
// run folder can write to it.
type inputs struct{} //nolint:unused // likewise

// spawn starts the supervisor in a session of its own, with no stream of ours.
func (l *Launcher) spawn(f Folder, env []string) (<-chan error, error) {
	log, err := os.OpenFile(f.LogPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open its log: %w", err)
	}
	defer log.Close()
	// A binary that was copied a moment ago looks busy as long as a child forked
	// meanwhile has not reached its own exec.
	for try := 0; ; try++ {
		cmd := exec.Command(l.binary, SuperviseCommand, f.Dir()) //nolint:noctx // it outlives every context of ours
		cmd.Dir = f.Dir()
		cmd.Env = env
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err := cmd.Start()
		if err == nil {
			return reap(cmd), nil
		}
		if !errors.Is(err, syscall.ETXTBSY) || try == 50 {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// write sends one line to the agent.
func (l *Launcher) write(f Folder, data []byte) error { return f.Send(data, sendWithin) }

// wakeSupervisor makes it look at the stop request at once.
func wakeSupervisor(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }

// Send writes one whole line into the agent's standard input. The caller holds
// the input's lock. Where nobody reads any more the error is ErrNotRunning.
func (f Folder) Send(data []byte, within time.Duration) error {
	fd, err := unix.Open(f.InputPath(), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("send to run %s: %w", f.Run(), ErrNotRunning)
	}
	if err != nil {
		return fmt.Errorf("send to run %s: open its input: %w", f.Run(), err)
	}
	defer unix.Close(fd) //nolint:errcheck // everything is in the pipe or reported
	deadline := time.Now().Add(within)
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if n > 0 {
			data = data[n:]
		}
		switch {
		case err == nil, errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EPIPE):
			return fmt.Errorf("send to run %s: %w", f.Run(), ErrNotRunning)
		case !errors.Is(err, unix.EAGAIN):
			return fmt.Errorf("send to run %s: %w", f.Run(), err)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return fmt.Errorf("send to run %s: the agent does not read its input; stop it", f.Run())
		}
		_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(min(left, time.Second).Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("send to run %s: %w", f.Run(), err)
		}
	}
	return nil
}
