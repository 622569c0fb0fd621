// Package local is the forge of a repository that needs none: pull requests
// are records beside the board, and their branches are git's.
//
// It promises that a record holds what cannot be read again (title, body,
// reviews, results of checks, the merge) and that everything else, the head
// above all, is read live; that records are replaced atomically and under a
// lock, so that many processes may work on them; and that a merge happens
// without touching anybody's checkout, or says what is in the way. It never
// deletes a branch and never routes a result.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// recordVersion is the version of the files that this program writes.
const recordVersion = 1

// CheckSpec is one local check.
type CheckSpec struct {
	Name    string
	Command []string
	Timeout time.Duration
}

// runner runs one external command.
type runner interface {
	Run(ctx context.Context, c proc.Cmd) (proc.Result, error)
}

// Options are what a Store needs.
type Options struct {
	Git    *git.Git
	Dir    string // where the records lie
	Repo   string // the main checkout
	Base   string // the default branch
	Remote string // empty: branches are read here

	Developer gitapp.Identity // opens pull requests
	Reviewer  gitapp.Identity // posts reviews

	Checks  []CheckSpec
	Environ []string // what checks may see a part of; nil: of this process
	Runner  runner   // of checks; nil: run for real
	Now     func() time.Time
}

// Store is the pull requests of one repository. It is safe for concurrent use,
// also by several processes.
type Store struct {
	pulls.ByName
	o Options

	checks atomic.Pointer[[]CheckSpec] // what is checked now

	mu     sync.Mutex
	known  map[pair]derived // what follows from two commits
	closed map[int]kept     // what is open no more
	// fetched is where the remote's branches stood when last fetched.
	fetched heads
}

var (
	_ pulls.Reader   = (*Store)(nil)
	_ pulls.Opener   = (*Store)(nil)
	_ pulls.Reviewer = (*Store)(nil)
)

// Open answers a Store. Nothing is read or written before the first call.
func Open(o Options) *Store {
	if o.Runner == nil {
		o.Runner = proc.Exec{}
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{o: o, known: map[pair]derived{}, closed: map[int]kept{}, fetched: heads{}}
	s.ByName = pulls.NewByName(pulls.History{Git: o.Git, Dir: o.Repo, Developer: o.Developer}, s.Get)
	s.SetChecks(o.Checks)
	return s
}

// SetChecks replaces what is checked, from the next look on.
func (s *Store) SetChecks(specs []CheckSpec) { s.checks.Store(&specs) }

// specs is what is checked now; it is not to be changed.
func (s *Store) specs() []CheckSpec { return *s.checks.Load() }

// record is one file.
type record struct {
	Version   int             `json:"version"`
	Number    int             `json:"number"`
	Title     string          `json:"title"`
	Body      string          `json:"body,omitempty"`
	State     board.PullState `json:"state"`
	Draft     bool            `json:"draft,omitempty"`
	Author    string          `json:"author"`
	ByAgent   bool            `json:"byAgent"`
	Base      string          `json:"base"`
	Head      string          `json:"head"`
	HeadSHA   string          `json:"headSha"` // last seen with commits of its own
	ForkSHA   string          `json:"forkSha"` // where that head left the base
	MergeSHA  string          `json:"mergeSha,omitempty"`
	MergedAt  time.Time       `json:"mergedAt,omitzero"`
	MergedBy  string          `json:"mergedBy,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	Reviews   []board.Review  `json:"reviews,omitempty"`
	Checks    []board.Check   `json:"checks,omitempty"` // the newest of a name and head
}

func (s *Store) path(number int) string {
	return filepath.Join(s.o.Dir, strconv.Itoa(number)+".json")
}

// load reads one record.
func (s *Store) load(number int) (record, error) {
	var r record
	path := s.path(number)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("%s: %w: `dispatcher pulls list --all` shows them", pulls.Name(number), pulls.ErrNotFound)
	}
	if err != nil {
		return r, fmt.Errorf("read %s: %w", pulls.Name(number), err)
	}
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return r, fmt.Errorf("read %s: %s is broken (%w): mend it or put it aside", pulls.Name(number), path, err)
	}
	if v.Version > recordVersion {
		return r, fmt.Errorf("read %s: %w", pulls.Name(number), &statefile.NewerVersionError{Path: path, Version: v.Version, Known: recordVersion})
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read %s: %s is broken (%w): mend it or put it aside", pulls.Name(number), path, err)
	}
	return r, s.sound(&r, number)
}

// sound refuses a record whose names, edited by hand, would not be safe to
// hand to git.
func (s *Store) sound(r *record, number int) error {
	errs := []error{git.ValidBranch(r.Base), git.ValidBranch(r.Head)}
	for _, id := range []string{r.HeadSHA, r.ForkSHA, r.MergeSHA} {
		if id != "" {
			errs = append(errs, git.ValidCommit(id))
		}
	}
	if r.Number != number {
		errs = append(errs, fmt.Errorf("it says it is number %d", r.Number))
	}
	if r.State != board.PullOpen && r.State != board.PullMerged && r.State != board.PullClosed {
		errs = append(errs, fmt.Errorf("unknown state %.20q", r.State))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("read %s: %s is broken (%w): mend it or put it aside", pulls.Name(number), s.path(number), err)
	}
	return nil
}

// numbers lists the numbers that are taken, ascending.
func (s *Store) numbers() ([]int, error) {
	entries, err := os.ReadDir(s.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the pull requests: %w", err)
	}
	var all []int
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if n, err := strconv.Atoi(name); ok && err == nil && n > 0 && strconv.Itoa(n) == name {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// UnreadableAuthor stands as the author of a pull request whose record cannot
// be read. It is nobody's, and so it holds the rows that link it.
const UnreadableAuthor = "(unreadable record)"

// BrokenError names the records that cannot be read. What comes with it is
// otherwise complete.
type BrokenError struct {
	Records map[int]error // by number
}

func (e *BrokenError) Error() string {
	var lines []string
	for _, n := range slices.Sorted(maps.Keys(e.Records)) {
		lines = append(lines, e.Records[n].Error())
	}
	return strings.Join(lines, "\n")
}

// loadAll reads every record that can be read; a *BrokenError names the others.
func (s *Store) loadAll() ([]record, error) {
	numbers, err := s.numbers()
	if err != nil {
		return nil, err
	}
	var all []record
	broken := &BrokenError{Records: map[int]error{}}
	for _, n := range numbers {
		r, err := s.loadKept(n)
		if err != nil {
			broken.Records[n] = err
			continue
		}
		all = append(all, r)
	}
	if len(broken.Records) > 0 {
		return all, broken
	}
	return all, nil
}

// locked runs f while no other process writes records; what names what is
// written.
func (s *Store) locked(ctx context.Context, what string, f func() error) error {
	if err := os.MkdirAll(s.o.Dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	lock, err := statefile.Lock(ctx, filepath.Join(s.o.Dir, what+".lock"))
	if err != nil {
		return fmt.Errorf("wait for the pull requests: %w", err)
	}
	err = f()
	return errors.Join(err, lock.Unlock())
}

// Two locks: one for the moment of a write, one for the whole of a merge.
const (
	lockRecords = "records"
	lockMerge   = "merge"
)

// update changes one record under the lock. The change is not written when f
// fails or reports that there is none.
func (s *Store) update(ctx context.Context, number int, f func(*record) (bool, error)) (record, error) {
	var r record
	err := s.locked(ctx, lockRecords, func() error {
		var err error
		if r, err = s.load(number); err != nil {
			return err
		}
		changed, err := f(&r)
		if err != nil || !changed {
			return err
		}
		return s.save(&r)
	})
	return r, err
}

func (s *Store) save(r *record) error {
	r.Version = recordVersion
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", pulls.Name(r.Number), err)
	}
	if err := statefile.WriteAtomic(s.path(r.Number), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", pulls.Name(r.Number), err)
	}
	return nil
}
