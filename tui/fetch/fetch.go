package fetch

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

// ErrNone is answered where nothing can be asked.
var ErrNone = errors.New("nothing can be read here: this room has no reader")

// Load answers what stands under a key. It may take its time.
type Load[K comparable, V any] func(key K) (V, error)

// Value is what was read last, under one key.
type Value[K comparable, V any] struct {
	load    Load[K, V]
	key     K
	asked   bool
	n       uint64 // the question whose answer is awaited
	pending bool
	again   bool // ask once more when the answer is there
	since   time.Time

	v   V
	has bool
	err error
	at  time.Time
}

// State says how a value stands.
type State struct {
	Known   bool      // there is one, perhaps an old one
	At      time.Time // when it was read
	Pending bool      // a question is under way
	Since   time.Time // since when
	Err     error     // how the last question failed
}

// New answers a value that load fills; nil fails with ErrNone.
func New[K comparable, V any](load Load[K, V]) *Value[K, V] {
	if load == nil {
		load = func(K) (V, error) {
			var none V
			return none, ErrNone
		}
	}
	return &Value[K, V]{load: load}
}

// result is the answer to a question; of says whose.
type result[K comparable, V any] struct {
	of  *Value[K, V]
	n   uint64
	v   V
	err error
	at  time.Time
}

// Want asks for a key unless it stands there or is on its way. A new key
// forgets the value of the old one.
func (f *Value[K, V]) Want(key K, now time.Time) tea.Cmd {
	if f.asked && f.key == key {
		return nil
	}
	var none V
	f.key, f.asked, f.v, f.has, f.err, f.again = key, true, none, false, nil, false
	return f.ask(now)
}

// Renew asks again for the key that stands; the value stays until then.
func (f *Value[K, V]) Renew(now time.Time) tea.Cmd {
	switch {
	case !f.asked:
		return nil
	case f.pending:
		f.again = true
		return nil
	}
	return f.ask(now)
}

func (f *Value[K, V]) ask(now time.Time) tea.Cmd {
	f.n++
	f.pending, f.since = true, now
	n, key, load := f.n, f.key, f.load
	return func() tea.Msg {
		v, err := load(key)
		return result[K, V]{f, n, v, err, now}
	}
}

// Take takes an answer; it reports whether the message was one of this value,
// and what is to be asked next.
func (f *Value[K, V]) Take(msg tea.Msg, now time.Time) (bool, tea.Cmd) {
	r, ok := msg.(result[K, V])
	if !ok || r.of != f {
		return false, nil
	}
	if r.n != f.n {
		return true, nil
	}
	f.pending, f.err = false, r.err
	if r.err == nil {
		f.v, f.has, f.at = r.v, true, r.at
	}
	if f.again {
		f.again = false
		return true, f.ask(now)
	}
	return true, nil
}

// Get is the value under key; false where none has been read.
func (f *Value[K, V]) Get(key K) (V, bool) {
	if !f.asked || f.key != key {
		var none V
		return none, false
	}
	return f.v, f.has
}

// State says how the value under the key stands.
func (f *Value[K, V]) State(key K) State {
	if !f.asked || f.key != key {
		return State{}
	}
	return State{Known: f.has, At: f.at, Pending: f.pending, Since: f.since, Err: f.err}
}

// Key is the key that was asked for last.
func (f *Value[K, V]) Key() (K, bool) { return f.key, f.asked }

// Forget drops the value and what is on its way.
func (f *Value[K, V]) Forget() {
	var none V
	f.asked, f.pending, f.again, f.has, f.v, f.err = false, false, false, false, none, nil
	f.n++
}
