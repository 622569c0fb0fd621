//go:build unix

package proc

import (
	"os/exec"
	"syscall"
)

// ownSession lets a process outlive this one and its terminal.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
