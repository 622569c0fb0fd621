package workers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Follower reads a growing file line by line from where it stopped. It keeps
// no file open: a run's files may lie there for weeks.
type Follower struct {
	path   string
	offset int64
	split  Splitter
	buf    []byte
}

// NewFollower reads the file at path from its start. The file need not exist
// yet.
func NewFollower(path string) *Follower { return &Follower{path: path} }

// chunk is how much is read at once.
const chunk = 64 << 10

// Read hands out all lines that are whole by now and reports whether the file
// had grown.
func (f *Follower) Read(line func([]byte)) (bool, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", f.path, err)
	}
	defer file.Close()
	if f.buf == nil {
		f.buf = make([]byte, chunk)
	}
	grew := false
	for {
		n, err := file.ReadAt(f.buf, f.offset)
		if n > 0 {
			grew = true
			f.offset += int64(n)
			f.split.Feed(f.buf[:n], line)
		}
		if errors.Is(err, io.EOF) {
			return grew, nil
		}
		if err != nil {
			return grew, fmt.Errorf("read %s: %w", f.path, err)
		}
	}
}

// Rest hands out a last line without a line feed. Nothing may follow it.
func (f *Follower) Rest(line func([]byte)) { f.split.Rest(line) }

// LineEnd is where the line that is being handed out, or was last, ends in the
// file.
func (f *Follower) LineEnd() int64 { return f.split.End() }

// Offset is how much of the file has been read.
func (f *Follower) Offset() int64 { return f.offset }
