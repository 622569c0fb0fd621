package questions

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// asking is one asking of a need: a row that was answered can ask again.
type asking struct {
	id
	since int64
}

func askingOf(n *state.Need) asking { return asking{idOf(n), n.Since.UnixNano()} }

// onItsWay is what stands below an item that was answered.
const onItsWay = "answer sent, the loop takes it"

// Take learns what became of an answer. Once it is taken the next item is
// selected; one that was refused comes first, with its text.
func (m *Model) Take(msg tea.Msg) pane.Reply {
	s, ok := msg.(pane.Sent)
	if !ok || m.snap == nil {
		return pane.Reply{}
	}
	c := &s.Command
	if c.Kind == state.CommandUndo && s.Err == nil {
		clear(m.sent)
		return pane.Done()
	}
	for _, n := range m.needs {
		if !settles(c, n) {
			continue
		}
		k, sent := idOf(n), askingOf(n)
		if c.Kind == state.CommandAnswer && m.sent[sent] == "" {
			break // it asks again already: that was the answer to what it asked before
		}
		delete(m.failed, k)
		delete(m.sent, sent)
		if s.Err != nil {
			m.failed[k] = widget.Clean(s.Err.Error())
			m.SetSnapshot(m.snap)
			break
		}
		m.sent[sent] = onItsWay
		if k == m.sel {
			m.step()
		}
		break
	}
	return pane.Done()
}

// answers say which commands are an answer to a need; the others are none.
var answers = map[state.CommandKind]func(c *state.Command, n *state.Need) bool{
	state.CommandAllow:   toRequest,
	state.CommandDeny:    toRequest,
	state.CommandReply:   toRequest,
	state.CommandAnswer:  toRow(state.NeedQuestion),
	state.CommandRetry:   toRow(state.NeedAttention),
	state.CommandHold:    toRow(state.NeedAttention),
	state.CommandUnhold:  toRow(state.NeedAttention),
	state.CommandRelease: toRow(state.NeedStale),
	state.CommandMerge:   toPull,
	state.CommandRequest: toPull,
	state.CommandLabel: func(c *state.Command, n *state.Need) bool {
		return n.Kind == state.NeedConfirm && c.Off && c.Ref == n.Ref
	},
	state.CommandSteer: func(c *state.Command, n *state.Need) bool {
		return n.Kind == state.NeedInterrupted && (c.Run == n.Run || (c.Run == "" && c.Ref == n.Ref))
	},
}

func toRequest(c *state.Command, n *state.Need) bool {
	return n.Request != "" && c.Request == n.Request
}

func toRow(k state.NeedKind) func(*state.Command, *state.Need) bool {
	return func(c *state.Command, n *state.Need) bool { return n.Kind == k && c.Ref == n.Ref }
}

func toPull(c *state.Command, n *state.Need) bool {
	return n.Kind == state.NeedReview && (c.Ref == n.Ref || (c.PR != "" && c.PR == n.PR))
}

// settles says whether a command is an answer to a need.
func settles(c *state.Command, n *state.Need) bool {
	is := answers[c.Kind]
	return is != nil && is(c, n)
}

// step selects the next need that was not answered.
func (m *Model) step() {
	for i := range m.needs {
		j := (m.at + 1 + i) % len(m.needs)
		if m.sent[askingOf(m.needs[j])] == "" {
			m.inside = false
			m.pick(j)
			return
		}
	}
}
