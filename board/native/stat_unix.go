//go:build linux || darwin

package native

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// folder looks at the files of one folder. Asking by name within an open
// folder costs half of asking by path, which counts for ten thousand files.
type folder struct {
	f *os.File
}

func openFolder(path string) (*folder, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &folder{f: f}, nil
}

func (d *folder) close() error { return d.f.Close() }

func (d *folder) names() ([]string, error) { return d.f.Readdirnames(-1) }

// own is the folder's own stamp.
func (d *folder) own() (stamp, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(int(d.f.Fd()), &st) }); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: d.f.Name(), Err: err}
	}
	return stampFrom(&st), nil
}

// stamp looks at a file without following a link.
func (d *folder) stamp(name string) (stamp, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(int(d.f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return stamp{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return stampFrom(&st), nil
}

// stampOf looks at a file by its path, without following a link.
func stampOf(path string) (stamp, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Lstat(path, &st) }); err != nil {
		return stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return stampFrom(&st), nil
}

func stampFrom(st *unix.Stat_t) stamp {
	return stamp{mtime: st.Mtim.Nano(), size: st.Size, inode: st.Ino}
}

func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
