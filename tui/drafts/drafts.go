// Package drafts keeps the texts that the owner has begun and not sent, one an
// item, in one place: so that they survive a closed field, another selection,
// a resize and, written down by whoever owns the room, its end.
//
// It reads and writes no file. It is not safe for concurrent use: the room's
// loop owns it.
package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"
)

// Kind is what a draft is for.
type Kind string

// The kinds of draft. The item is the issue, the run, the request or the pull
// request that it is about.
const (
	Answer  Kind = "answer"  // of a question: an issue
	Steer   Kind = "steer"   // a word to a worker: a run
	Reply   Kind = "reply"   // to what a worker asks: a request
	Deny    Kind = "deny"    // why not: a request
	Retry   Kind = "retry"   // a note for the next try: an issue
	Request Kind = "request" // a review with its notes: a pull request
)

// over is the kind under which stands what a draft of an edit was begun over.
const over = "over-"

// Book holds the drafts.
type Book struct {
	texts   map[string]string
	version uint64
}

// New answers a book with the texts that were kept, nil for none.
func New(kept map[string]string) *Book {
	b := &Book{texts: map[string]string{}}
	for k, text := range kept {
		if strings.TrimSpace(text) != "" {
			b.texts[k] = text
		}
	}
	return b
}

func key(k Kind, item string) string { return string(k) + " " + item }

// Get is the draft for an item, empty without one.
func (b *Book) Get(k Kind, item string) string { return b.texts[key(k, item)] }

// Set keeps a draft; an empty one is dropped.
func (b *Book) Set(k Kind, item, text string) {
	at := key(k, item)
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	if b.texts[at] == text {
		return
	}
	b.version++
	if text == "" {
		delete(b.texts, at)
		delete(b.texts, over+at)
		return
	}
	b.texts[at] = text
}

// Began remembers what stood where a draft is to go, once for each draft.
func (b *Book) Began(id, start string) {
	if b.texts[id] != "" && b.texts[over+id] == "" {
		b.Rebase(id, start)
	}
}

// Rebase says over what a draft is to go from now on: its writer was told.
func (b *Book) Rebase(id, start string) {
	b.version++
	b.texts[over+id] = sum(start)
}

// Over says whether a draft was begun over this very text. One of which that
// is not known was not.
func (b *Book) Over(id, start string) bool { return b.texts[over+id] == sum(start) }

// sum stands for a text, which need not be kept whole only to be compared.
func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:8])
}

// Len counts the drafts.
func (b *Book) Len() int { return len(b.texts) }

// Version changes with every change: who writes the book down compares it.
func (b *Book) Version() uint64 { return b.version }

// All is a copy of every draft under its key, as New takes it.
func (b *Book) All() map[string]string { return maps.Clone(b.texts) }

// ID names the draft of an item: what the field that types it is called.
func ID(k Kind, item string) string { return key(k, item) }

// Text is the draft of that name, empty without one.
func (b *Book) Text(id string) string { return b.texts[id] }

// Put keeps a draft under its name; an empty one is dropped.
func (b *Book) Put(id, text string) {
	if k, item, ok := strings.Cut(id, " "); ok {
		b.Set(Kind(k), item, text)
	}
}
