//go:build !linux && !darwin

package native

import (
	"os"
	"path/filepath"
)

// folder looks at the files of one folder. There is no inode here: time and
// size have to tell whether a file changed.
type folder struct {
	path string
}

func openFolder(path string) (*folder, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, err
	}
	return &folder{path: path}, nil
}

func (d *folder) close() error { return nil }

func (d *folder) names() ([]string, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return f.Readdirnames(-1)
}

// own is the folder's own stamp.
func (d *folder) own() (stamp, error) { return stampOf(d.path) }

// stamp looks at a file without following a link.
func (d *folder) stamp(name string) (stamp, error) { return stampOf(filepath.Join(d.path, name)) }

func stampOf(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{mtime: info.ModTime().UnixNano(), size: info.Size()}, nil
}
