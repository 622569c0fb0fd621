package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/workers"
)

// How long a follower waits before it looks again, at most and at least, and
// how far back it looks for the end of a tool call.
const (
	logsLook = time.Second
	logsPace = 100 * time.Millisecond
	logsBack = workers.MaxPage / 2
)

// followLogs prints the lines there are, and with --follow those that come,
// until the run has ended.
func followLogs(ctx context.Context, l *workers.Launcher, folder workers.Folder, tr *workers.Transcript, p *logPrinter, o logsOptions) error {
	changes, stop := folder.Notify()
	defer stop()
	total, err := tr.Total(ctx)
	if err != nil {
		return err
	}
	next := 0
	if o.tail >= 0 {
		next = max(0, total-o.tail)
	}
	for {
		// Asked before the lines are read: what is written between is read too.
		over, err := runOver(l, folder.Run())
		if err != nil {
			return err
		}
		if next, err = printFrom(ctx, tr, p, next); err != nil {
			return err
		}
		if !o.follow || over {
			return nil
		}
		if !nextLook(ctx, changes) {
			return nil // the person has seen enough
		}
	}
}

// nextLook waits for a change, and never less than logsPace: a busy agent writes
// thousands of times a second. False when nobody waits any more.
func nextLook(ctx context.Context, changes <-chan fsnotify.Event) bool {
	pace := time.After(logsPace)
	select {
	case <-ctx.Done():
	case <-changes:
	case <-time.After(logsLook):
	}
	select {
	case <-ctx.Done():
	case <-pace:
	}
	return ctx.Err() == nil
}

// printFrom prints all lines from next on, and the ends of the tool calls
// printed before; it answers which line comes next.
func printFrom(ctx context.Context, tr *workers.Transcript, p *logPrinter, next int) (int, error) {
	if open := p.openSince(next - logsBack); open >= 0 {
		lines, first, err := tr.Lines(ctx, open, next-open)
		if err != nil {
			return next, err
		}
		for i := range lines {
			if err := p.ended(first+i, &lines[i]); err != nil {
				return next, err
			}
		}
	}
	for {
		lines, first, err := tr.Lines(ctx, next, workers.MaxPage)
		if err != nil {
			return next, err
		}
		for i := range lines {
			if err := p.line(first+i, &lines[i]); err != nil {
				return next, err
			}
		}
		if len(lines) == 0 {
			return next, nil
		}
		next = first + len(lines)
	}
}

// runOver says whether nothing more will be written.
func runOver(l *workers.Launcher, run string) (bool, error) {
	st, err := l.Glance(run)
	if err != nil {
		return false, err
	}
	return !slices.Contains([]workers.Phase{workers.PhaseStarting, workers.PhaseRunning}, st.Phase), nil
}

// rawLogs copies the transcript. What reaches a terminal is made harmless
// first.
func rawLogs(ctx context.Context, f *app.Factory, l *workers.Launcher, folder workers.Folder, o logsOptions) error {
	changes, stop := folder.Notify()
	defer stop()
	var at int64
	if o.tail >= 0 {
		var err error
		if at, err = lastLines(folder.TranscriptPath(), o.tail); err != nil {
			return err
		}
	}
	for {
		over, err := runOver(l, folder.Run())
		if err != nil {
			return err
		}
		n, err := copyFrom(ctx, f, folder.TranscriptPath(), at)
		if err != nil {
			return err
		}
		at += n
		if !o.follow || over {
			return nil
		}
		if !nextLook(ctx, changes) {
			return nil
		}
	}
}

func copyFrom(ctx context.Context, f *app.Factory, path string, at int64) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	buf := make([]byte, 256<<10)
	var done int64
	for ctx.Err() == nil {
		n, err := file.ReadAt(buf, at+done)
		done += int64(n)
		out := buf[:n]
		if f.IO.OutTTY {
			out = []byte(shown(string(out)))
		}
		if _, werr := f.IO.Out.Write(out); werr != nil {
			return done, werr
		}
		if errors.Is(err, io.EOF) {
			return done, nil
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// lastLines is where the last n lines of a file begin.
func lastLines(path string, n int) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	end := info.Size()
	for at, seen := end, 0; at > 0; {
		part := buf[:min(at, int64(len(buf)))]
		at -= int64(len(part))
		if _, err := file.ReadAt(part, at); err != nil {
			return 0, err
		}
		for i := bytes.LastIndexByte(part, '\n'); i >= 0; i = bytes.LastIndexByte(part[:i], '\n') {
			if at+int64(i) == end-1 {
				continue // the end of the last line
			}
			if seen++; seen == n {
				return at + int64(i) + 1, nil
			}
		}
	}
	if n == 0 {
		return end, nil
	}
	return 0, nil
}
