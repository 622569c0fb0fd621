// Package journal is what the loop writes to disk so that a restart goes on:
// the claims it may hold (claims.json), what it was doing (runtime.json) and
// what was spent (costs.jsonl), all in the state folder.
//
// It promises that a saved journal is durable and whole when the call returns,
// that a file of a newer version is refused with its version named, and that a
// file which cannot be read is kept aside under another name, never
// overwritten. It decides nothing, and it is never the truth about a row: that
// is the board.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Names of the files, and the version that this program writes.
const (
	claimsFile  = "claims.json"
	runtimeFile = "runtime.json"
	costsFile   = "costs.jsonl"
	version     = 1
)

// Journal is one state folder.
type Journal struct {
	dir  string
	host string

	mu        sync.Mutex // of what was read of the costs
	costs     []Cost
	costsSize int64
	costsTime time.Time
}

// Runtime is what the loop was doing: read by a restart, and by the command
// line for the reasons why rows wait.
type Runtime struct {
	Version int       `json:"version"`
	Desired string    `json:"desired"` // running or paused
	Firing  int       `json:"firing"`
	At      time.Time `json:"at"`
	PID     int       `json:"pid"`
	// Waits is why each open row is not worked, by ref; rows that are worked
	// are absent.
	Waits map[string]string `json:"waits"`
	// Limits is until when no agent of a kind may start, because its account
	// has met its usage limit.
	Limits map[string]time.Time `json:"limits,omitempty"`
}

// Open makes the folder if it is missing. host is this machine's name: claims
// journalled on another machine are not ours (design.md, section 6).
func Open(dir, host string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder %s: %w", dir, err)
	}
	return &Journal{dir: dir, host: host}, nil
}

// Dir is the state folder.
func (j *Journal) Dir() string { return j.dir }

type claims struct {
	Version int         `json:"version"`
	Host    string      `json:"host"`
	Runs    []state.Run `json:"runs"`
}

// AsideError says that a file could not be read and was kept under another
// name; the program goes on without it.
type AsideError struct {
	Path, Kept string
	Err        error
}

func (e *AsideError) Error() string {
	return fmt.Sprintf("%s cannot be read and was kept as %s: %v", e.Path, e.Kept, e.Err)
}

func (e *AsideError) Unwrap() error { return e.Err }

// Runs are the journalled runs of this machine. An AsideError comes with an
// empty list that may be used.
func (j *Journal) Runs() ([]state.Run, error) {
	var c claims
	if err := j.read(claimsFile, &c); err != nil {
		return nil, err
	}
	if c.Host != "" && c.Host != j.host {
		return nil, nil
	}
	return c.Runs, nil
}

// Peek is Runs for a reader beside the loop: it changes nothing on disk, and a
// file that cannot be read has no runs.
func Peek(dir, host string) ([]state.Run, error) {
	data, err := os.ReadFile(filepath.Join(dir, claimsFile))
	if err != nil {
		return nil, nil //nolint:nilerr // no journal is no run
	}
	var c claims
	if json.Unmarshal(data, &c) != nil || (c.Host != "" && c.Host != host) {
		return nil, nil //nolint:nilerr // nor is one that cannot be read, or another machine's
	}
	if c.Version > version {
		return nil, &statefile.NewerVersionError{Path: filepath.Join(dir, claimsFile), Version: c.Version, Known: version}
	}
	return c.Runs, nil
}

// SaveRuns replaces the journalled runs.
func (j *Journal) SaveRuns(runs []state.Run) error {
	if runs == nil {
		runs = []state.Run{}
	}
	return j.write(claimsFile, claims{Version: version, Host: j.host, Runs: runs})
}

// PeekRuntime is what a loop left of its doings and of what it spent, for a
// reader beside it: it changes nothing on disk, and a file that cannot be read
// says nothing.
func PeekRuntime(dir string) (Runtime, []Cost, error) {
	var r Runtime
	path := filepath.Join(dir, runtimeFile)
	data, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(data, &r) != nil {
		r = Runtime{}
	}
	if r.Version > version {
		return Runtime{}, nil, &statefile.NewerVersionError{Path: path, Version: r.Version, Known: version}
	}
	costs, err := (&Journal{dir: dir}).Costs()
	return r, costs, err
}

// Runtime is what was saved last; the zero value if nothing was.
func (j *Journal) Runtime() (Runtime, error) {
	var r Runtime
	if err := j.read(runtimeFile, &r); err != nil {
		return Runtime{}, err
	}
	return r, nil
}

// SaveRuntime replaces it.
func (j *Journal) SaveRuntime(r Runtime) error {
	r.Version = version
	return j.write(runtimeFile, r)
}

func (j *Journal) write(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return statefile.WriteAtomic(filepath.Join(j.dir, name), append(data, '\n'), 0o600)
}

// read fills v from a file, which need not exist. The version is looked at
// first: a newer program may have given every other field another shape.
func (j *Journal) read(name string, v any) error {
	path := filepath.Join(j.dir, name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	var head struct {
		Version int `json:"version"`
	}
	switch err := json.Unmarshal(data, &head); {
	case err != nil:
		return j.aside(path, err)
	case head.Version > version:
		return &statefile.NewerVersionError{Path: path, Version: head.Version, Known: version}
	case head.Version < 1:
		return j.aside(path, errors.New("it names no format version"))
	}
	if err := json.Unmarshal(data, v); err != nil {
		return j.aside(path, err)
	}
	return nil
}

// aside keeps a broken file under the first free name.
func (j *Journal) aside(path string, cause error) error {
	for n := 1; ; n++ {
		kept := fmt.Sprintf("%s.broken-%d", path, n)
		if _, err := os.Lstat(kept); err == nil {
			continue
		}
		if err := os.Rename(path, kept); err != nil {
			return fmt.Errorf("keep the broken %s aside: %w", path, err)
		}
		return &AsideError{Path: path, Kept: kept, Err: cause}
	}
}
