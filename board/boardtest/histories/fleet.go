package histories

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// fleet are the workers as a life of the loop starts and sees them.
type fleet struct{ p *life }

func (f fleet) Lives(c board.Claim) bool {
	for _, v := range f.p.h.workers {
		if v.run.Session == c.Session && v.lives() {
			return true
		}
	}
	return false
}

func (f fleet) Start(_ context.Context, spec state.RunSpec) (st state.WorkerStatus, err error) {
	h := f.p.h
	err = f.p.effect(func() error {
		if h.workers[spec.Run.ID] != nil {
			return fmt.Errorf("start %s: it was started or forbidden", spec.Run.ID)
		}
		for _, o := range h.workers {
			if o.run.Ref == spec.Run.Ref && o.lives() && h.claims(o.run.Ref, o.run.Session) {
				h.broken("%s is worked by %s and %s at once", spec.Run.Ref, o.run.ID, spec.Run.ID)
			}
		}
		v := &worker{h: h, run: spec.Run, phase: state.WorkerRunning}
		v.board = h.as(board.Actor{Kind: board.ActorOfKind(spec.Run.Kind), Run: spec.Run.ID, Ref: spec.Run.Ref, Epoch: spec.Run.Epoch})
		v.moves = v.behaviour()
		h.workers[spec.Run.ID] = v
		h.trace("worker %s (%s) lives on %s", v.run.ID, v.run.Kind, v.run.Ref)
		st = v.status()
		return nil
	})
	return st, err
}

// claims says whether a session has a claim on a row, by the truth of it.
func (h *history) claims(ref board.Ref, session string) bool {
	for _, row := range h.world.Rows() {
		if row.Ref == ref {
			return slices.ContainsFunc(row.Claims, func(c string) bool { return strings.Contains(c, session) })
		}
	}
	return false
}

func (f fleet) Stop(_ context.Context, run string) error {
	return f.p.effect(func() error {
		if v := f.p.h.workers[run]; v != nil && v.lives() {
			v.ends("", "stopped")
			v.exit.Stopped = true
		}
		return nil
	})
}

func (f fleet) Interrupt(context.Context, string) error { return nil }

func (f fleet) Observe(_ context.Context, run string) (state.WorkerStatus, error) {
	if f.p.dead {
		return state.WorkerStatus{}, errDead
	}
	if v := f.p.h.workers[run]; v != nil {
		return v.status(), nil
	}
	return state.WorkerStatus{Phase: state.WorkerAbsent}, nil
}

func (f fleet) Watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error {
	h, v := f.p.h, f.p.h.workers[run]
	if v == nil || f.p.dead || !h.Running() {
		return errDead
	}
	if !h.Pause(func() bool { return ctx.Err() != nil || !v.lives() }) || ctx.Err() != nil {
		return errDead
	}
	changed(v.status())
	return nil
}

func (f fleet) Forbid(ctx context.Context, run string) (state.WorkerStatus, error) {
	if f.p.dead {
		return state.WorkerStatus{}, errDead
	}
	if f.p.h.workers[run] == nil {
		f.p.h.workers[run] = &worker{h: f.p.h, run: state.Run{ID: run}, phase: state.WorkerAbsent}
	}
	return f.Observe(ctx, run)
}
