package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop/state"
)

// speak brings the owner's word to a running worker, away from the owner
// goroutine: no firing is needed for it, and the book does not change. It is
// answered when the worker has it.
func (e *Engine) speak(ctx context.Context, c state.Command, reply chan<- Reply) {
	r, q, err := e.listener(&c)
	if err == nil && e.d.Speaker == nil {
		err = errors.New("this loop cannot speak to its workers")
	}
	if err != nil {
		reply <- Reply{Err: err}
		return
	}
	e.task(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.o.StopGrace)
		defer cancel()
		done, err := e.tell(ctx, r.ID, q, &c)
		if err != nil {
			reply <- Reply{Err: err}
			return
		}
		done.Ref = r.Ref
		reply <- Reply{Done: done}
		e.post(func(context.Context) { e.say(r.Ref, false, spokenText(&c, &r, q, done.Pending)) })
	})
}

// tell carries out one command on a worker.
func (e *Engine) tell(ctx context.Context, run string, q *state.Request, c *state.Command) (state.Done, error) {
	switch c.Kind { //nolint:exhaustive // command passes these alone
	case state.CommandSteer:
		_, err := e.d.Speaker.Steer(ctx, run, c.Text)
		return state.Done{Text: "sent; it reads it when the tool that runs has ended"}, err
	case state.CommandInterrupt:
		stands, err := e.d.Speaker.Hold(ctx, run)
		if err == nil && !stands {
			return state.Done{Text: notTaken, Pending: true}, nil
		}
		return state.Done{Text: "it stands still and waits for your word"}, err
	case state.CommandAllow:
		return state.Done{}, e.d.Speaker.Reply(ctx, run, state.RequestReply{Request: q.ID, Allow: true, Always: c.Always})
	case state.CommandReply:
		return state.Done{}, e.d.Speaker.Reply(ctx, run, state.RequestReply{Request: q.ID, Allow: true, Answers: c.Answers})
	default:
		return state.Done{}, e.d.Speaker.Reply(ctx, run, state.RequestReply{Request: q.ID, Text: c.Text})
	}
}

// notTaken is said of an interrupt that was sent and shows no effect.
const notTaken = "it was told to stop and think and has not shown that it does: it may end its turn yet, or not listen; stop ends it"

// listener finds the run that a command is for, and of an answer the request.
func (e *Engine) listener(c *state.Command) (state.Run, *state.Request, error) {
	switch c.Kind { //nolint:exhaustive // command passes these alone
	case state.CommandSteer:
		if strings.TrimSpace(c.Text) == "" {
			return state.Run{}, nil, errors.New("there is nothing to say: the text is empty")
		}
	case state.CommandInterrupt:
	default:
		return e.requestFor(c)
	}
	for _, r := range slices.Backward(e.runs) {
		if c.Run != "" && r.ID != c.Run || c.Run == "" && r.Ref != c.Ref {
			continue
		}
		if r.Phase != state.PhaseRunning {
			return state.Run{}, nil, fmt.Errorf("the %s on %s does not run: it is %s", r.Kind, r.Ref, r.Phase)
		}
		return r, nil, nil
	}
	return state.Run{}, nil, fmt.Errorf("no worker of this loop works on %s", firstOf(string(c.Ref), firstOf(c.Run, "no issue")))
}

// requestFor finds what a command answers: by its id, or the only request of a
// row.
func (e *Engine) requestFor(c *state.Command) (state.Run, *state.Request, error) {
	var found []state.Request
	for _, q := range e.asked() {
		if c.Request != "" && q.ID == c.Request || c.Request == "" && (c.Ref != "" && q.Ref == c.Ref || c.Run != "" && q.Run == c.Run) {
			found = append(found, q)
		}
	}
	switch {
	case len(found) == 0 && c.Request != "":
		return state.Run{}, nil, errors.New("nothing waits under that name: it was answered, or its worker asks no longer")
	case len(found) == 0:
		return state.Run{}, nil, fmt.Errorf("the worker on %s asks nothing", firstOf(string(c.Ref), firstOf(c.Run, "no issue")))
	case len(found) > 1:
		return state.Run{}, nil, fmt.Errorf("the worker on %s asks %d things; name the request", found[0].Ref, len(found))
	}
	q := found[0]
	at := slices.IndexFunc(e.runs, func(r state.Run) bool { return r.ID == q.Run })
	return e.runs[at], &q, nil
}

// spokenText is the log's line on a word of the owner's.
func spokenText(c *state.Command, r *state.Run, q *state.Request, pending bool) string {
	switch c.Kind { //nolint:exhaustive // command passes these alone
	case state.CommandSteer:
		return fmt.Sprintf("you to the %s: %s", r.Kind, firstLine(c.Text))
	case state.CommandInterrupt:
		if pending {
			return fmt.Sprintf("you told the %s to stop and think; it has not shown that it does", r.Kind)
		}
		return fmt.Sprintf("you interrupted the %s; it waits for your word", r.Kind)
	case state.CommandReply:
		return fmt.Sprintf("you answered the %s: %s", r.Kind, firstLine(strings.Join(c.Answers, ", ")))
	case state.CommandDeny:
		return fmt.Sprintf("you denied the %s %s", r.Kind, strings.TrimSpace(q.Tool+" "+q.Summary))
	default:
		how := "once"
		if c.Always {
			how = "for this run"
		}
		return fmt.Sprintf("you allowed the %s %s %s", r.Kind, strings.TrimSpace(q.Tool+" "+q.Summary), how)
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// asked is what the running workers wait for, oldest first.
func (e *Engine) asked() []state.Request {
	var out []state.Request
	for i := range e.runs {
		r := &e.runs[i]
		if r.Phase != state.PhaseRunning {
			continue
		}
		for _, q := range e.live[r.ID].Requests {
			q.Run, q.Ref, q.Worktree = r.ID, r.Ref, r.Worktree
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(a, b state.Request) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID))
	})
	return out
}

// allNeeds is what waits for a person: what running workers ask comes first,
// since they hold a slot while they wait.
func (e *Engine) allNeeds() []state.Need {
	var out []state.Need
	titles := map[string]state.Run{}
	for _, r := range e.runs {
		titles[r.ID] = r
	}
	for _, q := range e.asked() {
		text := strings.TrimSpace(q.Tool + " " + q.Summary)
		if len(q.Questions) > 0 {
			text = q.Questions[0].Text
		}
		r := titles[q.Run]
		out = append(out, state.Need{
			Kind: state.NeedRequest, Ref: q.Ref, Title: r.Title, Text: text, PR: r.PR, Run: q.Run, Request: q.ID, Since: q.Since,
		})
	}
	for i := range e.runs {
		r := &e.runs[i]
		if st := e.live[r.ID]; standsStill(r, &st) {
			out = append(out, state.Need{
				Kind: state.NeedInterrupted, Ref: r.Ref, Title: r.Title, PR: r.PR, Run: r.ID, Since: st.LastOutput,
				Text: fmt.Sprintf("the %s was interrupted and waits for your word", r.Kind),
			})
		}
	}
	return append(out, e.needs...)
}

// standsStill says whether a worker waits for its owner's word after an
// interrupt of the owner's; one that was interrupted as stalled waits for
// nobody.
func standsStill(r *state.Run, st *state.WorkerStatus) bool {
	return r.Phase == state.PhaseRunning && st.Waiting && r.StalledAt.IsZero()
}

// unread marks what a worker never read before its end.
func unread(ms []state.Message) []state.Message {
	out := slices.Clone(ms)
	for i := range out {
		if out[i].State == state.MessageSent {
			out[i].State = state.MessageFailed
		}
	}
	return out
}

// Attend tells the loop that a person looks at it, until leave is called, once
// or more.
func (e *Engine) Attend() (leave func()) {
	e.post(func(context.Context) { e.attending++ })
	return sync.OnceFunc(func() {
		e.post(func(ctx context.Context) {
			e.attending--
			e.answerAllAlone(ctx)
		})
	})
}

// answerAllAlone does so for every worker: when the last who looked is gone,
// and after each firing for what could not be answered before.
func (e *Engine) answerAllAlone(ctx context.Context) {
	for i := range e.runs {
		e.answerAlone(ctx, e.runs[i].ID)
	}
}

// answerAlone gives the default to what a worker asks when the loop is to end
// by itself and nobody looks at it (design.md, section 5, Ends by itself). In
// any other loop the owner has the policy's time. What is under way or was
// answered is marked, in memory only: the answer itself is in the run's folder
// or was never given, and is given again.
func (e *Engine) answerAlone(ctx context.Context, run string) {
	if !e.o.UntilIdle || e.attending > 0 || e.d.Speaker == nil {
		return
	}
	for _, q := range e.live[run].Requests {
		if e.alone[q.ID] {
			continue
		}
		e.alone[q.ID] = true
		ref := e.refOf(run)
		e.task(func() {
			err := e.d.Speaker.Reply(ctx, run, state.RequestReply{Request: q.ID, Allow: q.Default == "allow", Nobody: true})
			e.post(func(context.Context) {
				if err != nil {
					delete(e.alone, q.ID) // the next look tries again
					e.o.Log.Warn("A request could not be answered", logkey.Run, run, logkey.Err, err)
					return
				}
				e.say(ref, false, fmt.Sprintf("nobody is here to answer %s: %s", strings.TrimSpace(q.Tool+" "+q.Summary), firstOf(q.Default, "deny")))
			})
		})
	}
}

func (e *Engine) refOf(run string) board.Ref {
	for i := range e.runs {
		if e.runs[i].ID == run {
			return e.runs[i].Ref
		}
	}
	return ""
}
