//go:build unix && !linux && !darwin

package proc

import (
	"errors"
	"fmt"
	"syscall"
)

// StartTime answers the same for every living process on systems that are not
// released for: a reused id is not noticed there.
func StartTime(pid int) (string, error) {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return "", fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	return "unknown", nil
}

// BootID is not known on these systems.
func BootID() string { return "" }

// parents is not known on these systems; only the process itself is killed.
func parents() map[int]int { return nil }
