package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// oldCopy is how long a copy of another version is kept after its last use.
const oldCopy = 24 * time.Hour

// CopySelf puts this program's own executable where no upgrade and no `go run`
// pulls it away from under a worker, and answers its path there.
func (f *Factory) CopySelf(stateDir string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the running executable: %w", err)
	}
	return CopySelf(stateDir, exe)
}

// CopySelf copies the executable exe to <stateDir>/bin/<hash>/dispatcher and
// answers that path (design.md, section 7). A copy that is there already is
// used again; a new one appears whole or not at all. Copies of other versions
// go when they are a day old and no run of this state folder lives.
func CopySelf(stateDir, exe string) (string, error) {
	src, err := openSelf(exe)
	if err != nil {
		return "", fmt.Errorf("copy the running executable: %w", err)
	}
	defer src.Close()
	self, err := src.Stat()
	if err != nil {
		return "", fmt.Errorf("copy the running executable: %w", err)
	}
	hash, err := contentHash(src)
	if err != nil {
		return "", fmt.Errorf("copy the running executable: %w", err)
	}
	bin := filepath.Join(stateDir, "bin")
	dir := filepath.Join(bin, hash)
	dest := filepath.Join(dir, copyName())
	if info, err := os.Stat(dest); err != nil || info.Size() != self.Size() {
		if err := copyTo(dest, src); err != nil {
			return "", fmt.Errorf("copy the running executable to %s: %w", dest, err)
		}
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // only keeps it from being pruned a day later
	pruneCopies(stateDir, bin, dir, now)
	return dest, nil
}

func copyName() string {
	if runtime.GOOS == "windows" {
		return "dispatcher.exe"
	}
	return "dispatcher"
}

// openSelf opens the executable, also one that has been deleted while it runs.
func openSelf(exe string) (*os.File, error) {
	src, err := os.Open(exe)
	if !errors.Is(err, fs.ErrNotExist) || runtime.GOOS != "linux" {
		return src, err
	}
	if own, oerr := os.Executable(); oerr != nil || own != exe {
		return nil, err
	}
	return os.Open("/proc/self/exe")
}

func copyTo(dest string, src io.ReadSeeker) error {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return err
	}
	dir := filepath.Dir(dest)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".copy-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(temp, src)
	if err == nil {
		err = temp.Chmod(0o700)
	}
	if err == nil {
		err = temp.Sync()
	}
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), dest)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the copy's own error is the one that matters
	}
	return err
}

// pruneCopies removes copies that nothing can be using. What cannot be removed
// stays: it costs disk and nothing else.
func pruneCopies(stateDir, bin, keep string, now time.Time) {
	entries, err := os.ReadDir(bin)
	if err != nil || anyLives(filepath.Join(stateDir, "runs")) {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(bin, e.Name())
		info, err := e.Info()
		if err != nil || !e.IsDir() || dir == keep || now.Sub(info.ModTime()) < oldCopy {
			continue
		}
		_ = os.RemoveAll(dir)
	}
}

// anyLives says whether a supervisor of a run lives, or may be on its way. A
// run that cannot be read counts as living.
func anyLives(runs string) bool {
	entries, err := os.ReadDir(runs)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for _, e := range entries {
		f := workers.OpenFolder(filepath.Join(runs, e.Name()))
		exit, err := f.Exit()
		if err != nil {
			return true
		}
		if exit != nil || f.Forbidden() {
			continue
		}
		s, took, err := f.Supervisor()
		switch {
		case err != nil:
			return true
		case took:
			if s.Boot == proc.BootID() && proc.Alive(s.PID, s.Start) {
				return true
			}
		case fresh(f.Dir()):
			return true // its supervisor may not have got so far yet
		}
	}
	return false
}

func fresh(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && time.Since(info.ModTime()) < time.Minute
}
