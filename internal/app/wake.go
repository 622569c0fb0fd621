package app

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/backside4charter/dispatcher/internal/config"
)

// wakePause gathers changes that come together into one wake.
const wakePause = 50 * time.Millisecond

// watchBoard hints at changes of a native board's files. A hint may be missed
// or come for nothing: polling alone is enough for correctness.
func (f *Factory) watchBoard(cfg *config.Config) (<-chan struct{}, func(), error) {
	if cfg.Platform != config.PlatformNative {
		return nil, func() {}, nil
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, nil, fmt.Errorf("watch the board: %w", err)
	}
	dir := boardDir(cfg)
	for _, d := range []string{filepath.Join(dir, "issues"), filepath.Join(dir, "pulls")} {
		err := os.MkdirAll(d, 0o755)
		if err == nil {
			err = w.Add(d)
		}
		if err != nil {
			_ = w.Close()
			return nil, nil, fmt.Errorf("watch %s: %w", d, err)
		}
	}
	wakes := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		forward(w, wakes)
	}()
	return wakes, func() { _ = w.Close(); <-done }, nil
}

// forward gathers changes of issue and pull request files until the watcher is
// closed.
func forward(w *fsnotify.Watcher, wakes chan<- struct{}) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case ev, ok := <-w.Events:
			if !ok {
				return
			}
			if filepath.Ext(ev.Name) == ".json" && !ev.Has(fsnotify.Chmod) {
				timer.Reset(wakePause)
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
		case <-timer.C:
			select {
			case wakes <- struct{}{}:
			default:
			}
		}
	}
}
