package demo_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/internal/demo"
)

// A start that was killed leaves git processes behind that go on writing into
// the folder for a while: the next start is not disturbed by them.
func TestUnfinishedStartThatIsStillWrittenTo(t *testing.T) {
	t.Parallel()
	bin := program(t)
	h := &hand{t: t, bin: bin, env: environ(t, filepath.Dir(bin))}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "demo.json"), []byte(`{"dispatcherDemo":1,"ready":false}`), 0o644); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, "repo", ".git")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(left)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()

	// The orphan works relative to its folder, wherever that is moved, until
	// the folder is gone.
	var orphan sync.WaitGroup
	orphan.Go(func() {
		for n := 0; ; n++ {
			err := root.WriteFile("index.lock", nil, 0o644)
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			if n%8 == 7 {
				_ = root.Remove("index.lock") // the removal may have come first
			}
		}
	})
	d, err := demo.Prepare(t.Context(), demo.Options{Dir: dir, Fast: true, Environ: h.env, Run: h.runner()})
	orphan.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if got := gitOut(t, d.Repo, "diff", "--stat", "HEAD"); got != "" {
		t.Errorf("the main checkout is not as it was made: %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".unfinished-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
