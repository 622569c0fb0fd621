package statefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// AppendLine adds one line to an append-only file (created 0600) and syncs it.
// line must hold no newline; one is added. A last line that a crash left torn
// is closed with a newline first, so that it spoils only itself; a write that
// came out short is cut back. Writers in several processes need a lock of
// their own.
func AppendLine(path string, line []byte) error {
	return appendLine(osFS{}, path, line, true)
}

// AppendLineUnsynced is AppendLine without the sync: the line outlives the
// process, but not a power cut.
func AppendLineUnsynced(path string, line []byte) error {
	return appendLine(osFS{}, path, line, false)
}

func appendLine(fsys filesystem, path string, line []byte, durable bool) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("append to %s: the line holds a newline", path)
	}
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return explain("append to", path, err)
	}
	err = appendTo(f, line, durable)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return explain("append to", path, err)
	}
	return nil
}

func appendTo(f file, line []byte, durable bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	out := make([]byte, 0, len(line)+2)
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			out = append(out, '\n')
		}
	}
	out = append(append(out, line...), '\n')
	n, err := f.Write(out)
	if err == nil && n < len(out) {
		err = io.ErrShortWrite
	}
	if err != nil {
		// Best effort: a line that stays torn is closed by the next append.
		_ = f.Truncate(size)
		return err
	}
	if durable {
		return f.Sync()
	}
	return nil
}

// ReadLines answers the complete lines that start at byte offset from, without
// their newlines, and the offset to go on from next time. A last line without
// a newline is not there yet. A missing file has no lines. When the file is
// shorter than from it was replaced, and is read from its start.
func ReadLines(path string, from int64) (lines [][]byte, next int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, from, explain("read", path, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, from, explain("read", path, err)
	}
	if from < 0 || from > info.Size() {
		from = 0
	}
	data, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil, from, explain("read", path, err)
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if end == 0 {
		return nil, from, nil
	}
	return bytes.Split(data[:end-1], []byte{'\n'}), from + int64(end), nil
}
