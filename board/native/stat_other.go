//go:build !linux && !darwin

package native

import "os"

// stampOf looks at a file without following a link. There is no inode here:
// time and size have to do.
func stampOf(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{mtime: info.ModTime().UnixNano(), size: info.Size()}, nil
}
