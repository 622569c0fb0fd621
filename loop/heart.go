package loop

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop/state"
)

// heart renews the stamps of our claims on a goroutine of its own, so that a
// slow firing never makes a healthy run look dead. It renews a stamp that is
// older than Options.RestampAfter, and reports a claim that another session
// holds once. A claim that nobody holds any more was given up by its own
// worker, which has parked the row, or by a settlement under way; neither is
// a loss (design.md, section 6).
type heart struct {
	o    Options
	d    Deps
	lost func(state.Run, error) bool

	mu      sync.Mutex
	claims  map[string]state.Run // by run id
	stamped map[string]time.Time
	homes   map[string]state.WorkerStatus
	told    map[string]bool
	busy    map[string]bool // being renewed now
}

func newHeart(o Options, d Deps, lost func(state.Run, error) bool) *heart {
	return &heart{
		o: o, d: d, lost: lost,
		claims: map[string]state.Run{}, stamped: map[string]time.Time{},
		homes: map[string]state.WorkerStatus{}, told: map[string]bool{}, busy: map[string]bool{},
	}
}

// set tells the heart which claims are ours now.
func (h *heart) set(runs []state.Run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := map[string]state.Run{}
	for _, r := range runs {
		if r.Phase == state.PhaseClaiming {
			continue
		}
		next[r.ID] = r
		if _, ok := h.stamped[r.ID]; !ok {
			h.stamped[r.ID] = r.StampedAt
		}
	}
	for id := range h.claims {
		if _, ok := next[id]; !ok {
			delete(h.stamped, id)
			delete(h.homes, id)
			delete(h.told, id)
		}
	}
	h.claims = next
}

// run beats until the context ends.
func (h *heart) run(ctx context.Context) {
	t := time.NewTicker(h.o.HeartEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			h.beat(ctx)
		}
	}
}

// beat renews every stamp that is due and that no other beat is renewing. A
// renewal that fails for any reason but a conflict is tried again at the next
// beat.
func (h *heart) beat(ctx context.Context) {
	for _, r := range h.ours() {
		if h.take(r.ID) {
			h.touch(ctx, r)
			h.give(r.ID)
		}
	}
}

func (h *heart) touch(ctx context.Context, r state.Run) {
	err := h.renew(ctx, r, h.homeOf(r.ID))
	switch {
	case err == nil:
		h.stampedNow(r.ID)
	case errors.Is(err, board.ErrClaimConflict):
		h.conflict(ctx, r, err)
	case ctx.Err() == nil:
		h.o.Log.Warn("A claim could not be renewed", logkey.Ref, string(r.Ref), logkey.Run, r.ID, logkey.Err, err)
	}
}

func (h *heart) ours() []state.Run {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Values(h.claims), func(a, b state.Run) int { return strings.Compare(a.ID, b.ID) })
}

// take answers whether a stamp is due, and keeps other beats off it.
func (h *heart) take(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ours := h.claims[id]
	if !ours || h.told[id] || h.busy[id] || h.o.Now().Sub(h.stamped[id]) < h.o.RestampAfter {
		return false
	}
	h.busy[id] = true
	return true
}

func (h *heart) give(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.busy, id)
}

// home writes where a run's worker lives into its claim.
func (h *heart) home(ctx context.Context, r state.Run, st state.WorkerStatus) error {
	h.mu.Lock()
	h.homes[r.ID] = st
	h.mu.Unlock()
	if err := h.renew(ctx, r, st); err != nil {
		return err
	}
	h.stampedNow(r.ID)
	return nil
}

func (h *heart) renew(ctx context.Context, r state.Run, at state.WorkerStatus) error {
	_, claims := h.d.Board.As(board.Actor{Kind: board.ActorDispatcher, Run: r.ID, Ref: r.Ref, Epoch: r.Epoch})
	_, err := claims.Claim(ctx, r.Ref, board.ClaimRequest{
		Kind: r.Kind, Session: r.Session, Run: r.ID, Renew: true,
		Host: h.o.Host, Boot: h.o.Boot, PID: at.PID, PIDStart: at.PIDStart,
	})
	return err
}

func (h *heart) homeOf(id string) state.WorkerStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.homes[id]
}

func (h *heart) stampedNow(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ours := h.claims[id]; ours {
		h.stamped[id] = h.o.Now()
	}
}

// knowsLost says whether the claim of a run was reported as lost.
func (h *heart) knowsLost(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told[id]
}

// conflict looks who holds the row now.
func (h *heart) conflict(ctx context.Context, r state.Run, cause error) {
	issue, err := h.d.Board.Issue(ctx, r.Ref)
	if err != nil || issue.Claim == nil || issue.Claim.Session == r.Session {
		return
	}
	h.mu.Lock()
	_, ours := h.claims[r.ID]
	tell := ours && !h.told[r.ID]
	h.mu.Unlock()
	if tell && h.lost(r, cause) {
		h.mu.Lock()
		h.told[r.ID] = true
		h.mu.Unlock()
	}
}
