package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Event is one line of events.jsonl: one change of one issue.
type Event struct {
	Seq    int64           `json:"seq"`
	At     time.Time       `json:"time"`
	Type   string          `json:"type"` // created, state, claim, assign, release, comment, label, link, tick, edit, block, place, imported, hand-edit
	Ref    board.Ref       `json:"ref"`
	Rev    int64           `json:"rev"`
	Actor  board.ActorKind `json:"actor"`
	Name   string          `json:"name,omitempty"`
	Run    string          `json:"run,omitempty"`
	Fields map[string]any  `json:"fields,omitempty"`
	// Filled marks a line put in later for a change whose own line was lost.
	Filled bool `json:"filled,omitempty"`
}

// EventsPath is the event log.
func (b *Board) EventsPath() string { return filepath.Join(b.opts.Dir, "events.jsonl") }

// Events answers the events from a byte offset on, and the offset to go on
// from. Lines that cannot be read are left out.
func (b *Board) Events(from int64) (events []Event, next int64, err error) {
	lines, next, err := statefile.ReadLines(b.EventsPath(), from)
	if err != nil {
		return nil, from, fmt.Errorf("read the board's events: %w", err)
	}
	for _, l := range lines {
		var e Event
		if json.Unmarshal(l, &e) == nil && e.Seq > 0 {
			events = append(events, e)
		}
	}
	return events, next, nil
}

// logEvents appends the events of a change that is already on disk.
func (b *Board) logEvents(ctx context.Context, events []Event) error {
	return b.locked(ctx, "events.lock", func() error {
		seq, err := lastSeq(b.EventsPath())
		if err != nil {
			return err
		}
		for _, e := range events {
			seq++
			e.Seq = seq
			line, err := json.Marshal(e)
			if err != nil {
				return fmt.Errorf("encode an event: %w", err)
			}
			if err := statefile.AppendLineUnsynced(b.EventsPath(), line); err != nil {
				return err
			}
		}
		return nil
	})
}

// tailSize is how much of the log's end is searched for its last number before
// all of it is; a line is nearly always shorter.
const tailSize = 4 << 10

// lastSeq is the number of the log's last readable line.
func lastSeq(path string) (int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	for size := min(int64(tailSize), info.Size()); ; size = info.Size() {
		tail, err := io.ReadAll(io.NewSectionReader(f, info.Size()-size, size))
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", path, err)
		}
		lines := bytes.Split(tail, []byte{'\n'})
		for n := len(lines) - 1; n >= 0; n-- {
			var e Event
			if json.Unmarshal(lines[n], &e) == nil && e.Seq > 0 {
				return e.Seq, nil
			}
		}
		if size == info.Size() {
			return 0, nil
		}
	}
}

// logged is the newest change of an issue whose event is in the log, and the
// highest epoch it ever had. It lies in a small file beside the lock,
// and is written under that lock, after the event.
type logged struct {
	rev, epoch int64
}

// loggedFile is that small file, open; it may not be there at all. It is a
// hint: what fails on it is not an error, it only keeps a lost event from being
// filled in.
type loggedFile struct{ f *os.File }

func (b *Board) openLogged(ref board.Ref) loggedFile {
	f, err := os.OpenFile(b.lockPath(string(ref)+".rev"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return loggedFile{}
	}
	return loggedFile{f: f}
}

func (l loggedFile) close() {
	if l.f != nil {
		_ = l.f.Close()
	}
}

// read answers false where nothing is known.
func (l loggedFile) read() (logged, bool) {
	if l.f == nil {
		return logged{}, false
	}
	var buf [64]byte
	n, _ := l.f.ReadAt(buf[:], 0)
	var out logged
	got, _ := fmt.Sscanf(string(buf[:n]), "%d %d", &out.rev, &out.epoch)
	return out, got == 2
}

// write overwrites in place: the one line always has the same length.
func (l loggedFile) write(to logged) {
	if l.f != nil {
		_, _ = l.f.WriteAt(fmt.Appendf(nil, "%019d %019d\n", to.rev, to.epoch), 0)
	}
}
