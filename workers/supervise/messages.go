package supervise

import "slices"

// messages follows what was said to the agent and how far each has come, by
// the ids that its output names. The zero value is ready.
type messages struct {
	state map[string]messageState
	order []string // the ids of state, oldest first
}

type messageState uint8

const (
	messageUnseen messageState = iota
	messageQueued
	messageStarted
	messageDone
)

// maxMessages bounds what a run remembers: the ids are the agent's words, and
// it runs for as long as it likes.
const maxMessages = 4096

// advance never goes back: receipts and echoes of one message come in any
// order.
func (m *messages) advance(id string, to messageState) {
	was, known := m.state[id]
	switch {
	case known && to > was:
		m.state[id] = to
	case !known:
		if len(m.order) >= maxMessages {
			m.forget()
		}
		if m.state == nil {
			m.state = map[string]messageState{}
		}
		m.state[id] = to
		m.order = append(m.order, id)
	}
}

// forget makes room for as many again: the older half goes of what was
// answered, whose receipts are no longer out of order; where too little was
// answered, the oldest.
func (m *messages) forget() {
	for _, answered := range []bool{true, false} {
		over := len(m.order) - maxMessages/2
		m.order = slices.DeleteFunc(m.order, func(id string) bool {
			if over <= 0 || answered && m.state[id] != messageDone {
				return false
			}
			over--
			delete(m.state, id)
			return true
		})
	}
}

// turnEnded says that what the turn began with is answered.
func (m *messages) turnEnded() {
	for id, s := range m.state {
		if s == messageStarted {
			m.state[id] = messageDone
		}
	}
}

// unanswered says whether a message waits: one that the agent has queued, or
// one of those that were sent and of which nothing was seen yet. The oldest of
// more than we remember are answered, or will never be.
func (m *messages) unanswered(sent []string) bool {
	for _, s := range m.state {
		if s == messageQueued {
			return true
		}
	}
	if n := len(sent) - maxMessages/2; n > 0 {
		sent = sent[n:]
	}
	return slices.ContainsFunc(sent, func(id string) bool { return m.state[id] != messageDone })
}
