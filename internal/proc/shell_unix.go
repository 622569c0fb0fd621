//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// Suspendable says whether somebody can let this process go on once it is
// suspended: a shell of its session, with this process in a job of its own. In
// a window that runs only this program nobody can, and the kernel ignores the
// signal.
func Suspendable() bool {
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	shell, err := unix.Getsid(os.Getppid())
	if err != nil || shell != own {
		return false
	}
	group, err := unix.Getpgid(os.Getppid())
	return err == nil && group != unix.Getpgrp()
}
