//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// ownGroup makes the command the leader of a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func terminateGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// killGroup ends what is left of the group of a command that has been waited
// for. The group's id stays taken as long as it has a member.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// Terminate asks a process politely to end.
func Terminate(pid int) error {
	if pid <= 1 {
		return fmt.Errorf("end process %d: %w", pid, ErrNoProcess)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			err = ErrNoProcess
		}
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	return nil
}

// killTree stops every process of the tree before it kills the first, so that
// none of them can start another one meanwhile.
func killTree(pid int) error {
	var stopped []int
	for {
		fresh := 0
		for _, p := range append([]int{pid}, Descendants(pid)...) {
			if p == os.Getpid() || slices.Contains(stopped, p) {
				continue
			}
			_ = syscall.Kill(p, syscall.SIGSTOP)
			stopped = append(stopped, p)
			fresh++
		}
		if fresh == 0 {
			break
		}
	}
	var errs []error
	for _, p := range stopped {
		if err := syscall.Kill(p, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, fmt.Errorf("kill process %d: %w", p, err))
		}
	}
	return errors.Join(errs...)
}

func lookIn(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a relative entry would mean another program in another folder
		}
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return full, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
