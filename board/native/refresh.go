package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// refresh brings the index up to date with the disk. Board.mu is held.
func (b *Board) refresh(ctx context.Context) error {
	x := b.index
	now := time.Now() // the file system's clock, not the board's
	metaChanged, err := b.refreshMeta()
	if err != nil {
		return err
	}
	if !x.cached {
		x.cached = true
		b.loadCache()
	}
	changed, kept, err := b.refreshFolder(ctx, now)
	if err != nil {
		return fmt.Errorf("read the board: %w", err)
	}
	if metaChanged || changed || x.rows == nil {
		x.rows = x.build()
	}
	if kept >= cacheWorth {
		b.saveCache()
	}
	return nil
}

func (b *Board) refreshMeta() (changed bool, err error) {
	m, err := b.readMeta()
	if err != nil {
		return false, err
	}
	changed = !reflect.DeepEqual(m, b.index.meta)
	b.index.meta = m
	return changed, nil
}

// sweepEvery is how long a watched folder goes without a look at every file:
// another host's edits in place leave no other trace.
const sweepEvery = 30 * time.Second

// refreshFolder brings the entries up to date. kept is how many of the files
// it read can be told from now on by their stamp. A client that polls for the
// first time looks at every file; from the second time on the folder is
// watched, where there is such a thing, and only what was touched is looked at.
func (b *Board) refreshFolder(ctx context.Context, now time.Time) (changed bool, kept int, err error) {
	x := b.index
	dir, err := openFolder(b.IssuesDir())
	if errors.Is(err, fs.ErrNotExist) {
		changed = len(x.entries) > 0
		x.entries, x.byRef, x.trusted = nil, map[board.Ref]*entry{}, false
		x.unwatch()
		return changed, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	if touched, ok := b.touched(dir, now); ok {
		changed, err = b.refreshTouched(ctx, dir, touched, now)
		return changed, 0, errors.Join(err, dir.close())
	}
	if x.polled && x.watch == nil {
		x.watch = newWatch(b.IssuesDir()) // before the look at every file: nothing falls between
	}
	named, err := b.refreshNames(dir, now)
	read := 0
	if err == nil {
		read, kept, err = b.refreshFiles(ctx, dir, x.entries, now)
	}
	x.polled, x.swept = err == nil, now
	return named || read > 0, kept, errors.Join(err, dir.close())
}

// touched are the entries to look at on a watched folder: what the kernel
// names, and what was too fresh to be believed last time. It answers false
// when every file is to be looked at.
func (b *Board) touched(dir *folder, now time.Time) ([]*entry, bool) {
	x := b.index
	if x.watch == nil {
		return nil, false
	}
	own, err := dir.own()
	names, ok := x.watch.drain()
	if err != nil || !ok {
		x.unwatch()
		return nil, false
	}
	if now.Sub(x.swept) > sweepEvery || len(names) == 0 && own != x.dir {
		return nil, false
	}
	x.dir = own
	var out []*entry
	for name := range names {
		base, ok := strings.CutSuffix(name, ".json")
		if n, isRef := b.number(base); !ok || !isRef || base != string(b.ref(n)) {
			continue
		}
		e := x.byRef[board.Ref(base)]
		if e == nil {
			x.trusted = false // a new issue: list the folder
			return nil, false
		}
		e.trust = false
	}
	for _, e := range x.entries {
		if !e.trust {
			out = append(out, e)
		}
	}
	return out, true
}

// refreshTouched looks at some files; one that is gone makes it look at all.
func (b *Board) refreshTouched(ctx context.Context, dir *folder, touched []*entry, now time.Time) (bool, error) {
	for _, e := range touched {
		if _, err := dir.stamp(e.name); err != nil {
			b.index.trusted = false
			if _, err := b.refreshNames(dir, now); err != nil {
				return true, err
			}
			_, _, err := b.refreshFiles(ctx, dir, b.index.entries, now)
			return true, err
		}
	}
	_, _, err := b.refreshFiles(ctx, dir, touched, now)
	return len(touched) > 0, err
}

func (x *index) unwatch() {
	if x.watch != nil {
		x.watch.close()
		x.watch = nil
	}
}

// refreshNames lists the folder when it changed: every write of ours replaces
// a file, which changes the folder.
func (b *Board) refreshNames(dir *folder, now time.Time) (changed bool, err error) {
	x := b.index
	own, err := dir.own()
	if err != nil {
		return false, err
	}
	if x.trusted && own == x.dir {
		return false, nil
	}
	names, err := dir.names()
	if err != nil {
		return false, err
	}
	x.dir, x.trusted = own, own.settledAt(now)
	return b.takeNames(names), nil
}

// takeNames makes the entries those of the names that are issues.
func (b *Board) takeNames(names []string) (changed bool) {
	x := b.index
	entries := make([]*entry, 0, len(names))
	for _, name := range names {
		base, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		n, ok := b.number(base)
		if !ok || base != string(b.ref(n)) {
			continue
		}
		e := x.byRef[board.Ref(base)]
		if e == nil {
			e = &entry{ref: board.Ref(base), name: name, number: n}
			changed = true
		}
		entries = append(entries, e)
	}
	if !changed && len(entries) == len(x.entries) {
		return false
	}
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(a.number, b.number) })
	byRef := make(map[board.Ref]*entry, len(entries))
	for _, e := range entries {
		byRef[e.ref] = e
	}
	x.entries, x.byRef = entries, byRef
	return true
}

// refreshFiles looks at the files and reads those that changed, on all
// processors; it answers how many were read, and how many of those can be
// believed to stay as they are while their stamp does.
func (b *Board) refreshFiles(ctx context.Context, dir *folder, entries []*entry, now time.Time) (read, kept int, err error) {
	parts := min(runtime.GOMAXPROCS(0), len(entries)/64+1)
	var reads, keeps atomic.Int64
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			for _, e := range entries[len(entries)*p/parts : len(entries)*(p+1)/parts] {
				if ctx.Err() != nil || !b.refreshEntry(dir, e, now) {
					continue
				}
				reads.Add(1)
				if e.trust {
					keeps.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(reads.Load()), int(keeps.Load()), ctx.Err()
}

// refreshEntry reads the file if it changed. Only one goroutine has the entry.
func (b *Board) refreshEntry(dir *folder, e *entry, now time.Time) (read bool) {
	s, err := dir.stamp(e.name)
	if err == nil && e.trust && s == e.stamp {
		return false
	}
	e.stamp, e.trust = s, err == nil && s.settledAt(now)
	e.rec, e.bad = nil, ""
	path := b.issuePath(e.ref)
	info, lerr := os.Lstat(path)
	if err = errors.Join(err, lerr); err == nil {
		e.rec, err = loadRecord(path, e.ref, info)
	}
	if err != nil {
		e.rec, e.bad = nil, err.Error()
	}
	return true
}
