package native

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// record is an issue's file.
type record struct {
	Version int       `json:"version"`
	Ref     board.Ref `json:"ref"`
	Rev     int64     `json:"rev"`  // one more with every change that has an event
	Rank    string    `json:"rank"` // order on the board, ties by number
	Title   string    `json:"title"`
	Body    string    `json:"body"`
	State   string    `json:"state"` // a column's id
	Moved   moved     `json:"moved"`

	Milestone string         `json:"milestone,omitempty"`
	Labels    []string       `json:"labels,omitempty"`
	Assignee  string         `json:"assignee,omitempty"`
	Delegate  board.Delegate `json:"delegate,omitempty"`
	Claim     *board.Claim   `json:"claim,omitempty"`
	Epoch     int64          `json:"epoch"`
	Blockers  []board.Ref    `json:"blockers,omitempty"`
	Parent    board.Ref      `json:"parent,omitempty"`
	PRs       []string       `json:"prs,omitempty"`
	LastRun   string         `json:"lastRun,omitempty"`

	Comments  []board.Comment `json:"comments,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	CreatedBy string          `json:"createdBy,omitempty"`
	UpdatedAt time.Time       `json:"updatedAt"`

	handEdited bool
}

// moved is the last state change. Its To is compared with the record's State:
// where they differ, the state was changed by hand.
type moved struct {
	From string          `json:"from,omitempty"`
	To   string          `json:"to"`
	At   time.Time       `json:"at"`
	By   board.ActorKind `json:"by"`
}

// sumMark is what stands between an issue's content and its sum, which is the
// last field of the file.
const sumMark = ",\n  \"" + sumKey + "\": \""

const sumKey = "sum"

// encode is the record as its file: indented, so that a person can edit it,
// with a sum over everything before it.
func (r *record) encode() ([]byte, error) {
	r.Version = formatVersion
	data, err := encodeJSON(r)
	if err != nil {
		return nil, err
	}
	content := bytes.TrimSuffix(data, []byte("\n}\n"))
	return slices.Concat(content, []byte(sumMark+contentSum(content)+"\"\n}\n")), nil
}

func contentSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// intact says whether the file is as the program wrote it.
func intact(data []byte) bool {
	i := bytes.LastIndex(data, []byte(sumMark))
	return i >= 0 && string(data[i+len(sumMark):]) == contentSum(data[:i])+"\"\n}\n"
}

// decodeRecord reads an issue's file; at is when it was last changed, which is
// when a hand edit counts as made.
func decodeRecord(path string, ref board.Ref, data []byte, at time.Time) (*record, error) {
	var r record
	if intact(data) {
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("%s is broken (%w); restore it from a backup", path, err)
		}
		if r.Version <= formatVersion {
			return &r, r.check(path, ref)
		}
	}
	if err := decodeJSON(path, data, &r); err != nil {
		if _, newer := errors.AsType[*statefile.NewerVersionError](err); newer {
			return nil, err
		}
		return nil, fmt.Errorf("%w; mend it by hand or restore it from a backup", err)
	}
	r.handEdited = true
	if r.State != r.Moved.To {
		r.Moved = moved{From: r.Moved.To, To: r.State, At: at.UTC(), By: board.ActorOwner}
	}
	return &r, r.check(path, ref)
}

func (r *record) check(path string, ref board.Ref) error {
	if r.Ref != ref {
		return fmt.Errorf("%s says that it is %q; its name and its ref must agree", path, r.Ref)
	}
	if strings.TrimSpace(r.Title) == "" || r.State == "" {
		return fmt.Errorf("%s has no title or no state; put it in", path)
	}
	return nil
}

// readRecord reads one issue from disk. An issue that does not exist is
// ErrNotFound, a file that cannot be used ErrUnreadable.
func (b *Board) readRecord(ref board.Ref) (*record, error) {
	path := b.issuePath(ref)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no issue %s", board.ErrNotFound, ref)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", board.ErrUnreadable, err)
	}
	r, err := loadRecord(path, ref, info)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", board.ErrUnreadable, err)
	}
	return r, nil
}

// loadRecord reads a file that is there. A link is not read: it could lead out
// of the board.
func loadRecord(path string, ref board.Ref, info fs.FileInfo) (*record, error) {
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", shortPath(path))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeRecord(shortPath(path), ref, data, info.ModTime())
}

// shortPath names a file of the board without saying where the board lies.
func shortPath(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}

// issue is the record as the rest of the program sees it, without what other
// records add: children, and which blockers are open.
func (r *record) issue(m *meta) board.Issue {
	c := m.column(r.State)
	i := board.Issue{
		Ref: r.Ref, Title: r.Title, Body: r.Body,
		State: c.Name, Role: c.Role, Closed: c.Closed,
		Milestone: r.Milestone, Labels: r.Labels, Assignee: r.Assignee, Delegate: r.Delegate, Claim: r.Claim,
		Parent: r.Parent, PRs: r.PRs, Comments: r.Comments, Epoch: r.Epoch,
		CreatedAt: r.CreatedAt, CreatedBy: r.CreatedBy, UpdatedAt: r.UpdatedAt,
		StateSince: r.Moved.At, StateBy: r.Moved.By, LastRun: r.LastRun, HandEdited: r.handEdited,
	}
	if r.Moved.From != "" {
		i.PrevRole = m.column(r.Moved.From).Role
	}
	return i
}
