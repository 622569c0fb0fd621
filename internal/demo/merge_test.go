package demo_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/demo"
)

// The owner's merge reaches the GitHub of the demo it is asked for, on this
// machine, and says what it was answered.
func TestMerge(t *testing.T) {
	t.Parallel()
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/demo/todo/pull/12/merge" {
			http.Redirect(w, r, "/demo/todo/pull/12", http.StatusSeeOther)
			return
		}
		http.Error(w, "conflicts in [lib/help.sh]", http.StatusConflict)
	}))
	t.Cleanup(pages.Close)
	gone, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		address string
		number  int
		want    string // of the error; empty is none
	}{
		"merged":            {pages.Listener.Addr().String(), 12, ""},
		"refused":           {pages.Listener.Addr().String(), 11, "merge #11: conflicts in [lib/help.sh]"},
		"nobody serves it":  {gone.Addr().String(), 12, "dispatcher demo --serve --dir "},
		"on another server": {"github.example:80", 12, "no demo on GitHub"},
		"no demo on GitHub": {"", 12, "no demo on GitHub"},
	} {
		dir := t.TempDir()
		within := filepath.Join(dir, "repo", "lib")
		if c.address != "" {
			if err := os.MkdirAll(filepath.Join(dir, "github"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "github", "demo.json"), []byte(`{"address": "`+c.address+`"}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, named := range []string{dir, ""} { // by its folder, or from within
			err := demo.Merge(t.Context(), named, within, c.number)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, in %q: %v, want %q", name, named, err, c.want)
			}
		}
	}
}
