package statefile

import (
	"errors"
	"io/fs"
	"os"
)

// mark is a lock of this process alone: Windows lets no child inherit one.
type mark struct{ lock *FileLock }

func tryMark(path string) (mark, bool, error) {
	l, ok, err := TryLock(path)
	return mark{l}, ok, err
}

func marked(path string) (bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	l, ok, err := TryLock(path)
	if err != nil || !ok {
		return err == nil, err
	}
	return false, l.Unlock()
}

// File is what a child has to be given for it to hold the mark too; here
// nothing can be.
func (mark) File() *os.File { return nil }

// Clear gives the mark back. The file stays.
func (m mark) Clear() error { return m.lock.Unlock() }
