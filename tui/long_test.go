package tui

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
)

// minuteOf is the picture of a second in a long stream: 50 workers on 500 rows,
// each with a thousand lines more than a second before.
func minuteOf(base *state.Snapshot, second int) *state.Snapshot {
	s := *base
	s.Version, s.At = uint64(second), noon.Add(time.Duration(second)*time.Second) //nolint:gosec // counts up
	s.Workers = make([]state.Worker, 0, 50)
	for i := range 50 {
		w := base.Workers[0]
		w.Run.ID, w.Run.Ref = fmt.Sprint("run-", i), base.Rows[i].Issue.Ref
		w.Lines, w.Tail = 1000*(second+1), make([]state.Line, 0, 60)
		for k := range 60 {
			w.Tail = append(w.Tail, state.Line{At: s.At, Kind: state.LineTool, Tool: "Bash", Text: fmt.Sprintf("line %d of worker %d", w.Lines-60+k, i), Done: true})
		}
		s.Workers = append(s.Workers, w)
	}
	return &s
}

// TestFailure48TenMinutesOfStreams plays ten minutes of 50 workers at 1,000
// lines a second on a clock of its own, in the views that show them: what is held
// and what a picture costs is in the tenth minute what it was in the first
// (failures.md, 48).
func TestFailure48TenMinutesOfStreams(t *testing.T) {
	now := noon
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	base := large(500)
	second := 0
	picture := func() {
		now = noon.Add(time.Duration(second) * time.Second)
		m.Update(snapshotMsg{snap: minuteOf(base, second), open: true, at: now})
		m.dirty = true
		_ = m.View()
		second++
	}
	measure := func() (allocs float64, held int64) {
		allocs = testing.AllocsPerRun(5, picture)
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		runtime.KeepAlive(m)
		return allocs, int64(s.HeapAlloc) //nolint:gosec // far below
	}
	views := []string{"1", "2", "enter", "v", "1", "5"}
	minute := func() {
		for i := range 30 { // a picture of every other second is enough to grow by
			if i%6 == 0 {
				typeKeys(m, views[i/6%len(views)])
			}
			picture()
			second++
		}
		typeKeys(m, "1")
	}
	minute()
	allocs, held := measure()
	for range 9 {
		minute()
	}
	lastAllocs, lastHeld := measure()
	t.Logf("a picture makes %.0f allocations in the first minute, %.0f in the tenth; held are %d KiB, then %d KiB", allocs, lastAllocs, held>>10, lastHeld>>10)
	if lastAllocs > 1.1*allocs {
		t.Errorf("a picture makes %.0f allocations after ten minutes, %.0f after one", lastAllocs, allocs)
	}
	if grown := lastHeld - held; grown > 4<<20 {
		t.Errorf("ten minutes left %d KiB behind", grown>>10)
	}
}

// TestFailure48MoreRowsCostNoMore: what a picture costs is a matter of the screen,
// not of the board.
func TestFailure48MoreRowsCostNoMore(t *testing.T) {
	cost := func(rows int) float64 {
		m, _ := room(120, 40, large(rows))
		return testing.AllocsPerRun(5, func() { m.dirty = true; _ = m.View() })
	}
	few, many := cost(500), cost(5000)
	t.Logf("a picture makes %.0f allocations with 500 rows, %.0f with 5,000", few, many)
	if many > 1.25*few {
		t.Errorf("a picture of 5,000 rows makes %.0f allocations, one of 500 %.0f", many, few)
	}
}
