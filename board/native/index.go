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

// settled is how long ago a file must have been changed for its stamp to be
// believed: two changes within one tick of the file system's clock can leave
// the same stamp.
const settled = 100 * time.Millisecond

// stamp tells whether a file is still the one that was read.
type stamp struct {
	mtime int64 // ns
	size  int64
	inode uint64 // 0 where there is none
}

func (s stamp) settledAt(now time.Time) bool { return now.UnixNano()-s.mtime > int64(settled) }

// entry is one issue's file as it was last read.
type entry struct {
	ref    board.Ref
	name   string // of its file
	number int
	stamp  stamp
	trust  bool    // the stamp says whether the file changed
	rec    *record // nil when the file cannot be used
	bad    string  // why
}

// index is the board in memory: files are read again only when they changed.
// It is guarded by Board.mu. Its rows are rebuilt, never changed in place:
// what a poll answered stays as it is.
type index struct {
	dir     stamp
	trusted bool // the folder's stamp says whether names changed
	entries []*entry
	byRef   map[board.Ref]*entry
	meta    meta
	rows    []board.Issue
	cached  bool // the derived cache has been looked at
}

func newIndex() *index { return &index{byRef: map[board.Ref]*entry{}} }

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

// refreshFolder lists the issues' folder and reads what changed in it. kept is
// how many of the files it read can be told from now on by their stamp.
func (b *Board) refreshFolder(ctx context.Context, now time.Time) (changed bool, kept int, err error) {
	x := b.index
	dir, err := openFolder(b.IssuesDir())
	if errors.Is(err, fs.ErrNotExist) {
		changed = len(x.entries) > 0
		x.entries, x.byRef, x.trusted = nil, map[board.Ref]*entry{}, false
		return changed, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	named, err := b.refreshNames(dir, now)
	read := 0
	if err == nil {
		read, kept, err = b.refreshFiles(ctx, dir, now)
	}
	return named || read > 0, kept, errors.Join(err, dir.close())
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

// refreshFiles looks at every file and reads those that changed, on all
// processors; it answers how many were read, and how many of those can be
// believed to stay as they are while their stamp does.
func (b *Board) refreshFiles(ctx context.Context, dir *folder, now time.Time) (read, kept int, err error) {
	entries := b.index.entries
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

// build makes the rows in board order from what was read.
func (x *index) build() []board.Issue {
	order := slices.Clone(x.entries)
	slices.SortStableFunc(order, func(a, b *entry) int {
		if a.rec == nil || b.rec == nil {
			return cmp.Compare(boolInt(a.rec == nil), boolInt(b.rec == nil))
		}
		return cmp.Compare(a.rec.Rank, b.rec.Rank)
	})
	children := map[board.Ref][]board.Child{}
	for _, e := range x.entries {
		if e.rec == nil || e.rec.Parent == "" {
			continue
		}
		c := x.meta.column(e.rec.State)
		children[e.rec.Parent] = append(children[e.rec.Parent], board.Child{Ref: e.ref, Title: e.rec.Title, State: c.Name, Closed: c.Closed})
	}
	rows := make([]board.Issue, len(order))
	for n, e := range order {
		if e.rec == nil {
			rows[n] = board.Issue{Ref: e.ref, Unreadable: e.bad}
			continue
		}
		rows[n] = e.rec.issue(&x.meta)
		rows[n].Children = children[e.ref]
		rows[n].Blockers = x.blockers(e.rec.Blockers)
	}
	return rows
}

// blockers says which of the refs are open; what the board does not know, or
// cannot read, is.
func (x *index) blockers(refs []board.Ref) []board.Blocker {
	if len(refs) == 0 {
		return nil
	}
	out := make([]board.Blocker, len(refs))
	for n, ref := range refs {
		e := x.byRef[ref]
		out[n] = board.Blocker{Ref: ref, Open: e == nil || e.rec == nil || !x.meta.column(e.rec.State).Closed}
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
