package proc

import (
	"os/exec"
	"syscall"
)

// ownSession lets a process outlive this one and its terminal.
func ownSession(cmd *exec.Cmd) {
	const detached, newGroup = 0x00000008, 0x00000200
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detached | newGroup}
}
