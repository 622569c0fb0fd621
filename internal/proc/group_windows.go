package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"golang.org/x/sys/windows"
)

// ownGroup makes the command the root of a console process group, so that a
// Ctrl-C in our console does not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup kills the tree at once: Windows has no polite signal that a
// program without a window would hear.
func terminateGroup(pid int) error { return killTree(pid) }

// killGroup does nothing: once its root has ended, a tree can no longer be
// found by parentage, and the id may belong to somebody else.
func killGroup(int) {}

// Terminate ends a process. Windows has no polite signal, it is killed.
func Terminate(pid int) error { return kill(pid) }

// killTree kills from the root downwards, and again what was started
// meanwhile.
func killTree(pid int) error {
	var (
		seen []int
		errs []error
	)
	for {
		fresh := 0
		for _, p := range append([]int{pid}, Descendants(pid)...) {
			if p == os.Getpid() || slices.Contains(seen, p) {
				continue
			}
			seen = append(seen, p)
			fresh++
			if err := kill(p); err != nil && !errors.Is(err, ErrNoProcess) {
				errs = append(errs, err)
			}
		}
		if fresh == 0 {
			return errors.Join(errs...)
		}
	}
}

func kill(pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return fmt.Errorf("end process %d: %w", pid, ErrNoProcess)
	}
	if err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing can be done about it
	if err := windows.TerminateProcess(h, 1); err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	return nil
}

// lookIn trusts the system's own search, which also knows PATHEXT.
func lookIn(name, _ string) (string, error) {
	return exec.LookPath(name) //nolint:wrapcheck // exec.Error names the program
}
