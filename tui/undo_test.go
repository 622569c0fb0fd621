package tui

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// z takes back what was done in this room, newest first; what is refused is not
// silently followed by something older, and what others did stays.
func TestARoomTakesBackItsOwn(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, sample())
	done := func(undo uint64) {
		m.onSent(sentMsg{command: state.Command{Kind: state.CommandMove, Ref: "ACM-1"}, done: state.Done{Undo: undo}})
	}
	undone := func(id uint64, err error) {
		m.onSent(sentMsg{command: state.Command{Kind: state.CommandUndo, ID: id}, err: err})
	}
	done(3)
	done(7)
	typeKeys(m, "z")
	undone(7, errors.New("it cannot be taken back any more"))
	typeKeys(m, "z")
	undone(7, errors.New("there is nothing to take back"))
	typeKeys(m, "z")
	undone(3, nil)
	typeKeys(m, "z")
	var ids []uint64
	for _, c := range ctl.commands() {
		if c.Kind == state.CommandUndo {
			ids = append(ids, c.ID)
		}
	}
	if want := []uint64{7, 7, 3}; !slices.Equal(ids, want) {
		t.Errorf("taken back %v, want %v", ids, want)
	}
	has(t, m, "nothing done here is left to take back")
}

// Drafts that could not be written are written again, without another key.
func TestDraftsAreKeptAgain(t *testing.T) {
	t.Parallel()
	now, tries := noon, 0
	m := newModel(t.Context(), Options{Controller: newStub(), Now: func() time.Time { return now }, Keep: func(map[string]string) error {
		if tries++; tries < 2 {
			return errors.New("the disk is full")
		}
		return nil
	}})
	m.drafts.Put("answer ACM-7", "yes")
	for _, at := range []time.Duration{0, time.Second, 6 * time.Second, 20 * time.Second} {
		now = noon.Add(at)
		if cmd := m.keepDrafts(); cmd != nil {
			m.onKept(cmd().(keptMsg)) //nolint:forcetypeassert // it answers nothing else
		}
	}
	if tries != 2 || m.keepFailed {
		t.Errorf("%d tries, failed %t", tries, m.keepFailed)
	}
}
