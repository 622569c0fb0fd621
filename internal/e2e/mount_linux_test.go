package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// mount puts a small file system of its own over a folder until the test ends.
func mount(t *testing.T, dir, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small file system")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("this machine lets nobody mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// remount changes a mounted folder.
func remount(t *testing.T, dir string, flags uintptr, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, options); err != nil {
		t.Fatal(err)
	}
}

// A state folder that cannot be written: the loop does not start, says which
// folder, and claims nothing.
func TestReadOnlyStateFolder(t *testing.T) {
	t.Parallel()
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	mount(t, p.stateDir(), "size=64m")
	remount(t, p.stateDir(), syscall.MS_RDONLY, "size=64m")
	out, errs, code := p.try(untilIdle...)
	if code == 0 || !strings.Contains(errs, p.stateDir()) || !strings.Contains(errs, "read-only") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	p.wantRow(ref, board.RoleReady)
	remount(t, p.stateDir(), 0, "size=64m")
	p.loop()
	p.wantOnce(ref)
}

// A full disk under the state folder: the loop does not start, or its firings
// say what is wrong; with room again the task goes to its end.
func TestFullStateFolder(t *testing.T) {
	t.Parallel()
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	mount(t, p.stateDir(), "size=64k")
	out, errs, code := p.try(untilIdle...)
	if code == 0 || !strings.Contains(errs, p.stateDir()) || !strings.Contains(errs, "no space left") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	p.wantRow(ref, board.RoleReady)
	remount(t, p.stateDir(), 0, "size=256m")
	p.loop()
	p.wantOnce(ref)
}

// A disk that fills up while the loop works: it shows that on its status line
// and goes on when there is room; no row is lost or worked twice.
func TestDiskFillsUp(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	mount(t, p.stateDir(), "size=256m")
	p.shut()
	s := p.start(untilIdle...)
	p.working(1)
	fill := filepath.Join(p.stateDir(), "fill")
	full(t, fill)
	s.until("no space left")
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	p.open()
	if code, out := s.end(); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	p.wantOnce(ref)
}

// full writes until nothing more fits.
func full(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}
