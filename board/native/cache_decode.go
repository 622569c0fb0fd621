package native

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// decoder reads what encoder wrote. Once something does not fit it is bad, and
// answers zero values.
type decoder struct {
	text string
	bad  bool
}

func (d *decoder) uint() uint64 {
	var n uint64
	for i := 0; i < len(d.text) && i < 10; i++ {
		c := d.text[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.text = d.text[i+1:]
			return n
		}
	}
	d.text, d.bad = "", true
	return 0
}

func (d *decoder) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1) //nolint:gosec // undoes the encoding of signed numbers
}

func (d *decoder) str() string {
	n := d.uint()
	if n > uint64(len(d.text)) {
		d.text, d.bad = "", true
		return ""
	}
	s := d.text[:n]
	d.text = d.text[n:]
	return s
}

// count is a length: each of what follows takes at least one byte.
func (d *decoder) count() int {
	n := d.int()
	if n < 0 || n > int64(len(d.text)) {
		d.text, d.bad = "", true
		return 0
	}
	return int(n)
}

func (d *decoder) time() time.Time {
	sec, nsec := d.int(), d.int()
	return time.Unix(sec, nsec).UTC()
}

func decodeList[T ~string](d *decoder) []T {
	n := d.count()
	if n == 0 {
		return nil
	}
	list := make([]T, n)
	for i := range list {
		list[i] = T(d.str())
	}
	return list
}

func (d *decoder) entry() *entry {
	e := &entry{trust: true}
	e.name = d.str()
	e.ref = board.Ref(d.str())
	e.number = int(d.int())
	e.stamp = stamp{mtime: d.int(), size: d.int(), inode: d.uint()}
	e.rec = d.record()
	return e
}

func (d *decoder) record() *record {
	r := &record{Version: int(d.int()), Ref: board.Ref(d.str()), Rev: d.int()}
	for _, s := range []*string{&r.Rank, &r.Title, &r.Body, &r.State, &r.Moved.From, &r.Moved.To} {
		*s = d.str()
	}
	r.Moved.By = board.ActorKind(d.str())
	r.Moved.At = d.time()
	r.Milestone, r.Assignee = d.str(), d.str()
	r.Delegate, r.Parent = board.Delegate(d.str()), board.Ref(d.str())
	r.LastRun, r.CreatedBy = d.str(), d.str()
	r.Labels = decodeList[string](d)
	r.Blockers = decodeList[board.Ref](d)
	r.PRs = decodeList[string](d)
	r.Epoch = d.int()
	r.CreatedAt, r.UpdatedAt = d.time(), d.time()
	r.handEdited = d.int() != 0
	if d.int() != 0 {
		r.Claim = d.claim()
	}
	if n := d.count(); n > 0 {
		r.Comments = make([]board.Comment, n)
	}
	for i := range r.Comments {
		c := &r.Comments[i]
		c.ID, c.Role, c.Author = d.str(), board.ActorKind(d.str()), d.str()
		c.Body, c.Run = d.str(), d.str()
		c.At = d.time()
	}
	return r
}

func (d *decoder) claim() *board.Claim {
	c := &board.Claim{Kind: board.Kind(d.str()), Session: d.str(), From: board.Role(d.str()), Run: d.str()}
	c.Host, c.Boot, c.PIDStart, c.Account = d.str(), d.str(), d.str(), d.str()
	c.Epoch, c.PID = d.int(), int(d.int())
	c.Stamp, c.LeaseUntil, c.Written = d.time(), d.time(), d.time()
	return c
}
