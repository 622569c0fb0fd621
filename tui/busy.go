package tui

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/present"
)

// step is what is under way on a row: shown from the key press until a picture
// says that it is true, or the loop that it is not.
type step struct {
	word    string
	command state.Command
	since   time.Time
}

// seen says whether a picture shows it to be true; false where none ever does.
func (st *step) seen(s *state.Snapshot) bool {
	done := wordings[st.command.Kind].done
	return done != nil && done(s, &st.command)
}

// progress is what is under way, by row.
type progress map[board.Ref]step

// start notes a command that a row will show. What cannot be seen in a picture
// ends when the loop has taken it.
func (p progress) start(s *state.Snapshot, c *state.Command, now time.Time) {
	w := wordings[c.Kind]
	if c.Ref == "" || s == nil || w.busy == "" {
		return
	}
	p[c.Ref] = step{word: w.busy, command: *c, since: now}
}

// answered ends what an answer ends: a refusal, one that says that it was not
// taken, or any where no picture shows the rest.
func (p progress) answered(c *state.Command, not bool) {
	if st, ok := p[c.Ref]; ok && st.command.Kind == c.Kind && (not || wordings[c.Kind].done == nil) {
		delete(p, c.Ref)
	}
}

// settle ends what a picture shows to be true.
func (p progress) settle(s *state.Snapshot, now time.Time) {
	for ref, st := range p {
		if st.seen(s) {
			delete(p, ref)
		}
	}
	p.expire(now)
}

// expire ends what has taken so long that something else must have come
// between; it reports whether anything did.
func (p progress) expire(now time.Time) bool {
	some := false
	for ref, st := range p {
		if now.Sub(st.since) > busyFor {
			delete(p, ref)
			some = true
		}
	}
	return some
}

// markRows shows on the board what is under way, and where a text waits.
func (m *Model) markRows() {
	words := make(map[board.Ref]string, len(m.busy))
	for ref, st := range m.busy {
		words[ref] = st.word
	}
	m.home.board.SetBusy(words, m.draftRows())
}

// draftRows are the rows about which a text was begun.
func (m *Model) draftRows() map[board.Ref]bool {
	out := map[board.Ref]bool{}
	for id := range m.drafts.All() {
		kind, item, ok := strings.Cut(id, " ")
		if !ok || m.snap == nil {
			continue
		}
		switch drafts.Kind(kind) {
		case drafts.Steer:
			if w := present.WorkerByRun(m.snap, item); w != nil {
				out[w.Run.Ref] = true
			}
		case drafts.Request:
			for i := range m.snap.Pulls {
				if m.snap.Pulls[i].PR.Name == item {
					out[m.snap.Pulls[i].Ref] = true
				}
			}
		case drafts.Reply, drafts.Deny:
			for i := range m.snap.Requests {
				if m.snap.Requests[i].ID == item {
					out[m.snap.Requests[i].Ref] = true
				}
			}
		case drafts.Answer, drafts.Retry:
			out[board.Ref(item)] = true
		default:
			out[board.Ref(item)] = true
		}
	}
	return out
}
