package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Answers lists what was answered, oldest first.
func (f Folder) Answers() ([]Answer, error) {
	lines, _, err := statefile.ReadLines(f.answersPath(), 0)
	if err != nil {
		return nil, fmt.Errorf("read the answers of run %s: %w", f.Run(), err)
	}
	var all []Answer
	for _, l := range lines {
		var a Answer
		if json.Unmarshal(l, &a) == nil && a.Request != "" {
			all = append(all, a)
		}
	}
	return all, nil
}

// RecordAnswer writes an answer down, and answers the one that counts: an
// earlier one, if somebody was quicker.
func (f Folder) RecordAnswer(ctx context.Context, a Answer) (Answer, error) {
	lock, err := statefile.Lock(ctx, f.InputLockPath())
	if err != nil {
		return Answer{}, err
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it at the latest with the process
	given, err := f.Answers()
	if err != nil {
		return Answer{}, err
	}
	for _, g := range given {
		if g.Request == a.Request {
			return g, nil
		}
	}
	data, err := json.Marshal(a)
	if err != nil {
		return Answer{}, fmt.Errorf("encode an answer: %w", err)
	}
	return a, statefile.AppendLine(f.answersPath(), data)
}

// Answer answers what a run asks, and returns when the agent has it or takes
// too long to show that. The supervisor sends it. ErrNoRequest if the run asks
// nothing of that name, ErrAnswered if somebody was quicker.
func (l *Launcher) Answer(ctx context.Context, run string, a Answer) error {
	f, err := l.Folder(run)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	st, err := l.Observe(ctx, run)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	at := slices.IndexFunc(st.Requests, func(r Request) bool { return r.ID == a.Request })
	if at < 0 {
		return fmt.Errorf("answer run %s: %w: it was answered, or the worker asks no longer", run, ErrNoRequest)
	}
	r := &st.Requests[at]
	if err := fits(r, &a); err != nil {
		return fmt.Errorf("answer run %s: %w", run, err)
	}
	a.At = l.now()
	if a.Always {
		a.Tool, a.Input = r.Tool, r.Ask.Input
	}
	counts, err := f.RecordAnswer(ctx, a)
	switch {
	case err != nil:
		return fmt.Errorf("answer run %s: %w", run, err)
	case counts.By != a.By || !counts.At.Equal(a.At):
		return fmt.Errorf("answer run %s: %w: %s, by %s", run, ErrAnswered, counts.Behavior, counts.By)
	}
	l.settled(ctx, run, func(*Status) bool { return !l.asks(run, a.Request) }) // what is given stays given
	return nil
}

// fits holds an answer to what was asked.
func fits(r *Request, a *Answer) error {
	n := len(r.Ask.Questions)
	switch {
	case a.Behavior != Allow && a.Behavior != Deny:
		return fmt.Errorf("%q is no answer", a.Behavior)
	case a.Behavior == Deny:
		return nil
	case n == 0 && len(a.Answers) > 0:
		return errors.New("it asks for a permission, not a question: allow or deny it")
	case n > 0 && len(a.Answers) == 0:
		return errors.New("it asks a question: reply to it, or deny it")
	case n > 0 && len(a.Answers) != n:
		return fmt.Errorf("it asks %d questions and got %d answers", n, len(a.Answers))
	case n > 0 && slices.ContainsFunc(a.Answers, func(s string) bool { return strings.TrimSpace(s) == "" }):
		return errors.New("an answer is empty")
	}
	return nil
}

// asks says whether the agent still waits for an answer, given or not.
func (l *Launcher) asks(run, request string) bool {
	r, err := l.reading(run)
	if err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.tail.asks.Open(), func(q Request) bool { return q.ID == request })
}

// settled waits until something is true of a run, and answers whether that came
// true: a run may be over before, and an agent may take too long. That is no
// error: what was sent stays sent.
func (l *Launcher) settled(ctx context.Context, run string, done func(*Status) bool) bool {
	ctx, cancel := context.WithTimeout(ctx, l.took)
	defer cancel()
	was := false
	_ = l.Watch(ctx, run, func(st Status) {
		if done(&st) {
			was = true
			cancel()
		}
	})
	return was
}

// Rule finds what a person allowed for the whole run: the same call.
func Rule(given []Answer, r *Request) (Answer, bool) {
	if len(r.Ask.Questions) > 0 || len(r.Ask.Input) >= StringLimit {
		return Answer{}, false // of a long input not all is known
	}
	for _, g := range given {
		if g.Always && g.Behavior == Allow && g.Tool == r.Tool && sameInput(g.Input, r.Ask.Input) {
			return Answer{Request: r.ID, By: ByRule, Behavior: Allow}, true
		}
	}
	return Answer{}, false
}

func sameInput(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, perr := json.Marshal(x)
	q, qerr := json.Marshal(y)
	return perr == nil && qerr == nil && bytes.Equal(p, q)
}

// Decide is a policy's own answer to a request at a time; false while a person
// may still answer.
func (p Policy) Decide(r *Request, now time.Time) (Answer, bool) {
	a := Answer{Request: r.ID, By: ByPolicy}
	switch Behavior(p.Ask) {
	case Allow:
		a.Behavior = Allow
	case AskOwner:
		until, what := p.until(r.At)
		if until.IsZero() || now.Before(until) {
			return Answer{}, false
		}
		a.By, a.Behavior = ByTime, what
	default:
		a.Behavior = Deny
	}
	return unasked(r, a, p.Wait), true
}

// Unasked completes an answer that no person gives: a question cannot be
// answered by a rule, and a denial says how the worker gets on.
func Unasked(r *Request, a Answer) Answer { return unasked(r, a, 0) }

func unasked(r *Request, a Answer, wait time.Duration) Answer {
	if len(r.Ask.Questions) > 0 {
		a.Behavior = Deny
		a.Message = "Nobody is here to answer. Decide by yourself where you can; where you cannot, put the question on the board " +
			"(a comment, then the state question) and end with your report."
		return a
	}
	if a.Behavior != Deny {
		return a
	}
	switch a.By {
	case ByTime:
		a.Message = fmt.Sprintf("Nobody answered within %s. Go on without it, or put a question on the board and end with your report.", wait)
	case ByNobody:
		a.Message = "Nobody is here to allow it. Go on without it, or put a question on the board and end with your report."
	default:
		a.Message = "This worker may not do that, and nobody is asked. Go on without it, or put a question on the board."
	}
	return a
}

// said is what has been said to a run, as far as its files were read.
type said struct {
	messages   []sent
	answers    []Answer
	sent, gave int64 // sizes of the files then
}

// read reads on and says whether there was anything new.
func (s *said) read(f Folder) bool {
	changed := false
	if n := sizeOf(f.messagesPath()); n != s.sent {
		if all, err := f.sent(); err == nil {
			s.messages, s.sent, changed = all, n, true
		}
	}
	if n := sizeOf(f.answersPath()); n != s.gave {
		if all, err := f.Answers(); err == nil {
			s.answers, s.gave, changed = all, n, true
		}
	}
	return changed
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// requests are the asks that nobody has answered.
func (r *reading) requests() []Request {
	var out []Request
	for _, q := range r.tail.asks.Open() {
		if slices.ContainsFunc(r.said.answers, func(a Answer) bool { return a.Request == q.ID }) {
			continue
		}
		if _, now := r.policy.Decide(&q, q.At); now {
			continue // the supervisor is about to answer
		}
		if _, known := Rule(r.said.answers, &q); known {
			continue
		}
		q.Until, q.Default = r.policy.until(q.At)
		out = append(out, q)
	}
	return out
}
