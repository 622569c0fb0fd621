package app

import (
	"fmt"
	"io"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// readingLine says in lines how far the reading of a board has come, once it
// takes longer than a moment and then once a moment.
type readingLine struct {
	out  io.Writer
	last time.Time
}

func (f *Factory) newReadingLine() *readingLine { return &readingLine{out: f.IO.Err} }

// say is told how far it is, and since when the board is read.
func (l *readingLine) say(p *board.Progress, now, since time.Time) {
	if now.Sub(since) <= state.Moment || now.Sub(l.last) <= state.Moment {
		return
	}
	l.last = now
	fmt.Fprintf(l.out, "%s  reading the board: %s\n", now.Local().Format("15:04:05"), p)
}

// tellReading says so while nothing else is shown yet, until it is called off.
func (f *Factory) tellReading() (off func()) {
	if f.reading == nil {
		return func() {}
	}
	began, line := f.Now(), f.newReadingLine()
	f.reading.Tell(func(p board.Progress) { line.say(&p, f.Now(), began) })
	return func() { f.reading.Tell(nil) }
}
