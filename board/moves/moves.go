// Package moves is a log of the moves that processes of one checkout made on a
// board where they all stand under their owner's account.
//
// It promises that a move is noted before it is made, so that it never counts
// as the owner's; and that a log that cannot be read makes moves the owner's,
// never the other way round. It is a help, not a truth: it may be deleted.
package moves

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Move is one line: what is about to be written, and once more with the time
// at which the board says that it was.
type Move struct {
	Issue string          `json:"issue"`
	From  string          `json:"from"` // state ids or names
	To    string          `json:"to"`
	By    board.ActorKind `json:"by"`
	After time.Time       `json:"after"`       // when the row had last changed before, by the board's clock
	At    time.Time       `json:"at,omitzero"` // when it was made, by the board's clock
}

// Log is the moves that are known here. It is safe for concurrent use.
type Log struct {
	folder, file string

	mu    sync.Mutex
	known map[string][]Move // by issue, oldest first
	next  int64
}

// keepMoves is how many moves of an issue are remembered: only the last one
// that the board shows is asked for. keepIssues is of how many issues: as many
// as a log on disk has lines for.
const (
	keepMoves  = 8
	keepIssues = 4096
)

// Open makes a log in a folder; an empty one keeps it to this process.
func Open(folder, file string) *Log {
	return &Log{folder: folder, file: file, known: map[string][]Move{}}
}

func (m *Log) path() string { return filepath.Join(m.folder, m.file) }

// Note notes a move before it is made, and again when it was made. Without
// the note it would count as the owner's.
func (m *Log) Note(ctx context.Context, v Move) error {
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
	defer lock.Unlock() //nolint:errcheck // the kernel drops it at the latest with the process
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
func (m *Log) shorten() error {
	lines, _, err := statefile.ReadLines(m.path(), 0)
	if err != nil {
		return err
	}
	kept := append(bytes.Join(lines[len(lines)/2:], []byte("\n")), '\n')
	return statefile.ReplaceFile(m.path(), kept, 0o600)
}

func (m *Log) add(v Move) {
	list := append(slices.Clip(m.known[v.Issue]), v) //nolint:gocritic // it is put back below
	if len(list) > keepMoves {
		list = slices.Clone(list[len(list)-keepMoves:])
	}
	m.known[v.Issue] = list
	if len(m.known) > keepIssues {
		m.dropOlder()
	}
}

// dropOlder forgets the half of the issues that were moved longest ago.
func (m *Log) dropOlder() {
	last := func(issue string) time.Time {
		list := m.known[issue]
		return list[len(list)-1].After
	}
	issues := slices.SortedFunc(maps.Keys(m.known), func(a, b string) int { return last(a).Compare(last(b)) })
	for _, issue := range issues[:len(issues)/2] {
		delete(m.known, issue)
	}
}

// read takes over what processes have written since.
func (m *Log) read() {
	if m.folder == "" {
		return
	}
	lines, next, err := statefile.ReadLines(m.path(), m.next)
	if err != nil {
		return
	}
	m.next = next
	for _, line := range lines {
		var v Move
		if json.Unmarshal(line, &v) == nil && v.Issue != "" {
			m.add(v)
		}
	}
}

// slack is how far the time of a history line may lie from that of its issue.
const slack = 2 * time.Second

// Who made the move of an issue that the board shows: the one that was noted with
// its time, or one that was noted before it was made and never confirmed.
func (m *Log) Who(issue, from, to string, at time.Time) (board.ActorKind, bool) {
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
		confirmed := slices.ContainsFunc(list, func(o Move) bool { return !o.At.IsZero() && o.After.Equal(v.After) && o.To == v.To })
		if at.After(v.After) && !confirmed {
			return v.By, true
		}
	}
	return "", false
}

// Last is the newest noted move of an issue to a state, made at about that
// time: for boards that tell neither who moved a row nor from where.
func (m *Log) Last(issue, to string, at time.Time) (Move, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read()
	list := m.known[issue]
	for _, v := range slices.Backward(list) {
		if v.To != to {
			continue
		}
		if !v.At.IsZero() {
			if d := at.Sub(v.At); d <= slack && d >= -slack {
				return v, true
			}
			continue
		}
		confirmed := slices.ContainsFunc(list, func(o Move) bool { return !o.At.IsZero() && o.After.Equal(v.After) && o.To == v.To })
		if at.After(v.After) && !confirmed {
			return v, true
		}
	}
	return Move{}, false
}
