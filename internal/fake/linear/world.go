package linear

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options say how a Linear behaves where the real one is configured so, or
// where nobody knows.
type Options struct {
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// Folder keeps the state over the end of the process; empty keeps nothing.
	Folder string
	// KeepsAssignee leaves the assignee alone when an issue is delegated.
	KeepsAssignee bool
	// QuietComments lets a comment or an attachment leave its issue's updatedAt
	// as it is.
	QuietComments bool
	// OldestFirst turns the order of orderBy round, which no source states.
	OldestFirst bool
	// AnyIssue lets lists of issues ignore their filter, and hold archived ones:
	// what a client must not rely on.
	AnyIssue bool
	// Requests and Points are what one hour allows; 0 is Linear's limit.
	Requests, Points float64
	// QueryPoints are what one query may cost; 0 is Linear's limit.
	QueryPoints float64
	// AnyKey lets every key be the first user's: a demo's, whatever key its
	// person has for the real Linear.
	AnyKey bool
	// NoGitHub is a workspace without the GitHub integration.
	NoGitHub bool
	// Merged answers the URLs of pull requests that are merged; the automation
	// looks at them before every request, as a webhook would tell it.
	Merged func() []string
}

// What Linear allows an API key in an hour, a query, and a comment.
const (
	hourRequests = 2500
	hourPoints   = 3_000_000
	maxPoints    = 10_000
	maxComment   = 65_536
)

// World is one workspace. It is safe for use by several goroutines.
type World struct {
	o Options

	mu     sync.Mutex
	d      *data
	old    *data // before the last write, for stale reads
	bucket bucket
	faults []Fault
	stale  bool // some read may come too early
	counts Counts
	seen   []Seen
}

// stateFile is the folder's only file.
const stateFile = "linear.json"

// New is an empty workspace, or the one that the folder holds.
func New(o Options) (*World, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Requests == 0 {
		o.Requests = hourRequests
	}
	if o.Points == 0 {
		o.Points = hourPoints
	}
	if o.QueryPoints == 0 {
		o.QueryPoints = maxPoints
	}
	w := &World{o: o, d: &data{Org: "acme", Keys: map[string]string{}}, bucket: bucket{requests: o.Requests, points: o.Points}}
	if o.Folder == "" {
		return w, nil
	}
	text, err := os.ReadFile(filepath.Join(o.Folder, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err == nil {
		err = json.Unmarshal(text, w.d) //nolint:musttag // the names of the fields are the file's
	}
	if err != nil {
		return nil, fmt.Errorf("read the workspace in %s: %w", o.Folder, err)
	}
	return w, nil
}

// Empty says that nobody has made anything here yet.
func (w *World) Empty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.d.Made == 0
}

// save keeps the state, whole or not at all. The lock is held.
func (w *World) save() error {
	if w.o.Folder == "" {
		return nil
	}
	text, err := json.MarshalIndent(w.d, "", " ") //nolint:musttag // the names of the fields are the file's
	if err != nil {
		return fmt.Errorf("keep the workspace: %w", err)
	}
	if err := os.MkdirAll(w.o.Folder, 0o755); err != nil {
		return fmt.Errorf("keep the workspace: %w", err)
	}
	path := filepath.Join(w.o.Folder, stateFile)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return fmt.Errorf("keep the workspace: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("keep the workspace: %w", err)
	}
	return nil
}

// now is the time of a write: no two are of the same millisecond.
func (w *World) now() time.Time {
	now := w.o.Now().UTC().Truncate(time.Millisecond)
	if !now.After(w.d.Last) {
		now = w.d.Last.Add(time.Millisecond)
	}
	w.d.Last = now
	return now
}

// remember keeps the state before a write for reads that come too early.
func (w *World) remember() {
	if !w.stale {
		return
	}
	w.old = w.copied()
}

// copied is the workspace as it is now, for good. The lock is held.
func (w *World) copied() *data {
	text, err := json.Marshal(w.d) //nolint:musttag // the names of the fields are the file's
	copied := &data{}
	if err == nil {
		err = json.Unmarshal(text, copied) //nolint:musttag // the names of the fields are the file's
	}
	if err != nil {
		panic(err) // plain data, written a line above
	}
	return copied
}
