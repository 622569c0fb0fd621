package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// happenings reads the events that are there by now.
func (p *process) happenings(after uint64) []state.Event {
	ctx, cancel := context.WithCancel(p.w.t.Context())
	defer cancel()
	var out []state.Event
	all := p.e.Events(ctx, after)
	for {
		time.Sleep(time.Millisecond) // of the world's clock: whatever is there has come by then
		select {
		case ev, more := <-all:
			if !more {
				return out
			}
			out = append(out, ev)
		default:
			cancel()
			for range all { //nolint:revive // until it is closed
			}
			return out
		}
	}
}

// TestEvents: the life of two rows as a reader of events sees it, in order and
// numbered without a gap.
func TestEvents(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		done := w.ready("done")
		asked := w.ready("asked")
		w.on(asked, board.KindDeveloper, asking)
		p := w.start(forever)
		time.Sleep(5 * time.Minute)
		p.send(state.CommandPause)
		time.Sleep(time.Second)
		all := p.happenings(0)
		for i, ev := range all {
			if ev.N != uint64(i+1) || ev.At.IsZero() {
				t.Fatalf("event %d is %+v", i+1, ev)
			}
		}
		lives := map[board.Ref][]string{}
		firings, modes := 0, ""
		for _, ev := range all {
			switch ev.Kind {
			case state.EventFiring:
				firings++
			case state.EventMode:
				modes += ev.Text + " "
			default:
				lives[ev.Ref] = append(lives[ev.Ref], strings.TrimSpace(fmt.Sprintf("%s %s", ev.Kind, ev.Worker)))
			}
		}
		want := []string{
			"claimed developer", "started developer", "finished developer", "routed developer",
			"claimed reviewer", "started reviewer", "finished reviewer", "routed reviewer",
		}
		if !slices.Equal(lives[done], want) {
			t.Errorf("%s: %q", done, lives[done])
		}
		if want := append(want[:4:4], "question"); !slices.Equal(lives[asked], want) {
			t.Errorf("%s: %q", asked, lives[asked])
		}
		if firings < 3 || modes != "paused " {
			t.Errorf("%d firings, modes %q", firings, modes)
		}
		if rest := p.happenings(all[4].N); len(rest) != len(all)-5 || rest[0].N != all[5].N {
			t.Errorf("after the fifth come %+v", rest)
		}
		if again := p.happenings(1 << 40); len(again) != len(all) {
			t.Errorf("a reader of an earlier loop gets %d of %d events", len(again), len(all))
		}
		p.leave()
	})
}
