package tui

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/fetch"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
)

// readWithin bounds how long one question to the reader may take.
const readWithin = 30 * time.Second

// bound makes a question one that ends with the room.
func bound[K comparable, V any](m *Model, ask func(ctx context.Context, key K) (V, error)) fetch.Load[K, V] {
	return func(key K) (V, error) {
		ctx, cancel := context.WithTimeout(m.ctx, readWithin)
		defer cancel()
		return ask(ctx, key)
	}
}

// bindPanes gives the panes what they read on demand, and the drafts.
func (m *Model) bindPanes() {
	m.eachPane(func(p roomPane) {
		if d, ok := p.(interface{ SetDrafts(b *drafts.Book) }); ok {
			d.SetDrafts(m.drafts)
		}
	})
	r := m.opts.Reader
	if r == nil {
		return
	}
	transcript := bound(m, func(ctx context.Context, q workers.Query) (state.Transcript, error) {
		return r.Transcript(ctx, q.Run, q.From, q.N, q.Find)
	})
	money := bound(m, func(ctx context.Context, _ struct{}) (state.Money, error) { return r.Money(ctx) })
	preview := bound(m, func(ctx context.Context, _ struct{}) (state.Preview, error) { return r.Preview(ctx) })
	diff := bound(m, r.Diff)
	detail := bound(m, r.Detail)
	m.eachPane(func(p roomPane) {
		switch p := p.(type) {
		case reads[workers.Query, state.Transcript]:
			p.SetLoad(transcript)
		case reads[struct{}, state.Money]:
			p.SetLoad(money)
		case reads[struct{}, state.Preview]:
			p.SetLoad(preview)
		case reads[state.DiffQuery, state.Diff]:
			p.SetLoad(diff)
		case reads[board.Ref, state.Detail]:
			p.SetLoad(detail)
		}
	})
}

// reads is a pane that reads something on demand.
type reads[K comparable, V any] interface {
	SetLoad(load fetch.Load[K, V])
}
