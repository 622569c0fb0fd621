package app

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// How far the board is read is said only when that takes a while, and then no
// more than once a moment.
func TestReadingLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Date(2026, 5, 4, 14, 17, 0, 0, time.UTC)
	f := &Factory{IO: &IO{Err: &out}, Now: func() time.Time { return now }}
	f.tellReading()() // a board that tells nothing
	b := &board.Telling{}
	f.reading = b
	off := f.tellReading()
	for page := 2; page <= 8; page++ {
		now = now.Add(state.Moment / 2)
		b.Told(board.Progress{Board: "GitHub", Page: page, Pages: 9})
	}
	off()
	now = now.Add(time.Hour)
	b.Told(board.Progress{Board: "GitHub", Page: 9, Pages: 9})
	var said []string
	for line := range strings.Lines(out.String()) {
		_, what, _ := strings.Cut(strings.TrimSpace(line), "  ")
		said = append(said, what)
	}
	if got := strings.Join(said, "; "); got != "reading the board: GitHub, page 4 of 9; reading the board: GitHub, page 7 of 9" {
		t.Errorf("said %q", got)
	}
}

// Headless, the firing that reads for long says so beside its status line.
func TestHeadlessSaysHowFarItReads(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	f := &Factory{IO: &IO{Out: &out, Err: &errs}}
	began := time.Date(2026, 5, 4, 14, 17, 0, 0, time.UTC)
	snapshots := make(chan *state.Snapshot, 3)
	for after, rows := range map[time.Duration]int{time.Second: 40, 3 * time.Second: 80} {
		snapshots <- &state.Snapshot{At: began.Add(after), StepSince: began, Reading: &board.Progress{Board: "Linear", Rows: rows}}
	}
	snapshots <- &state.Snapshot{At: began.Add(9 * time.Second), StepSince: began}
	close(snapshots)
	f.printFirings(snapshots)
	if got := errs.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "reading the board: Linear, 80 rows so far") || out.Len() != 0 {
		t.Errorf("said %q and %q", got, out.String())
	}
}
