package native

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// lease is how long a claim holds without a renewal (design.md, section 6).
const lease = 15 * time.Minute

// defaultKey starts the refs of a board whose owner chose nothing else.
const defaultKey = "DSP"

// Options is where a board lies and what its owner named things.
type Options struct {
	Dir    string                // the board's folder; made by the first write
	Key    string                // what refs start with; empty is the board's own, or DSP
	States map[board.Role]string // names of the columns; the rest have their default
	Labels []string              // labels that exist besides those the board knows
	Now    func() time.Time      // nil is the real clock

	// Where this process runs, and how it tells whether another process of
	// this host lives. Without Alive only leases protect a claim.
	Host  string
	Boot  string
	Alive func(pid int, start string) bool
}

// Board is one native board. It is safe for use by several goroutines, beside
// any number of other processes.
type Board struct {
	opts Options
	key  string

	mu    sync.Mutex // guards index
	index *index

	metaMu    sync.Mutex // guards what follows
	metaStamp stamp      // of board.json as it was last read
	metaRead  *meta      // what it says; nil when its stamp cannot be believed yet
}

// What the board offers besides board.Backend.
var (
	_ board.Backend = (*Board)(nil)
	_ board.Creator = (*Board)(nil)
	_ board.Porter  = (*Board)(nil)
)

// Open reads the board's own file, if there is one. It writes nothing. It
// fails when that file is broken, newer than this program, or of another key.
func Open(o Options) (*Board, error) {
	if o.Dir == "" {
		return nil, fmt.Errorf("open the board: no folder given")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Board{opts: o, index: newIndex()}
	m, err := b.readMeta()
	if err != nil {
		return nil, fmt.Errorf("open the board: %w", err)
	}
	b.key = strings.ToUpper(firstOf(o.Key, m.Key, defaultKey))
	if !validKey(b.key) {
		return nil, fmt.Errorf("open the board: %q cannot start a ref; use up to 10 letters and digits, a letter first", b.key)
	}
	if m.Key != "" && !strings.EqualFold(m.Key, b.key) {
		return nil, fmt.Errorf("open the board: %s holds issues %s-1 and so on, the configuration says %s; set native.key to %s", o.Dir, m.Key, b.key, m.Key)
	}
	return b, nil
}

// Dir is the board's folder.
func (b *Board) Dir() string { return b.opts.Dir }

// IssuesDir is the folder of the issues' files: what a watcher watches.
func (b *Board) IssuesDir() string { return filepath.Join(b.opts.Dir, "issues") }

func (b *Board) now() time.Time { return b.opts.Now().UTC().Round(0) }

func (b *Board) issuePath(ref board.Ref) string {
	return filepath.Join(b.IssuesDir(), string(ref)+".json")
}

// lockPath is the lock file, or another small file, of one name.
func (b *Board) lockPath(name string) string { return filepath.Join(b.opts.Dir, "locks", name) }

// ParseRef answers the canonical form of a ref in any case.
func (b *Board) ParseRef(s string) (board.Ref, error) {
	if n, ok := b.number(strings.ToUpper(strings.TrimSpace(s))); ok {
		return b.ref(n), nil
	}
	return "", fmt.Errorf("%w: %q is no issue of this board; they look like %s-12", board.ErrNotFound, s, b.key)
}

func (b *Board) ref(n int) board.Ref { return board.Ref(b.key + "-" + strconv.Itoa(n)) }

// number is the number of a ref in upper case.
func (b *Board) number(s string) (int, bool) {
	digits, ok := strings.CutPrefix(s, b.key+"-")
	if !ok || len(digits) == 0 || len(digits) > 9 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0
}

// canonical is ParseRef for refs that come in as values.
func (b *Board) canonical(ref board.Ref) (board.Ref, error) { return b.ParseRef(string(ref)) }

func validKey(s string) bool {
	for i, r := range s {
		digit := r >= '0' && r <= '9'
		if (r < 'A' || r > 'Z') && (!digit || i == 0) {
			return false
		}
	}
	return s != "" && len(s) <= 10
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
