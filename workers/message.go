package workers

import (
	"time"
)

// Message is what was said to a run after its task.
type Message struct {
	ID     string
	At     time.Time
	Text   string
	Read   bool // the agent has it
	ReadAt time.Time
}

// receipts are the ids of messages that the agent has read. It is a value
// machine; the zero value is ready.
type receipts struct{ at map[string]time.Time }

func (r *receipts) add(e *Event, at time.Time) {
	switch {
	case e.Kind == EventMessage && (e.State == MessageStarted || e.State == MessageCompleted), e.Kind == EventUser:
		r.read(e.ID, at)
	case e.Kind == EventResult:
		for _, id := range e.Result.Messages {
			r.read(id, at)
		}
	}
}

// maxReceipts bounds what a long conversation may grow to.
const maxReceipts = 4096

func (r *receipts) read(id string, at time.Time) {
	if id == "" || len(r.at) >= maxReceipts {
		return
	}
	if r.at == nil {
		r.at = map[string]time.Time{}
	}
	if _, known := r.at[id]; !known {
		r.at[id] = at
	}
}

// MessagesKept is how many of the newest messages a Status carries.
const MessagesKept = 50

// of puts the receipts to the messages that were sent.
func (r *receipts) of(sent []sent) []Message {
	if n := len(sent) - MessagesKept; n > 0 {
		sent = sent[n:]
	}
	out := make([]Message, 0, len(sent))
	for _, s := range sent {
		at, read := r.at[s.ID]
		out = append(out, Message{ID: s.ID, At: s.At, Text: Clean(s.Text, lineText), Read: read, ReadAt: at})
	}
	return out
}
