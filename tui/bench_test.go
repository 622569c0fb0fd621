package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
)

// benchRoom is a control room on a clock that runs, so that nothing is drawn
// from a cache that real use would not fill.
func benchRoom(w, h, issues int) *Model {
	m := newModel(context.Background(), Options{Controller: newStub()})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(snapshotMsg{snap: large(issues), open: true, at: noon})
	return m
}

// BenchmarkView draws the board again as a clock tick makes it, with 500 and
// with 5,000 issues: the second may cost at most 1.25 of the first.
func BenchmarkView(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		for _, n := range []int{500, 5000} {
			b.Run(fmt.Sprintf("%dx%d/%d", size[0], size[1], n), func(b *testing.B) {
				m := benchRoom(size[0], size[1], n)
				b.ReportAllocs()
				for b.Loop() {
					m.dirty = true
					_ = m.View()
				}
			})
		}
	}
}

// BenchmarkKey is a key press until its picture.
func BenchmarkKey(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := benchRoom(200, 60, n)
			keys := []tea.KeyPressMsg{namedKeys["down"], namedKeys["down"], namedKeys["right"], namedKeys["up"], namedKeys["left"]}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				m.Update(keys[i%len(keys)])
				_ = m.View()
				i++
			}
		})
	}
}

// BenchmarkSnapshot is a new picture until it is drawn, while five workers
// write.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := benchRoom(200, 60, n)
			snaps := make([]*state.Snapshot, 16)
			for i := range snaps {
				snaps[i] = large(n)
				for j := range snaps[i].Workers {
					w := &snaps[i].Workers[j]
					for k := range 33 {
						w.Tail = append(w.Tail, state.Line{At: noon.Add(time.Duration(i*33+k) * time.Millisecond), Kind: state.LineTool, Tool: "Bash", Text: fmt.Sprintf("step %d of %d", k, i), Done: true})
					}
					w.Lines += i * 33
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				m.Update(snapshotMsg{snap: snaps[i%len(snaps)], open: true, at: noon})
				_ = m.View()
				i++
			}
		})
	}
}

// BenchmarkUnchanged is View when nothing has changed, as after every message
// that is not ours.
func BenchmarkUnchanged(b *testing.B) {
	m := benchRoom(200, 60, 5000)
	_ = m.View()
	for b.Loop() {
		_ = m.View()
	}
}
