package app

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// attended is an engine whose subscribers are people: as long as one listens,
// what a worker asks waits for them.
type attended struct{ *loop.Engine }

func (a attended) Subscribe(ctx context.Context) <-chan *state.Snapshot {
	context.AfterFunc(ctx, a.Attend())
	return a.Engine.Subscribe(ctx)
}

// policyOf is who answers what a run asks. A reviewer is asked nothing: what
// it may not do stays denied.
func policyOf(k board.Kind, p config.Permissions) workers.Policy {
	out := workers.Policy{Ask: string(p.Ask), Wait: p.Timeout(), Default: workers.Behavior(p.Headless)}
	if k == board.KindReviewer {
		out = workers.Policy{Ask: string(config.AskDeny)}
	}
	return out
}

func (w *fleet) Steer(ctx context.Context, run, text string) (string, error) {
	return w.l.Steer(ctx, run, text)
}

func (w *fleet) Hold(ctx context.Context, run string) (bool, error) { return w.l.Hold(ctx, run) }

func (w *fleet) Reply(ctx context.Context, run string, r state.RequestReply) error {
	a := workers.Answer{
		Request: r.Request, By: workers.ByOwner, Behavior: workers.Deny, Message: r.Text, Always: r.Always, Answers: r.Answers,
	}
	if r.Allow {
		a.Behavior = workers.Allow
	}
	if r.Nobody {
		a.By = workers.ByNobody
		st, err := w.l.Observe(ctx, run)
		if err != nil {
			return err
		}
		for i := range st.Requests {
			if q := &st.Requests[i]; q.ID == r.Request {
				a = workers.Unasked(q, a)
			}
		}
	}
	return w.l.Answer(ctx, run, a)
}

// inputShown bounds how much of a request's input goes to a screen, in bytes.
const inputShown = 16 << 10

func requests(rs []workers.Request) []state.Request {
	var out []state.Request
	for i := range rs {
		r := &rs[i]
		q := state.Request{
			ID: r.ID, Kind: state.RequestPermission, Tool: workers.Clean(r.Tool, 200), Summary: oneLine(workers.Clean(r.Text, 2000)),
			Input: indented(r.Ask.Input), Why: workers.Clean(r.Ask.Why, 1000), Since: r.At, Until: r.Until, Default: string(r.Default),
		}
		for _, rule := range claude.Alike(r.Ask.Like) {
			q.Like = append(q.Like, workers.Clean(rule, 500))
		}
		for _, x := range r.Ask.Questions {
			q.Kind = state.RequestQuestion
			one := state.Question{Header: workers.Clean(x.Header, 200), Text: workers.Clean(x.Text, 8<<10), Many: x.Many}
			for _, o := range x.Options {
				one.Options = append(one.Options, state.Option{Label: workers.Clean(o.Label, 500), Description: workers.Clean(o.Description, 2000)})
			}
			q.Questions = append(q.Questions, one)
		}
		out = append(out, q)
	}
	return out
}

// oneLine is a text with its line ends shown.
func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", " ⏎ ") }

func indented(input json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, input, "", "  ") != nil {
		return workers.Clean(string(input[:min(len(input), inputShown)]), inputShown)
	}
	return workers.Clean(b.String(), inputShown)
}

func messages(st workers.Status) []state.Message {
	over := st.Phase == workers.PhaseExited || st.Phase == workers.PhaseDead
	var out []state.Message
	for _, m := range st.Messages {
		s := state.Message{ID: m.ID, At: m.At, Text: m.Text, State: state.MessageSent, ReadAt: m.ReadAt}
		switch {
		case m.Read:
			s.State = state.MessageRead
		case over:
			s.State = state.MessageFailed
		}
		out = append(out, s)
	}
	return out
}
