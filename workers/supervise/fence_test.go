package supervise

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/backside4charter/dispatcher/workers"
)

// TestOneSupervisor: a run gets one supervisor, ever, and none once it was
// given back or has ended (design.md, section 5).
func TestOneSupervisor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		leave func(f workers.Folder) error
		want  error
	}{
		{"a run that nobody had", func(workers.Folder) error { return nil }, nil},
		{"given back", workers.Folder.Forbid, workers.ErrForbidden},
		{"had by another", func(f workers.Folder) error { return f.WriteSupervisor(workers.Supervisor{PID: 1 << 30}) }, workers.ErrForbidden},
		{"ended", func(f workers.Folder) error { return f.WriteExit(workers.Exit{}) }, workers.ErrForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "r1")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			f := workers.OpenFolder(dir)
			if err := c.leave(f); err != nil {
				t.Fatal(err)
			}
			if err := mayStart(f); !errors.Is(err, c.want) {
				t.Errorf("answered %v, want %v", err, c.want)
			}
		})
	}
}
