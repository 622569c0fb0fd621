package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Some tests have the program start a copy of itself, which is a copy of this
// binary: it fails at once instead of running all tests again.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "dispatcher" {
		os.Exit(1)
	}
	os.Exit(m.Run())
}
