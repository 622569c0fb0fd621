package app

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// counted counts what is read.
type counted struct {
	io.ReaderAt
	n int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += n
	return n, err
}

func TestContentHash(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	hash := func(r io.ReaderAt) string {
		t.Helper()
		h, err := contentHash(r)
		if err != nil || len(h) != 16 {
			t.Fatalf("%q, %v", h, err)
		}
		return h
	}
	c := &counted{ReaderAt: bytes.NewReader(own)}
	if first := hash(c); first != hash(bytes.NewReader(own)) {
		t.Error("one program, two hashes")
	}
	if runtime.GOOS == "linux" && c.n > len(own)/4 {
		t.Errorf("%d of %d bytes were read for what its linker has said", c.n, len(own))
	}
	if hash(strings.NewReader("version one")) == hash(strings.NewReader("version two")) {
		t.Error("two programs, one hash")
	}
}

func TestIDOfALinkedProgram(t *testing.T) {
	t.Parallel()
	const head = "\x04\x00\x00\x00\x53\x00\x00\x00\x04\x00\x00\x00"
	id := strings.Repeat("a", 20) + "/" + strings.Repeat("b", 20) + "/" + strings.Repeat("c", 20) + "/" + strings.Repeat("d", 20)
	for note, want := range map[string]string{
		head + "Go\x00\x00" + id:                      id,
		head + "XX\x00\x00" + id:                      "",
		head + "Go\x00\x00":                           "",
		head + "Go\x00\x00release":                    "",
		head + "Go\x00\x00" + strings.Repeat("a", 60): "",
		"": "",
	} {
		if got := string(idOf([]byte(note))); got != want {
			t.Errorf("%q: %q, want %q", note, got, want)
		}
	}
}
