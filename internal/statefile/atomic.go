package statefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Conditions that callers tell a person about with errors.Is.
var (
	// ErrNoSpace: the disk or the quota is full; nothing was replaced.
	ErrNoSpace = errors.New("no space left")
	// ErrReadOnly: the folder or file does not take writes from this account.
	ErrReadOnly = errors.New("not writable")
	// ErrUnsynced: the new content is in place, but it is not known whether it
	// survives a power cut.
	ErrUnsynced = errors.New("written but not synced")
)

// NewerVersionError says that a file was written by a newer version of the
// program. Such a file is never rewritten (design.md, section 10).
type NewerVersionError struct {
	Path    string
	Version int // the file's
	Known   int // the newest this program reads
}

func (e *NewerVersionError) Error() string {
	return fmt.Sprintf("%s is format version %d, this dispatcher reads up to %d; use a newer dispatcher", e.Path, e.Version, e.Known)
}

// tempMark stands in the name of every unfinished replacement.
const tempMark = ".tmp-"

// IsTemp says whether name is an unfinished replacement, left behind by a
// crash: it may be ignored, and removed.
func IsTemp(name string) bool {
	return strings.HasPrefix(filepath.Base(name), ".") && strings.Contains(name, tempMark)
}

// WriteAtomic replaces the file at path, or creates it with perm: a reader
// sees the old content or all of data, and when it returns nil the new content
// survives a power cut. On an error the old content still stands and no
// temporary file is left behind; ErrUnsynced is the exception.
func WriteAtomic(path string, data []byte, perm fs.FileMode) error {
	return writeAtomic(osFS{}, path, data, perm, syncBoth)
}

// ReplaceFile is WriteAtomic without the sync of the folder: the file is whole
// whatever happens, but for some seconds a power cut may bring the old one
// back. It is for writes that a power cut makes void anyhow.
func ReplaceFile(path string, data []byte, perm fs.FileMode) error {
	return writeAtomic(osFS{}, path, data, perm, syncFile)
}

// ReplaceUnsynced replaces a file that is derived from others: readers see old
// or new content, but a power cut may lose or empty it.
func ReplaceUnsynced(path string, data []byte, perm fs.FileMode) error {
	return writeAtomic(osFS{}, path, data, perm, syncNone)
}

// durability is what of a replacement is synced.
type durability int

const (
	syncNone durability = iota
	syncFile            // content before the rename
	syncBoth            // and the rename
)

func writeAtomic(fsys filesystem, path string, data []byte, perm fs.FileMode, d durability) error {
	dir := filepath.Dir(path)
	temp, err := fsys.CreateTemp(dir, "."+filepath.Base(path)+tempMark+"*")
	if err != nil {
		return explain("write", path, err)
	}
	name := temp.Name()
	if err := fill(temp, data, perm, d != syncNone); err != nil {
		_ = fsys.Remove(name) // the write's own error is the one that matters
		return explain("write", path, err)
	}
	if err := fsys.Rename(name, path); err != nil {
		_ = fsys.Remove(name)
		return explain("replace", path, err)
	}
	if d != syncBoth {
		return nil
	}
	if err := fsys.SyncDir(dir); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsynced, explain("sync the folder of", path, err))
	}
	return nil
}

// fill writes all of data, makes it durable and closes the file.
func fill(f file, data []byte, perm fs.FileMode, durable bool) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// explain wraps a failure with what was attempted on what, and the way out
// where there is one.
func explain(what, path string, err error) error {
	switch {
	case noSpace(err):
		return fmt.Errorf("%s %s: %w: free some space and try again (%w)", what, path, ErrNoSpace, err)
	case readOnly(err):
		return fmt.Errorf("%s %s: %w: make %s writable for this account (%w)", what, path, ErrReadOnly, filepath.Dir(path), err)
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}
