package native

import (
	"cmp"
	"slices"
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
	polled  bool // every file was looked at before
	swept   time.Time
	watch   *watch // nil where the folder is not watched
}

func newIndex() *index { return &index{byRef: map[board.Ref]*entry{}} }

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
