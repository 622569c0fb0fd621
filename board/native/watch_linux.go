package native

import (
	"bytes"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watch tells which files of a folder were touched, as the kernel queued it:
// what was done before drain was called is in its answer. It does not see what
// another host does to a shared folder.
type watch struct {
	f  *os.File // closes the descriptor when the board is forgotten
	fd int
}

// newWatch answers nil where the kernel gives no watch: then every file is
// looked at.
func newWatch(dir string) *watch {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	w := &watch{f: os.NewFile(uintptr(fd), "inotify"), fd: fd}
	const mask = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	if _, err := unix.InotifyAddWatch(fd, dir, mask); err != nil {
		w.close()
		return nil
	}
	return w
}

func (w *watch) close() { _ = w.f.Close() }

// drain answers the names that were touched since the last call. It reports
// false when it may have missed something: look at everything, and watch anew.
func (w *watch) drain() (names map[string]bool, ok bool) {
	names = map[string]bool{}
	var buf [16 << 10]byte
	for {
		n, err := unix.Read(w.fd, buf[:])
		switch {
		case err == unix.EINTR: //nolint:errorlint // an errno, as the call answers it
			continue
		case err == unix.EAGAIN: //nolint:errorlint // as above
			return names, true
		case err != nil || n < unix.SizeofInotifyEvent:
			return nil, false
		}
		if !collect(buf[:n], names) {
			return nil, false
		}
	}
}

// collect reads the kernel's records: a fixed head, then a name that is padded
// with NULs.
func collect(data []byte, names map[string]bool) bool {
	for len(data) >= unix.SizeofInotifyEvent {
		e := (*unix.InotifyEvent)(unsafe.Pointer(&data[0])) //nolint:gosec // the kernel's own layout, its length checked
		end := unix.SizeofInotifyEvent + int(e.Len)
		const lost = unix.IN_Q_OVERFLOW | unix.IN_IGNORED | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_UNMOUNT
		if e.Mask&lost != 0 || end > len(data) {
			return false
		}
		name, _, _ := bytes.Cut(data[unix.SizeofInotifyEvent:end], []byte{0})
		names[string(name)] = true
		data = data[end:]
	}
	return true
}
