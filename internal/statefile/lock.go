package statefile

import (
	"context"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

// FileLock is a kernel lock that this process holds. The kernel drops it when
// the process ends, however it ends.
type FileLock struct {
	lock *flock.Flock
}

// lockPoll is how long a waiter sleeps between two tries, at most: the kernel
// call that waits cannot be given up when the context ends.
const lockPoll = 20 * time.Millisecond

// Lock waits until this process holds the lock file at path, or ctx ends. The
// file is created 0600; its folder must exist. Two Locks of one process
// exclude each other too.
func Lock(ctx context.Context, path string) (*FileLock, error) {
	for wait := 100 * time.Microsecond; ; wait = min(2*wait, lockPoll) {
		l, ok, err := TryLock(path)
		if err != nil || ok {
			return l, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("lock %s: held by another process: %w", path, ctx.Err())
		case <-timer.C:
		}
	}
}

// TryLock takes the lock if nobody holds it, and reports false if somebody
// does.
func TryLock(path string) (*FileLock, bool, error) {
	l := flock.New(path)
	ok, err := l.TryLock()
	if err != nil {
		return nil, false, explain("lock", path, err)
	}
	if !ok {
		return nil, false, nil
	}
	return &FileLock{lock: l}, true, nil
}

// Path is the lock file's.
func (l *FileLock) Path() string { return l.lock.Path() }

// Unlock gives the lock back; a second call does nothing. The file stays.
func (l *FileLock) Unlock() error {
	if err := l.lock.Unlock(); err != nil {
		return fmt.Errorf("unlock %s: %w", l.lock.Path(), err)
	}
	return nil
}
