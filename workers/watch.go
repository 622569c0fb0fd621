package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The pace of Watch.
const (
	watchBatch = 100 * time.Millisecond // at most ten calls a second
	watchTick  = time.Second            // a dead supervisor writes nothing
	watchPoll  = 250 * time.Millisecond // where file events do not work
)

// Watch calls back with the status at once and whenever it has changed, at
// most ten times a second, until the run has exited or died; the last call
// says so. It returns nil then, and an error when ctx ends before. A run that
// has no supervisor yet is waited for.
func (l *Launcher) Watch(ctx context.Context, run string, changed func(Status)) error {
	r, err := l.reading(run)
	if err != nil {
		return fmt.Errorf("watch run %s: %w", run, err)
	}
	events, stop := r.folder.Notify()
	defer stop()
	tick := watchTick
	if events == nil {
		tick = watchPoll
	}
	known := 0
	for {
		st, rev, err := r.observe(known)
		if err != nil {
			return fmt.Errorf("watch run %s: %w", run, err)
		}
		if rev != known {
			known = rev
			changed(st)
		}
		if st.Phase == PhaseExited || st.Phase == PhaseDead {
			l.forget(run, st.Phase)
			return nil
		}
		if err := pause(ctx, events, tick); err != nil {
			return fmt.Errorf("watch run %s: %w", run, err)
		}
	}
}

// pause waits for a change or the next look, and never less than one batch.
func pause(ctx context.Context, events <-chan fsnotify.Event, tick time.Duration) error {
	batch := time.NewTimer(watchBatch)
	defer batch.Stop()
	next := time.NewTimer(tick)
	defer next.Stop()
	batched, woken := false, false
	for !batched || !woken {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-events:
			// One says enough. Those that wait are merged by the system, which
			// costs less than to take every one.
			events, woken = nil, true
		case <-next.C:
			woken = true
		case <-batch.C:
			batched = true
		}
	}
	return nil
}

// Notify watches the folder for changes: an event says that something in it may
// have changed. Where that does not work the channel is nil. stop must be
// called.
func (f Folder) Notify() (events <-chan fsnotify.Event, stop func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func() {}
	}
	if err := w.Add(f.dir); err != nil {
		_ = w.Close() // the reason why it does not work is not asked for
		return nil, func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range w.Errors {
			// An overflow only means: look. The next tick does.
			continue
		}
	}()
	return w.Events, func() {
		_ = w.Close() // nothing is lost with it
		<-done
	}
}
