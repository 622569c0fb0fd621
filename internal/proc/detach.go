package proc

import (
	"os"
	"os/exec"
)

// Detach starts a program that outlives this process and its terminal, in a
// session of its own, with no stream but the log, nil for none. The caller may
// wait for it.
func Detach(binary string, args []string, dir string, env []string, log *os.File) (*exec.Cmd, error) {
	cmd := exec.Command(binary, args...) //nolint:noctx // it outlives every context of ours
	cmd.Dir, cmd.Env = dir, env
	if log != nil {
		cmd.Stdout, cmd.Stderr = log, log
	}
	ownSession(cmd)
	return cmd, cmd.Start()
}
