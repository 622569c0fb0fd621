package loop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// wantFirst notes that the owner wants a row worked before all others. It is
// answered when the firing has topped up.
func (f *firing) wantFirst(r request) {
	f.e.first[r.c.Ref] = true
	f.facts.First = f.e.first
	f.firsts = append(f.firsts, r)
}

// answerFirst says of every row that the owner wants worked first whether it
// is, waits for a slot, or cannot be, and why.
func (f *firing) answerFirst() {
	f.refresh()
	rows := plan.Rows(&f.facts)
	for _, r := range f.firsts {
		done, err := f.becameOf(rows, r.c.Ref)
		if err != nil {
			delete(f.e.first, r.c.Ref)
		}
		r.reply <- Reply{Done: done, Err: err}
	}
	f.firsts = nil
	for ref := range f.e.first {
		at := slices.IndexFunc(rows, func(r state.Row) bool { return r.Issue.Ref == ref })
		if at < 0 || !rows[at].Next {
			delete(f.e.first, ref) // it is worked, or will not be
		}
	}
}

func (f *firing) becameOf(rows []state.Row, ref board.Ref) (state.Done, error) {
	if r, ours := f.runOn(ref); ours && r.Alive() {
		return state.Done{Text: fmt.Sprintf("a %s works on %s", r.Kind, ref)}, nil
	}
	at := slices.IndexFunc(rows, func(r state.Row) bool { return r.Issue.Ref == ref })
	if at < 0 {
		return state.Done{}, fmt.Errorf("%s is no row of this loop, which works %s", ref, strings.Join(f.e.o.Milestones, ", "))
	}
	row := &rows[at]
	switch {
	case f.facts.Mode != state.ModeRunning:
		return state.Done{}, fmt.Errorf("%s cannot be worked now: the loop is %s", ref, f.facts.Mode)
	case f.facts.Skip[ref]:
		return state.Done{}, fmt.Errorf("%s could not be started; the log says why", ref)
	case !row.Next:
		return state.Done{}, fmt.Errorf("%s cannot be worked now: %s", ref, firstOf(row.Waits, "it is "+row.Issue.State))
	}
	return state.Done{Text: fmt.Sprintf("%s is worked next: %s", ref, row.Waits)}, nil
}

// leaveFirst answers those who asked in a firing that ended early.
func (f *firing) leaveFirst() {
	for _, r := range f.firsts {
		r.reply <- Reply{Err: errors.New(firstOf(f.pollError, "the loop is ending"))}
	}
	f.firsts = nil
}
