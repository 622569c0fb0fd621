package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Retention says how long the folders of runs are kept.
type Retention struct {
	Keep     time.Duration // after its end; zero keeps whatever its age
	MaxBytes int64         // of all run folders together; zero is no limit
	// Needed says that a run must stay whatever its age: it is not settled.
	Needed func(run string) bool
}

// PrunedRun is a run whose folder was removed.
type PrunedRun struct {
	Run   string
	Bytes int64
}

// going begins the names of folders that are being removed.
const going = ".going-"

// PruneRuns removes the folders of runs that ended long ago, and the oldest
// ones where all together are too large. A run that lives, that may yet start,
// whose agent outlived its supervisor, or that is needed always stays. What
// cannot be removed is told with the others and tried again next time.
func (l *Launcher) PruneRuns(ctx context.Context, r Retention) ([]PrunedRun, error) {
	ids, err := l.Runs()
	if err != nil {
		return nil, err
	}
	l.sweepGoing()
	type old struct {
		PrunedRun
		ended time.Time
	}
	var ended []old
	var total int64
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("prune runs: %w", ctx.Err())
		}
		at, over := l.endOf(id)
		size := folderSize(filepath.Join(l.runs, id))
		total += size
		if over && !r.Needed(id) {
			ended = append(ended, old{PrunedRun{id, size}, at})
		}
	}
	slices.SortFunc(ended, func(a, b old) int { return cmp.Or(a.ended.Compare(b.ended), cmp.Compare(a.Run, b.Run)) })
	var gone []PrunedRun
	var errs []error
	for _, o := range ended {
		aged := r.Keep > 0 && l.now().Sub(o.ended) > r.Keep
		if !aged && (r.MaxBytes <= 0 || total <= r.MaxBytes) {
			break // those behind it ended later
		}
		if err := l.removeRun(o.Run); err != nil {
			errs = append(errs, fmt.Errorf("prune run %s: %w", o.Run, err))
			continue
		}
		total -= o.Bytes
		gone = append(gone, o.PrunedRun)
	}
	return gone, errors.Join(errs...)
}

// endOf is when a run ended; false while it lives or may yet live.
func (l *Launcher) endOf(run string) (time.Time, bool) {
	f := OpenFolder(filepath.Join(l.runs, run))
	st, err := l.Glance(run)
	if err != nil {
		return time.Time{}, false
	}
	info, err := os.Stat(f.Dir())
	if err != nil {
		return time.Time{}, false
	}
	switch st.Phase {
	case PhaseStarting, PhaseRunning:
		return time.Time{}, false
	case PhaseExited:
		return st.Exit.Ended, true
	case PhaseDead:
		super, _, err := f.Supervisor()
		agent := Process{super.AgentPID, super.AgentStart}
		return info.ModTime(), err == nil && (super.Boot != l.boot || agent.PID == 0 || !agent.Alive())
	case PhaseAbsent:
		return info.ModTime(), f.Forbidden()
	}
	return time.Time{}, false
}

// removeRun removes a folder so that no reader ever finds half of one.
func (l *Launcher) removeRun(run string) error {
	aside := filepath.Join(l.runs, going+run)
	if err := os.Rename(filepath.Join(l.runs, run), aside); err != nil {
		return err
	}
	return os.RemoveAll(aside)
}

// sweepGoing removes what an earlier removal left.
func (l *Launcher) sweepGoing() {
	entries, err := os.ReadDir(l.runs)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), going) {
			_ = os.RemoveAll(filepath.Join(l.runs, e.Name())) // it costs disk and nothing else
		}
	}
}

// folderSize adds up the files of a folder. What cannot be read counts nothing.
func folderSize(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // the others are counted
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
