package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/tui"
)

// keptCrashes is how many files about broken rooms a state folder keeps.
const keptCrashes = 5

// crashed answers what keeps a broken control room's last picture in the state
// folder. The file is its owner's alone, and holds no text of anybody's.
func (f *Factory) crashed(state string) func(tui.Crash) (string, error) {
	return func(c tui.Crash) (string, error) {
		c.Panic = logkey.Scrub(c.Panic)
		picture, err := json.MarshalIndent(c, "", " ")
		if err != nil {
			return "", fmt.Errorf("describe the broken control room: %w", err)
		}
		path := filepath.Join(state, "crash-"+c.At.UTC().Format("20060102-150405.000")+".txt")
		text := fmt.Sprintf("dispatcher %s, %s, %s/%s, pid %d\n\n%s\n%s\n", f.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, os.Getpid(), logkey.Scrub(c.Stack), picture)
		if err := statefile.WriteAtomic(path, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("keep what is known of the broken control room: %w", err)
		}
		forgetCrashes(state)
		return path, nil
	}
}

// forgetCrashes removes the oldest files; one too many is no harm.
func forgetCrashes(state string) {
	entries, _ := os.ReadDir(state) // sorted by name, which is the time
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), "crash-") || !strings.HasSuffix(e.Name(), ".txt")
	})
	for _, e := range entries[:max(len(entries)-keptCrashes, 0)] {
		_ = os.Remove(filepath.Join(state, e.Name()))
	}
}
