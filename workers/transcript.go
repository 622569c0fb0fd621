package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"sync"
	"time"
)

// MaxPage is how many lines a transcript hands out at once.
const MaxPage = 2000

// Transcript reads a run's whole stream as a person reads it: lines by their
// number, from any place, of a file of any size, in bounded memory. The numbers
// are those of a Status. It writes nothing, keeps no file open, and may be used
// while the run goes on and by many goroutines.
type Transcript struct {
	folder  Folder
	agent   Agent
	started time.Time // stands in for lines that carry no time

	mu    sync.Mutex
	marks []mark // ascending; the first is the begin of the file
	head  cursor // at the end of what there was when somebody looked last
	over  bool   // the run has ended, and head has taken its last line
}

// cursor is a reader's place in the file.
type cursor struct {
	tail  Tail
	split Splitter
	start int64 // where split began
	fed   int64 // offset of the next byte to read
}

func (c *cursor) end() int64 { return c.start + c.split.End() }

// OpenTranscript reads the transcript of a run, which may still grow. ErrNoRun
// if there is no such run.
func (l *Launcher) OpenTranscript(run string) (*Transcript, error) {
	f, err := l.Folder(run)
	if err != nil {
		return nil, fmt.Errorf("read the transcript of run %q: %w", run, err)
	}
	spec, err := f.Spec()
	if err != nil {
		return nil, fmt.Errorf("read the transcript of run %s: %w", run, err)
	}
	agent, err := l.agent(spec.Agent)
	if err != nil {
		return nil, fmt.Errorf("read the transcript of run %s: %w", run, err)
	}
	t := &Transcript{folder: f, agent: agent}
	if s, ok, err := f.Supervisor(); err == nil && ok {
		t.started = s.StartedAt
	}
	var size int64
	if info, err := os.Stat(f.TranscriptPath()); err == nil {
		size = info.Size()
	}
	marks, err := readIndex(f.IndexPath(), size)
	if err != nil {
		return nil, err
	}
	t.marks = append([]mark{{Usage: usageMark{Prior: spec.PriorCostUSD}}}, marks...)
	t.head = cursorAt(t.marks[len(t.marks)-1], &page{})
	return t, nil
}

func cursorAt(m mark, p *page) cursor {
	return cursor{tail: tailAt(m, p), start: m.At, fed: m.At}
}

// Total is how many lines there are by now.
func (t *Transcript) Total(ctx context.Context) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total(ctx)
}

// total reads on to the end and leaves marks on the way.
func (t *Transcript) total(ctx context.Context) (int, error) {
	if t.over {
		return t.head.tail.total, nil
	}
	exit, err := t.folder.Exit()
	if err != nil {
		return 0, err
	}
	err = t.scan(ctx, &t.head, exit != nil, func() bool {
		if end := t.head.end(); end-t.marks[len(t.marks)-1].At >= markEvery {
			t.marks = append(t.marks, t.head.tail.mark(end))
		}
		return false
	})
	if err != nil {
		return 0, err
	}
	t.over = exit != nil
	return t.head.tail.total, nil
}

// Usage is what the run has cost by now.
func (t *Transcript) Usage(ctx context.Context) (Usage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.total(ctx); err != nil {
		return Usage{}, err
	}
	return t.head.tail.Usage, nil
}

// Ended says whether the run has ended and Total is final.
func (t *Transcript) Ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// Lines are the lines from number from on, at most n and at most MaxPage, and
// the number of the first: a from below zero means the last n. A tool call tells
// its end where that follows soon.
func (t *Transcript) Lines(ctx context.Context, from, n int) (lines []Line, first int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	total, err := t.total(ctx)
	if err != nil {
		return nil, 0, err
	}
	n = max(0, min(n, MaxPage))
	if from < 0 {
		from = max(0, total-n)
	}
	n = min(n, total-from)
	if n <= 0 {
		return nil, min(from, total), nil
	}
	p := &page{from: from, most: n}
	c := cursorAt(t.markOf(from), p)
	full := int64(-1)
	err = t.scan(ctx, &c, t.over, func() bool {
		if c.tail.total < from+n {
			return false
		}
		if full < 0 {
			full = c.end()
		}
		return c.end()-full > markEvery || !c.tail.opens(from, from+n)
	})
	t.endedLater(&c.tail)
	return p.lines, from, err
}

// endedLater closes the tool calls of a page that ended further on than was
// read.
func (t *Transcript) endedLater(tail *Tail) {
	for _, id := range tail.order {
		n := tail.open[id]
		if l := tail.page.line(n); l != nil {
			still, open := t.head.tail.open[id]
			l.Done = !open || still != n
		}
	}
}

// Find is the number of the next line at or after from that holds text, or of
// the last one at or before it when back is set; -1 if there is none. Case does
// not count.
func (t *Transcript) Find(ctx context.Context, text string, from int, back bool) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	total, err := t.total(ctx)
	if err != nil || text == "" || total == 0 {
		return -1, err
	}
	want := folded(text)
	if !back {
		found := -1
		p := &page{see: func(n int, l *Line) {
			if found < 0 && n >= from && want.in(l) {
				found = n
			}
		}}
		c := cursorAt(t.markOf(from), p)
		err := t.scan(ctx, &c, t.over, func() bool { return found >= 0 })
		return found, err
	}
	from = min(from, total-1)
	for i := t.markIndex(from); i >= 0; i-- {
		found, until := -1, from+1
		if i+1 < len(t.marks) {
			until = min(until, t.marks[i+1].Line)
		}
		p := &page{see: func(n int, l *Line) {
			if n < until && want.in(l) {
				found = n
			}
		}}
		c := cursorAt(t.marks[i], p)
		err := t.scan(ctx, &c, t.over, func() bool { return c.tail.total >= until })
		if err != nil || found >= 0 {
			return found, err
		}
	}
	return -1, nil
}

// markIndex is the last mark at or before a line.
func (t *Transcript) markIndex(line int) int {
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].Line > line })
	return max(0, i-1)
}

func (t *Transcript) markOf(line int) mark { return t.marks[t.markIndex(line)] }

// scan reads on from a cursor until done says so, after each line, or to the
// end. A last line without its end is taken where nothing can follow it.
func (t *Transcript) scan(ctx context.Context, c *cursor, ended bool, done func() bool) error {
	file, err := os.Open(t.folder.TranscriptPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the transcript of run %s: %w", t.folder.Run(), err)
	}
	defer file.Close()
	stop := false
	var events []Event
	take := func(b []byte) {
		if stop {
			return // the cursor is not used any more
		}
		events = t.agent.Parse(events[:0], b)
		details := t.details(c.tail.page, b)
		c.tail.detail(details, true)
		for i := range events {
			c.tail.Add(&events[i], t.started)
		}
		c.tail.detail(details, false)
		stop = done()
	}
	buf := make([]byte, 4*chunk)
	for !stop {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read the transcript of run %s: %w", t.folder.Run(), err)
		}
		n, err := file.ReadAt(buf, c.fed)
		c.fed += int64(n)
		c.split.Feed(buf[:n], take)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the transcript of run %s: %w", t.folder.Run(), err)
		}
	}
	if ended && !stop {
		c.split.Rest(take)
	}
	return nil
}
