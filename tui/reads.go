package tui

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
)

// readWithin bounds how long one question to the reader may take.
const readWithin = 30 * time.Second

// bindReads gives the panes what they read on demand. The questions end with
// the room.
func (m *Model) bindReads() {
	r := m.opts.Reader
	if r == nil {
		return
	}
	m.wview.SetLoad(func(q workers.Query) (state.Transcript, error) {
		ctx, cancel := context.WithTimeout(m.ctx, readWithin)
		defer cancel()
		return r.Transcript(ctx, q.Run, q.From, q.N, q.Find)
	})
}
