package local

import (
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// settledAfter is how long ago a file must have been changed for its time to
// be believed: two changes within one tick of the file system's clock can leave
// the same time.
const settledAfter = 100 * time.Millisecond

// kept is the record of a pull request that is open no more, and its file as
// it was read: a list of years is not read again at each look.
type kept struct {
	record record
	file   fs.FileInfo
}

// loadKept reads one record, or answers what was read of a closed one while
// its file is the same.
func (s *Store) loadKept(number int) (record, error) {
	file, err := os.Lstat(s.path(number))
	if err != nil || !file.Mode().IsRegular() {
		return s.load(number) // says what is wrong
	}
	s.mu.Lock()
	k, ok := s.closed[number]
	s.mu.Unlock()
	if ok && os.SameFile(k.file, file) && k.file.Size() == file.Size() && k.file.ModTime().Equal(file.ModTime()) {
		return k.copied(), nil
	}
	r, err := s.load(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || r.State == board.PullOpen || time.Since(file.ModTime()) < settledAfter {
		delete(s.closed, number)
		return r, err
	}
	// What was looked at before it was read is older at worst, and is then read
	// once more.
	s.closed[number] = kept{record: r, file: file}
	return s.closed[number].copied(), nil
}

// copied can be added to without touching what is kept.
func (k kept) copied() record {
	r := k.record
	r.Reviews = slices.Clone(r.Reviews)
	r.Checks = slices.Clone(r.Checks)
	return r
}
