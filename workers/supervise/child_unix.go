//go:build unix

package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/backside4charter/dispatcher/workers"
)

// child is the agent process.
type child struct {
	pid      int
	exited   <-chan ended
	hostGone <-chan struct{} // never: the agent does not need who started us
	keep     *os.File        // our hold on the pipe, so that it always has both ends
}

// startChild starts the agent: output appended to the transcript by the agent
// itself, input a named pipe that it holds open in both directions, so that it
// sees no end of file whoever dies; or, once, the file that lies there.
func startChild(f workers.Folder, spec workers.Spec, once bool) (*child, error) {
	in, err := openInput(f.InputPath(), once)
	if err != nil {
		return nil, err
	}
	out, errOut, err := openOutputs(f)
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	defer out.Close()
	defer errOut.Close()
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...) //nolint:noctx // it outlives every context of ours
	cmd.Dir = spec.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = in.Close()
		return nil, err
	}
	// From here on the reaper may take any child: nothing else is started.
	return &child{pid: cmd.Process.Pid, exited: reapAgent(cmd.Process.Pid), keep: in}, nil
}

func openInput(path string, once bool) (*os.File, error) {
	if once {
		in, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("open its input: %w", err)
		}
		return in, nil
	}
	if err := unix.Mkfifo(path, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("create its input: %w", err)
	}
	return openPipe(path)
}

// openPipe opens the named pipe for both directions, without the flag that
// would make the agent's reads fail instead of wait.
func openPipe(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open its input: %w", err)
	}
	growPipe(fd)
	return os.NewFile(uintptr(fd), path), nil
}

func openOutputs(f workers.Folder) (out, errOut *os.File, err error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if out, err = os.OpenFile(f.TranscriptPath(), flags, 0o600); err != nil {
		return nil, nil, fmt.Errorf("open the transcript: %w", err)
	}
	if errOut, err = os.OpenFile(f.StderrPath(), flags, 0o600); err != nil {
		_ = out.Close()
		return nil, nil, fmt.Errorf("open its error log: %w", err)
	}
	return out, errOut, nil
}

// say writes a line to the agent. The caller holds the input's lock.
func (c *child) say(f workers.Folder, line []byte, within time.Duration) error {
	return f.Send(line, within)
}

func endedOf(ws syscall.WaitStatus) ended {
	if ws.Signaled() {
		return ended{code: -1, signal: unix.SignalName(ws.Signal())}
	}
	return ended{code: ws.ExitStatus()}
}
