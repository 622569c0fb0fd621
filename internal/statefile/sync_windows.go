package statefile

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// syncDir does nothing: Windows has no way to sync a folder, and NTFS journals
// the rename itself.
func syncDir(string) error { return nil }

// Windows error numbers that the syscall package does not name.
const (
	errSharingViolation = syscall.Errno(32)
	errWriteProtect     = syscall.Errno(19)
	errHandleDiskFull   = syscall.Errno(39)
	errDiskFull         = syscall.Errno(112)
)

// rename replaces a file. A reader that has the old file open refuses the
// replacement for the moment it reads; that is waited for, half a second at
// most.
func rename(from, to string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := os.Rename(from, to)
		busy := errors.Is(err, errSharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
		if !busy || wait > 256*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}

func noSpace(err error) bool {
	return errors.Is(err, errDiskFull) || errors.Is(err, errHandleDiskFull)
}

func readOnly(err error) bool {
	return errors.Is(err, errWriteProtect) || errors.Is(err, os.ErrPermission)
}
