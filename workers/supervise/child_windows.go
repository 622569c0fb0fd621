package supervise

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/windows"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// subreaper: Windows keeps no parentage of orphans. The agent's descendants
// are noted while they can be found.
const subreaper = false

func prepareProcess() { smallProcess() }

// child is the agent process. Its input is our own pipe; what the launcher
// writes into our standard input is passed on.
type child struct {
	pid      int
	exited   <-chan ended
	hostGone <-chan struct{} // closed when the process that started us is gone

	mu sync.Mutex
	in io.WriteCloser
}

func startChild(f workers.Folder, spec workers.Spec, once bool) (*child, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	out, err := os.OpenFile(f.TranscriptPath(), flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the transcript: %w", err)
	}
	defer out.Close()
	errOut, err := os.OpenFile(f.StderrPath(), flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open its error log: %w", err)
	}
	defer errOut.Close()
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...) //nolint:noctx // ended by the ladder
	cmd.Dir = spec.Dir
	cmd.Stdout, cmd.Stderr = out, errOut
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	in, err := input(cmd, f.InputPath(), once)
	if err != nil {
		return nil, fmt.Errorf("create its input: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited, gone := make(chan ended, 1), make(chan struct{})
	c := &child{pid: cmd.Process.Pid, exited: exited, hostGone: gone, in: in}
	go func() {
		err := cmd.Wait()
		var exit *exec.ExitError
		switch {
		case err == nil:
			exited <- ended{}
		case errors.As(err, &exit):
			exited <- ended{code: exit.ExitCode()}
		default:
			exited <- ended{code: -1}
		}
	}()
	go c.relay(gone)
	return c, nil
}

// input is our end of the agent's input; once, the agent reads the file that
// lies there, and what is written besides is refused.
func input(cmd *exec.Cmd, path string, once bool) (io.WriteCloser, error) {
	if !once {
		return cmd.StdinPipe()
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	cmd.Stdin = file
	return file, nil
}

// relay passes on what the launcher sends, whole lines only: we write between
// them. The end of its input, for whatever reason, is the end of our host.
func (c *child) relay(gone chan<- struct{}) {
	defer close(gone)
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if c.write(line) != nil {
			return
		}
	}
}

// say writes a line to the agent. The caller holds the input's lock.
func (c *child) say(_ workers.Folder, line []byte, _ time.Duration) error {
	return c.write(line)
}

func (c *child) write(line []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.in.Write(line); err != nil {
		return fmt.Errorf("write to the agent: %w", err)
	}
	return nil
}

// leftovers lists what was seen below the agent and still lives, and what that
// has started since.
func (s *supervisor) leftovers() []workers.Process {
	for p := range maps.Clone(s.seen) {
		if p.Alive() {
			s.remember(proc.Descendants(p.PID))
		}
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(s.seen)), func(p workers.Process) bool { return !p.Alive() })
}
