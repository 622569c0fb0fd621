package native_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

var owner = board.Actor{Kind: board.ActorOwner, Name: "Olive"}

func newClock() *boardtest.Clock {
	return boardtest.NewClock(time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC))
}

func open(t testing.TB, o native.Options) *native.Board {
	t.Helper()
	b, err := native.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func seed(t testing.TB, b *native.Board, n board.NewIssue) board.Ref {
	t.Helper()
	i, err := board.NewPolicy(b, owner, board.PolicyOptions{}).Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return i.Ref
}

func TestConformance(t *testing.T) {
	t.Parallel()
	boardtest.Run(t, func(t *testing.T) boardtest.Fixture {
		c := newClock()
		o := native.Options{Dir: filepath.Join(t.TempDir(), "board"), Key: "ACM", Labels: []string{boardtest.Label}, Now: c.Now}
		b := open(t, o)
		return boardtest.Fixture{
			Backend: b, Fenced: true, Now: c.Now, Advance: c.Advance,
			Seed:   func(t *testing.T, n board.NewIssue) board.Ref { return seed(t, b, n) },
			Reopen: func(t *testing.T) board.Backend { return open(t, o) },
			SetDelegate: func(t *testing.T, ref board.Ref, d board.Delegate) {
				edit(t, issueFile(o.Dir, ref), `"epoch"`, `"delegate": "`+string(d)+`", "epoch"`)
			},
		}
	})
}

func issueFile(dir string, ref board.Ref) string {
	return filepath.Join(dir, "issues", string(ref)+".json")
}

// edit changes a file as a person with an editor does.
func edit(t testing.TB, path, from, to string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), from, to, 1)
	if changed == string(data) {
		t.Fatalf("%s holds no %q:\n%s", path, from, data)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readJSON(t testing.TB, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// hold takes a lock for the length of a test.
func hold(t *testing.T, path string) {
	t.Helper()
	l, ok, err := statefile.TryLock(path)
	if err != nil || !ok {
		t.Fatalf("lock %s: %v %v", path, ok, err)
	}
	t.Cleanup(func() { _ = l.Unlock() })
}
