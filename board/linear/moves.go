package linear

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// movesFile is a log of the moves that processes of this checkout made. On
// Linear they all stand under the key's account, beside its owner's own.
const movesFile = "linear-moves.jsonl"

// move is one line: what is about to be written, and once more with the time
// at which Linear says that it was.
type move struct {
	Issue string          `json:"issue"`
	From  string          `json:"from"` // state ids
	To    string          `json:"to"`
	By    board.ActorKind `json:"by"`
	After time.Time       `json:"after"`       // when the row had last changed before, by Linear's clock
	At    time.Time       `json:"at,omitzero"` // when it was made, by Linear's clock
}

// moves are the moves that are known here.
type moves struct {
	folder string

	mu    sync.Mutex
	known map[string][]move // by issue, oldest first
	next  int64
}

// keepMoves is how many moves of an issue are remembered: only the last one
// that Linear shows is asked for.
const keepMoves = 8

func newMoves(folder string) *moves { return &moves{folder: folder, known: map[string][]move{}} }

func (m *moves) path() string { return filepath.Join(m.folder, movesFile) }

// write notes a move before it is made, and again when it was made. Without
// the note it would count as the owner's.
func (m *moves) write(ctx context.Context, v move) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.folder == "" {
		m.add(v)
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.folder, 0o700); err != nil {
		return err
	}
	lock, err := statefile.Lock(ctx, m.path()+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if info, err := os.Stat(m.path()); err == nil && info.Size() > mostMoves {
		if err := m.shorten(); err != nil {
			return err
		}
	}
	return statefile.AppendLineUnsynced(m.path(), data)
}

// mostMoves is when the log is cut to its newer half, in bytes.
const mostMoves = 1 << 20

// shorten drops the older half of the log. Readers notice that it is shorter
// and read it anew.
func (m *moves) shorten() error {
	lines, _, err := statefile.ReadLines(m.path(), 0)
	if err != nil {
		return err
	}
	kept := append(bytes.Join(lines[len(lines)/2:], []byte("\n")), '\n')
	return statefile.ReplaceFile(m.path(), kept, 0o600)
}

func (m *moves) add(v move) {
	list := append(m.known[v.Issue], v)
	if len(list) > keepMoves {
		list = slices.Clone(list[len(list)-keepMoves:])
	}
	m.known[v.Issue] = list
}

// read takes over what processes have written since.
func (m *moves) read() {
	if m.folder == "" {
		return
	}
	lines, next, err := statefile.ReadLines(m.path(), m.next)
	if err != nil {
		return
	}
	m.next = next
	for _, line := range lines {
		var v move
		if json.Unmarshal(line, &v) == nil && v.Issue != "" {
			m.add(v)
		}
	}
}

// slack is how far the time of a history line may lie from that of its issue.
const slack = 2 * time.Second

// who made the move of an issue that Linear shows: the one that was noted with
// its time, or one that was noted before it was made and never confirmed.
func (m *moves) who(issue, from, to string, at time.Time) (board.ActorKind, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read()
	list := m.known[issue]
	for _, v := range slices.Backward(list) {
		if v.To != to || v.From != from {
			continue
		}
		if !v.At.IsZero() {
			if d := at.Sub(v.At); d <= slack && d >= -slack {
				return v.By, true
			}
			continue
		}
		confirmed := slices.ContainsFunc(list, func(o move) bool { return !o.At.IsZero() && o.After.Equal(v.After) && o.To == v.To })
		if at.After(v.After) && !confirmed {
			return v.By, true
		}
	}
	return "", false
}
