//go:build unix

package statefile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// mark is an open file: its lock (flock(2)) belongs to what was opened, not to
// the process, and a child that is given the descriptor has it too.
type mark struct{ file *os.File }

func tryMark(path string) (mark, bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return mark{}, false, err
	}
	ok, err := tryFlock(f, unix.LOCK_EX)
	if err != nil || !ok {
		return mark{}, false, errors.Join(err, f.Close())
	}
	return mark{f}, true, nil
}

func marked(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	free, err := tryFlock(f, unix.LOCK_SH)
	return !free && err == nil, err
}

func tryFlock(f *os.File, how int) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}

// File is what a child has to be given for it to hold the mark too (ExtraFiles
// of exec.Cmd); nil where the system knows no such thing.
func (m mark) File() *os.File { return m.file }

// Clear gives the mark back for all that hold it. The file stays.
func (m mark) Clear() error {
	return errors.Join(unix.Flock(int(m.file.Fd()), unix.LOCK_UN), m.file.Close())
}
