package loop

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// secondLook looks at a claim once more when its worker has just begun, where
// the board has no fence: a rival's write may have been on its way while we
// looked before the start. A worker whose row is another session's is stopped
// before its first push, and no try is counted (design.md, section 6). What
// cannot be read is looked at again.
func (e *Engine) secondLook(r state.Run) {
	if e.o.SecondLook <= 0 {
		return
	}
	e.after(e.o.SecondLook, func() {
		e.post(func(ctx context.Context) {
			e.task(func() {
				if !e.heart.stands(ctx, r) && ctx.Err() == nil {
					e.secondLook(r)
				}
			})
		})
	})
}

// stands looks whether a claim of ours stands, and reports one that does not
// as lost. It answers false when that has to be looked at again.
func (h *heart) stands(ctx context.Context, r state.Run) bool {
	if !h.holds(r.ID) {
		return true // settled meanwhile
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	issue, err := h.d.Board.Issue(ctx, r.Ref)
	switch {
	case gone(err):
		return true // the reconcilers see to it
	case err != nil:
		return false
	case issue.Claim == nil || issue.Claim.Session == r.Session:
		return true
	}
	h.conflict(ctx, r, board.ErrClaimConflict)
	return h.knowsLost(r.ID)
}

// holds says whether a run's claim is ours to keep.
func (h *heart) holds(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ours := h.claims[id]
	return ours
}
