package native

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// The derived cache holds what was read from the issues' files, with the
// stamps of the files, so that a new process reads only what changed since. It
// is never the truth: an entry counts only while its file has the same stamp,
// a cache that is broken or of another format is ignored, and it may be
// removed at any time.

// cacheWorth is how many files must have been read before a new cache is
// worth its writing.
const cacheWorth = 256

// cacheMagic names the format; it changes whenever record does.
const cacheMagic = "dispatcher board cache 2\n"

// cacheHead is the magic and a checksum of what follows.
const cacheHead = len(cacheMagic) + 4

func (b *Board) cachePath() string { return filepath.Join(b.opts.Dir, "cache", "issues.bin") }

// loadCache puts the cached entries into an empty index.
func (b *Board) loadCache() {
	text, ok := readCache(b.cachePath())
	if !ok {
		return
	}
	d := decoder{text: text}
	byRef := make(map[board.Ref]*entry, d.count())
	for d.text != "" && !d.bad {
		e := d.entry()
		byRef[e.ref] = e
	}
	if !d.bad {
		b.index.byRef = byRef
	}
}

// readCache answers what follows a valid head. It is one string, of which all
// texts of the entries are parts.
func readCache(path string) (string, bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var text strings.Builder
	if info, err := f.Stat(); err == nil {
		text.Grow(int(info.Size()))
	}
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	head := make([]byte, cacheHead)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(cacheMagic)]) != cacheMagic {
		return "", false
	}
	if _, err := io.Copy(io.MultiWriter(&text, sum), f); err != nil {
		return "", false
	}
	return text.String(), sum.Sum32() == binary.LittleEndian.Uint32(head[len(cacheMagic):])
}

// saveCache writes what can be told by its stamp. That it fails, on a folder
// that cannot be written, costs time only.
func (b *Board) saveCache() {
	e := encoder{buf: make([]byte, cacheHead, 1<<20)}
	copy(e.buf, cacheMagic)
	n := 0
	for _, x := range b.index.entries {
		if x.trust && x.rec != nil {
			n++
		}
	}
	e.int(int64(n))
	for _, x := range b.index.entries {
		if x.trust && x.rec != nil {
			e.entry(x)
		}
	}
	sum := crc32.Checksum(e.buf[cacheHead:], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(e.buf[len(cacheMagic):], sum)
	if os.MkdirAll(filepath.Dir(b.cachePath()), 0o755) == nil {
		_ = statefile.ReplaceUnsynced(b.cachePath(), e.buf, 0o644) // see above
	}
}

// encoder writes fields one after the other, decoder reads them in the same
// order.
type encoder struct{ buf []byte }

func (e *encoder) int(n int64) { e.buf = binary.AppendVarint(e.buf, n) }

func (e *encoder) str(s string) {
	e.buf = binary.AppendUvarint(e.buf, uint64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) bool(b bool) { e.int(int64(boolInt(b))) }

// time keeps seconds and nanoseconds apart: together they do not span every
// year that a file may hold.
func (e *encoder) time(t time.Time) {
	e.int(t.Unix())
	e.int(int64(t.Nanosecond()))
}

func encodeList[T ~string](e *encoder, list []T) {
	e.int(int64(len(list)))
	for _, s := range list {
		e.str(string(s))
	}
}

func (e *encoder) entry(x *entry) {
	e.str(x.name)
	e.str(string(x.ref))
	e.int(int64(x.number))
	e.int(x.stamp.mtime)
	e.int(x.stamp.size)
	e.buf = binary.AppendUvarint(e.buf, x.stamp.inode)
	e.record(x.rec)
}

func (e *encoder) record(r *record) {
	e.int(int64(r.Version))
	e.str(string(r.Ref))
	e.int(r.Rev)
	for _, s := range []string{r.Rank, r.Title, r.Body, r.State, r.Moved.From, r.Moved.To, string(r.Moved.By)} {
		e.str(s)
	}
	e.time(r.Moved.At)
	for _, s := range []string{r.Milestone, r.Assignee, string(r.Delegate), string(r.Parent), r.LastRun, r.CreatedBy} {
		e.str(s)
	}
	encodeList(e, r.Labels)
	encodeList(e, r.Blockers)
	encodeList(e, r.PRs)
	e.int(r.Epoch)
	e.time(r.CreatedAt)
	e.time(r.UpdatedAt)
	e.bool(r.handEdited)
	e.bool(r.Claim != nil)
	if r.Claim != nil {
		e.claim(r.Claim)
	}
	e.int(int64(len(r.Comments)))
	for i := range r.Comments {
		c := &r.Comments[i]
		for _, s := range []string{c.ID, string(c.Role), c.Author, c.Body, c.Run} {
			e.str(s)
		}
		e.time(c.At)
	}
}

func (e *encoder) claim(c *board.Claim) {
	for _, s := range []string{string(c.Kind), c.Session, string(c.From), c.Run, c.Host, c.Boot, c.PIDStart, c.Account} {
		e.str(s)
	}
	e.int(c.Epoch)
	e.int(int64(c.PID))
	e.time(c.Stamp)
	e.time(c.LeaseUntil)
	e.time(c.Written)
}
