package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// How long a folder that something still writes into is tried again.
const (
	clearTries = 50
	clearPause = 100 * time.Millisecond
)

// asidePattern names what is on its way out, in the demo's own folder.
const asidePattern = ".unfinished-*"

// clear takes what an unfinished start left out of the way. A git process of
// that start may still be writing there: the folder is moved aside first, so
// that its writes no longer meet ours, and then removed for as long as it takes
// the process to end. What cannot be removed by then is left to the next time.
func (d *Demo) clear(ctx context.Context, paths ...string) error {
	for _, p := range paths {
		if _, err := os.Lstat(p); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		aside, err := os.MkdirTemp(d.Dir, asidePattern)
		if err != nil {
			return fmt.Errorf("make room for %s: %w", p, err)
		}
		if err := os.Rename(p, filepath.Join(aside, filepath.Base(p))); err != nil {
			return fmt.Errorf("move it aside: %w", err)
		}
	}
	return d.sweep(ctx)
}

// sweep removes what was moved aside, this time or earlier.
func (d *Demo) sweep(ctx context.Context) error {
	leftovers, err := filepath.Glob(filepath.Join(d.Dir, asidePattern))
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, p := range leftovers {
		for try := 0; os.RemoveAll(p) != nil && try < clearTries; try++ {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(clearPause):
			}
		}
	}
	return nil
}
