package app

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"math"
)

// contentHash tells one executable from another, in 16 hexadecimal digits: by
// the id that Go's linker has made of its content, which saves each start of the
// loop from reading all of it, else by the content itself.
func contentHash(exe io.ReaderAt) (string, error) {
	sum := sha256.New()
	if id := linkedID(exe); id != nil {
		_, _ = sum.Write(id) // a hash never fails
	} else if _, err := io.Copy(sum, io.NewSectionReader(exe, 0, math.MaxInt64)); err != nil {
		return "", fmt.Errorf("read it: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// linkedID is Go's build id of an ELF executable; nil where there is none.
func linkedID(exe io.ReaderAt) []byte {
	file, err := elf.NewFile(exe)
	if err != nil {
		return nil // of another system, or no program at all
	}
	section := file.Section(".note.go.buildid")
	if section == nil {
		return nil
	}
	note, err := section.Data()
	if err != nil {
		return nil
	}
	return idOf(note)
}

// idOf reads the note: three numbers, the name "Go", the id. An id that was set
// by hand (-ldflags=-buildid=) is empty or a word, and tells nothing apart; one
// of the go command is the hashes of what went in and of what came out, with
// slashes between.
func idOf(note []byte) []byte {
	const header, shortest = 16, 40
	if len(note) < header+shortest || !bytes.HasPrefix(note[12:], []byte("Go\x00\x00")) || bytes.Count(note[header:], []byte("/")) < 1 {
		return nil
	}
	return note[header:]
}
