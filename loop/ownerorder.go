package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// doOrder carries a row to another place of the board's order.
func (e *Engine) doOrder(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, err := e.owner()
	if err != nil {
		return state.Done{}, nil, err
	}
	rows, err := wholeOrder(ctx, o)
	if err != nil {
		return state.Done{}, nil, fmt.Errorf("order %s: %w", c.Ref, err)
	}
	was, known := placeOf(rows, c.Ref)
	if err := o.Place(ctx, c.Ref, board.Place{Before: c.Before, After: c.After, Top: c.Top}); err != nil {
		return state.Done{}, nil, err
	}
	done := state.Done{Text: fmt.Sprintf("%s %s", c.Ref, placed(c))}
	if rows, err = wholeOrder(ctx, o); err != nil || !known {
		return done, nil, nil //nolint:nilerr // it is carried; it only cannot be taken back
	}
	then, _ := placeOf(rows, c.Ref)
	return done, &undoable{ref: c.Ref, what: "the place of " + string(c.Ref), do: func(ctx context.Context) (string, error) {
		return e.placeBack(ctx, c.Ref, was, then)
	}}, nil
}

// placeBack carries a row back between those that it lay between, unless it, or
// they, were carried elsewhere since.
func (e *Engine) placeBack(ctx context.Context, ref board.Ref, was, then between) (string, error) {
	o, err := e.owner()
	if err != nil {
		return "", err
	}
	rows, err := wholeOrder(ctx, o)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(rows, func(i board.Issue) bool { return i.Ref == ref })
	switch {
	case at < 0:
		return "", builtOn("%s is gone", ref)
	case !then.holds(rows, at):
		return "", builtOn("%s was carried elsewhere since", ref)
	}
	place, ok := was.place(slices.Delete(slices.Clone(rows), at, at+1))
	if !ok {
		return "", builtOn("the rows around it were carried elsewhere since")
	}
	return fmt.Sprintf("%s is back in its place", ref), o.Place(ctx, ref, place)
}

func wholeOrder(ctx context.Context, o OwnerBoard) ([]board.Issue, error) {
	return o.Poll(ctx, board.Query{AllMilestones: true, Closed: true}) //nolint:wrapcheck // whoever asks says for what
}

func placed(c state.Command) string {
	switch {
	case c.Top:
		return "is first now"
	case c.Before != "":
		return "is before " + string(c.Before) + " now"
	}
	return "is after " + string(c.After) + " now"
}

// between is where a row lies: its neighbours, none at an end.
type between struct{ prev, next board.Ref }

// placeOf is where a row lies; false for one that is alone, or not there.
func placeOf(rows []board.Issue, ref board.Ref) (between, bool) {
	at := slices.IndexFunc(rows, func(i board.Issue) bool { return i.Ref == ref })
	if at < 0 || len(rows) == 1 {
		return between{}, false
	}
	var b between
	if at > 0 {
		b.prev = rows[at-1].Ref
	}
	if at+1 < len(rows) {
		b.next = rows[at+1].Ref
	}
	return b, true
}

// holds says whether the row at a place lies between the two still. Others may
// have come in between, and one of the two may be gone.
func (b between) holds(rows []board.Issue, at int) bool {
	for i := range rows {
		if rows[i].Ref == b.prev && i > at || rows[i].Ref == b.next && i < at {
			return false
		}
	}
	return true
}

// place is where a row is put that is to lie between the two; false if there is
// no such place any more.
func (b between) place(rows []board.Issue) (board.Place, bool) {
	find := func(ref board.Ref) int {
		return slices.IndexFunc(rows, func(i board.Issue) bool { return ref != "" && i.Ref == ref })
	}
	prev, next := find(b.prev), find(b.next)
	switch {
	case prev >= 0 && next >= 0 && prev > next:
		return board.Place{}, false
	case b.prev == "" && next > 0: // it was the first
		return board.Place{Top: true}, true
	case prev >= 0:
		return board.Place{After: b.prev}, true
	case next >= 0:
		return board.Place{Before: b.next}, true
	}
	return board.Place{}, false
}
