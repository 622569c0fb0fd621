package proctest

import (
	"fmt"
	"io"
	"os"
)

// CopySelf puts the running test binary at path, as a link where that can be:
// a package whose TestMain plays a program when it is called by that name need
// not have it built and linked once more. path must not exist.
func CopySelf(path string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the test binary: %w", err)
	}
	if err := os.Link(exe, path); err == nil {
		return nil // else another disk, or one without links
	}
	from, err := os.Open(exe)
	if err != nil {
		return fmt.Errorf("copy the test binary: %w", err)
	}
	defer from.Close() //nolint:errcheck // opened for reading
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return fmt.Errorf("copy the test binary: %w", err)
	}
	_, err = io.Copy(to, from)
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("copy the test binary: %w", err)
	}
	return nil
}
