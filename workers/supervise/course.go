package supervise

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// wait says what a run still waits for.
type wait uint8

const (
	waitNothing  wait = iota // it is over
	waitStart                // no turn has begun
	waitTurn                 // a turn runs
	waitMessages             // a message that was sent has not been answered
	waitTasks                // tasks run in the background; more turns may follow
	waitFollowUp             // a task has ended, and the turn that tells of it has not begun
	waitOwner                // it was interrupted, and nobody has said how to go on
)

// course follows a run through its events. It is a value machine without
// clock or I/O.
//
// A result is not the end (claude/README.md, sections 5 to 7): tasks in the
// background end later and get turns of their own, messages may be queued, and
// an interrupted turn is followed by the message that waits. The last result
// is how the run ended.
type course struct {
	first   string // id of the message the run starts with
	began   bool   // a turn has begun
	idle    bool   // the last turn has ended and no other has begun
	tasks   int    // in the background
	hadTask bool   // one ran in the background at some time
	follow  bool   // a turn follows that nobody asked for
	queued  int    // turns that the last result said are waiting
	last    *workers.Result
	usage   workers.Usage
	missing workers.Missing
	refused *workers.Event // the limit that the account met last, while nothing shows that work went on over it
	raw     string         // the last output that was not the protocol's, if nothing came after it
	owner   bool           // the turn that ended was interrupted by the owner
	said    messages
}

func newCourse(first string, prior float64) *course {
	return &course{first: first, usage: workers.Usage{Prior: prior}}
}

// add takes the next event.
func (c *course) add(e *workers.Event) {
	if e.Kind != workers.EventRaw {
		c.raw = "" // not its last words
	}
	switch e.Kind {
	case workers.EventTurn:
		c.began, c.owner = true, false
		c.busy()
	case workers.EventText, workers.EventThinking, workers.EventTool:
		if !e.Sub { // a subagent in the background is no turn
			c.busy()
			c.refused = nil // the model goes on answering
		}
	case workers.EventUser:
		if e.ID != "" {
			c.said.advance(e.ID, messageStarted)
		}
	case workers.EventMessage:
		c.message(e)
	case workers.EventAnswer:
		c.owner = c.owner || strings.HasPrefix(e.ID, workers.OwnerInterrupt)
		for _, id := range e.IDs {
			c.said.advance(id, messageQueued)
		}
	case workers.EventTasks:
		c.tasks = len(e.IDs)
		c.hadTask = c.hadTask || c.tasks > 0
	case workers.EventTaskEnd:
		c.follow = c.idle && !e.Failed
	case workers.EventLimit:
		met := *e
		c.refused = &met
	case workers.EventRaw:
		if s := strings.TrimSpace(e.Text); s != "" {
			c.raw = s
		}
	case workers.EventResult:
		c.result(e.Result)
	case workers.EventNotice:
		if e.Failed {
			c.missing.Add(e.Text)
		}
	case workers.EventToolEnd, workers.EventDenied, workers.EventError, workers.EventAsk, workers.EventAskEnd,
		workers.EventSub, workers.EventCompact:
	case workers.EventUsage:
		c.usage.Ask(e.ID, e.Tokens)
	}
}

func (c *course) busy() { c.idle, c.follow, c.queued = false, false, 0 }

func (c *course) message(e *workers.Event) {
	switch e.State {
	case workers.MessageQueued:
		c.said.advance(e.ID, messageQueued)
	case workers.MessageStarted:
		c.said.advance(e.ID, messageStarted)
	case workers.MessageCompleted, workers.MessageCancelled:
		c.said.advance(e.ID, messageDone)
	}
}

func (c *course) result(r *workers.Result) {
	c.last = r
	c.usage.Add(r)
	c.idle, c.queued = true, r.Queued
	c.said.advance(c.first, messageDone)
	for _, id := range r.Messages {
		c.said.advance(id, messageDone)
	}
	c.said.turnEnded()
	if !r.IsError {
		c.refused = nil
	}
}

// limited says whether the account's usage limit is why the run ended, or where
// it stood when it was ended: the last result says so, or the account refused
// the last request and nothing shows that the work went on. An event counts
// whatever the words of the error are that follows it (failures.md, 8).
func (c *course) limited() bool {
	return c.last != nil && c.last.Limited || c.refused != nil
}

// limitUntil is when the limit resets; zero if nobody said so. The event is
// more exact than the words of the result.
func (c *course) limitUntil() time.Time {
	if c.refused != nil && !c.refused.Until.IsZero() || c.last == nil {
		return c.refused.Until
	}
	return c.last.LimitUntil
}

// waits says what the run waits for. sent are the ids of all messages that
// were sent into it after the first.
func (c *course) waits(sent []string) wait {
	switch {
	case !c.idle && !c.began:
		return waitStart
	case !c.idle:
		return waitTurn
	}
	switch {
	case c.said.unanswered(sent), c.queued > 0:
		return waitMessages
	case c.last.Interrupted():
		return waitOwner
	case c.tasks > 0:
		return waitTasks
	case c.follow:
		return waitFollowUp
	}
	return waitNothing
}
