//go:build linux || darwin

package native

import (
	"io/fs"
	"syscall"
)

// stampOf looks at a file without following a link.
func stampOf(path string) (stamp, error) {
	var st syscall.Stat_t
	err := syscall.EINTR
	for err == syscall.EINTR { //nolint:errorlint // an errno, as the syscall package answers it
		err, _ = syscall.Lstat(path, &st).(syscall.Errno) //nolint:errorlint // as above
	}
	if err != 0 {
		return stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	sec, nsec := mtime(&st)
	return stamp{mtime: sec*1e9 + nsec, size: st.Size, inode: st.Ino}, nil
}
