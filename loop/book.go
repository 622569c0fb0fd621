package loop

import (
	"slices"

	"github.com/backside4charter/dispatcher/loop/state"
)

// book is the journalled runs. It belongs to whichever firing is under way;
// the owner sees only the copies that it is sent.
type book struct {
	runs    []state.Run
	save    func([]state.Run) error
	changed func([]state.Run)
}

// put writes a run before the step that its phase names: durable when it
// returns nil.
func (b *book) put(r state.Run) error {
	next := slices.Clone(b.runs)
	at := slices.IndexFunc(next, func(o state.Run) bool { return o.ID == r.ID })
	if at < 0 {
		next = append(next, r)
	} else {
		next[at] = r
	}
	return b.replace(next)
}

// drop forgets a run whose claim is provably gone.
func (b *book) drop(id string) error {
	return b.replace(slices.DeleteFunc(slices.Clone(b.runs), func(o state.Run) bool { return o.ID == id }))
}

func (b *book) replace(next []state.Run) error {
	if err := b.save(next); err != nil {
		return err
	}
	b.runs = next
	b.changed(slices.Clone(next))
	return nil
}
