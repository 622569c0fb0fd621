//go:build !windows

package statefile

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a rename in dir durable. File systems that cannot sync a
// folder say so with EINVAL or ENOTSUP; there the rename is as durable as it
// gets.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

func rename(from, to string) error { return os.Rename(from, to) }

func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrPermission)
}
