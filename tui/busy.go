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
	word  string
	kind  state.CommandKind
	since time.Time
	done  func(s *state.Snapshot) bool
}

// progress is what is under way, by row.
type progress map[board.Ref]step

// start notes a command that a row will show. What cannot be seen in a picture
// ends when the loop has taken it.
func (p progress) start(s *state.Snapshot, c *state.Command, now time.Time) { //nolint:funlen // a table: what each command says, and when it is true
	if c.Ref == "" || s == nil {
		return
	}
	st := step{kind: c.Kind, since: now}
	ref := c.Ref
	row := func(s *state.Snapshot, is func(r *state.Row) bool) bool {
		r := present.RowOf(s, ref)
		return r == nil || is(r)
	}
	role := c.Role
	//nolint:exhaustive // other commands have a place of their own, or are of no row
	switch c.Kind {
	case state.CommandMove:
		st.word = "moving"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Issue.Role == role }) }
	case state.CommandHold:
		st.word = "holding"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Hold == "held" }) }
	case state.CommandUnhold:
		st.word = "clearing the hold"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Hold != "held" }) }
	case state.CommandClaim:
		st.word = "taking it"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Issue.HumanOwned() }) }
	case state.CommandRelease:
		st.word = "releasing"
		st.done = func(s *state.Snapshot) bool {
			return row(s, func(r *state.Row) bool { return r.Issue.Claim == nil && !r.Issue.HumanOwned() })
		}
	case state.CommandStop:
		st.word = "stopping"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Run == "" }) }
	case state.CommandDispatch:
		st.word = "dispatching"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Run != "" }) }
	case state.CommandRetry:
		st.word = "trying again"
		st.done = func(s *state.Snapshot) bool { return row(s, func(r *state.Row) bool { return r.Hold != "attention" }) }
	case state.CommandEdit:
		st.word = "saving"
	case state.CommandOrder:
		st.word = "carrying"
	case state.CommandMerge:
		st.word = "merging"
		st.done = func(s *state.Snapshot) bool { return present.PullOf(s, ref) == nil }
	case state.CommandRequest:
		st.word = "sending back"
		st.done = func(s *state.Snapshot) bool {
			return row(s, func(r *state.Row) bool { return r.Issue.Role == board.RoleChangesRequested })
		}
	case state.CommandUpdatePR:
		st.word = "updating"
	case state.CommandInterrupt:
		st.word = "interrupting"
		st.done = func(s *state.Snapshot) bool {
			w := present.LastWorker(s, ref)
			return w == nil || w.Waiting || !w.Run.Alive()
		}
	case state.CommandTakeOver:
		st.word = "taking over"
		st.done = func(s *state.Snapshot) bool { w := present.LastWorker(s, ref); return w == nil || w.TakenOver }
	case state.CommandAnswer:
		st.word = "answering"
		st.done = func(s *state.Snapshot) bool {
			return row(s, func(r *state.Row) bool { return r.Issue.Role != board.RoleQuestion })
		}
	default:
		return
	}
	p[ref] = st
}

// answered ends what a refusal or an answer ends.
func (p progress) answered(c *state.Command, failed bool) {
	if st, ok := p[c.Ref]; ok && st.kind == c.Kind && (failed || st.done == nil) {
		delete(p, c.Ref)
	}
}

// settle ends what a picture shows to be true.
func (p progress) settle(s *state.Snapshot, now time.Time) {
	for ref, st := range p {
		if st.done != nil && st.done(s) {
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
