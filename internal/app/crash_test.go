package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/tui"
)

func TestCrashFiles(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "a state [folder]")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	keep := (&Factory{Version: "v9"}).crashed(state)
	last := ""
	for i := range keptCrashes + 3 {
		path, err := keep(tui.Crash{Panic: "token ghp_0123456789abcdef", Stack: "goroutine 1", Width: 80, At: time.Unix(int64(i), 0)})
		if err != nil {
			t.Fatal(err)
		}
		last = path
	}
	entries, err := os.ReadDir(state)
	if err != nil || len(entries) != keptCrashes || filepath.Join(state, entries[len(entries)-1].Name()) != last {
		t.Errorf("kept %v, the last is %s, %v", entries, last, err)
	}
	data, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dispatcher v9", "goroutine 1", `"width": 80`, "[hidden]"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the file does not say %q:\n%s", want, data)
		}
	}
	if strings.Contains(string(data), "ghp_") {
		t.Error("the file holds a secret")
	}
	if _, err := (&Factory{}).crashed(filepath.Join(state, "gone"))(tui.Crash{}); err == nil {
		t.Error("a folder that is not there takes a file")
	}
}
