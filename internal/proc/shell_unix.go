//go:build unix

package proc

import (
	"os"
	"os/signal"

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

// Suspend stops this process and its job as ctrl+z does, and returns once the
// shell lets it go on. It sends the stop that nothing can catch: Go keeps the
// other from a process that has asked for it once.
func Suspend() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, unix.SIGCONT)
	defer signal.Stop(goesOn)
	if unix.Kill(0, unix.SIGSTOP) == nil {
		<-goesOn
	}
}
