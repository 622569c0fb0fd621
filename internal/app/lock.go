package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// The loop's lock lies in the git common directory, so that another state
// folder cannot make two loops of one checkout (design.md, section 10). The
// kernel holds it; what stands in the file beside it is only for people.
const (
	lockName   = "dispatcher.lock"
	holderName = "dispatcher.loop.json"
)

type holder struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	State   string    `json:"state"`
}

// SecondLoopError refuses a second loop on the same checkout.
type SecondLoopError struct {
	PID     int
	Started time.Time
	Dir     string
}

func (e *SecondLoopError) Error() string {
	if e.PID == 0 {
		return "a loop already works in " + e.Dir + "; end it first"
	}
	return fmt.Sprintf("a loop already works in %s: pid %d, since %s; open its room with `dispatcher attach`, see what it does with `dispatcher ctl status`, end it with `dispatcher ctl drain` or Ctrl-C in its terminal",
		e.Dir, e.PID, e.Started.Local().Format("Jan 2 15:04"))
}

// loopLock is the lock of the one loop that a checkout may have.
type loopLock struct {
	lock *statefile.FileLock
	note string // who holds it, for people
	path string
	file os.FileInfo
}

// ErrLockGone says that the file that this loop's lock lies on is gone or
// another one, so that nothing keeps a second loop away: the checkout was
// removed or made anew under the loop.
var ErrLockGone = errors.New("the repository was removed or replaced under this loop")

// check says whether the lock still keeps other loops away.
func (l *loopLock) check() error {
	now, err := os.Stat(l.path)
	if err != nil || !os.SameFile(now, l.file) {
		return ErrLockGone
	}
	return nil
}

func (l *loopLock) release() {
	if l.check() == nil {
		_ = os.Remove(l.note)
	}
	_ = l.lock.Unlock()
}

// heirPath is the lock that whoever waits for the loop's lock holds meanwhile,
// so that nobody else gets in between.
func (l *loopLock) heirPath() string { return l.path + ".heir" }

// lockLoop takes the lock of the one loop that a checkout may have. An heir
// waits until the loop before it lets go.
func (f *Factory) lockLoop(ctx context.Context, common, root, stateDir string, heir bool) (*loopLock, error) {
	lockPath := filepath.Join(common, lockName)
	path := filepath.Join(common, holderName)
	lock, ok, err := takeLock(ctx, lockPath, heir)
	if err != nil {
		return nil, fmt.Errorf("take the loop's lock: %w", err)
	}
	if !ok {
		h := holderOf(path)
		if lock, ok = lockOfTheDead(ctx, lockPath, path, h); !ok {
			return nil, &SecondLoopError{PID: h.PID, Started: h.Started, Dir: root}
		}
	}
	data, err := json.Marshal(holder{PID: os.Getpid(), Started: f.Now(), State: stateDir})
	if err == nil {
		err = statefile.WriteAtomic(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("name the loop beside its lock: %w", err)
	}
	file, err := os.Stat(lockPath)
	if err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("look at the loop's lock: %w", err)
	}
	return &loopLock{lock: lock, note: path, path: lockPath, file: file}, nil
}

// holderOf reads who holds the lock, as its note says; a torn note only costs
// the pid.
func holderOf(path string) (h holder) {
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &h)
	}
	return h
}

// deadWithin is how long the lock of a loop that was killed may outlive it: a
// process that it was just starting has its descriptors until it is another
// program.
const deadWithin = 5 * time.Second

// lockOfTheDead waits for the lock of a holder that is dead.
func lockOfTheDead(ctx context.Context, lockPath, note string, dead holder) (*statefile.FileLock, bool) {
	for end := time.Now().Add(deadWithin); dead.PID != 0 && !proc.Alive(dead.PID, "") && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return nil, false
		case <-time.After(20 * time.Millisecond):
		}
		if lock, ok, err := takeLock(ctx, lockPath, false); err == nil && ok {
			return lock, true
		}
		dead = holderOf(note) // somebody else may have been quicker
	}
	return nil, false
}

// takeLock passes the heir's lock on the way to the loop's own.
func takeLock(ctx context.Context, path string, heir bool) (*statefile.FileLock, bool, error) {
	if heir {
		ctx, cancel := context.WithTimeout(ctx, 2*handoverWithin)
		defer cancel()
		door, err := statefile.Lock(ctx, path+".heir")
		if err != nil {
			return nil, false, err
		}
		defer door.Unlock() //nolint:errcheck // the end of the process lets go, too
		lock, err := statefile.Lock(ctx, path)
		return lock, err == nil, err
	}
	door, ok, err := statefile.TryLock(path + ".heir")
	if err != nil || !ok {
		return nil, false, err
	}
	defer door.Unlock() //nolint:errcheck // the end of the process lets go, too
	return statefile.TryLock(path)
}
