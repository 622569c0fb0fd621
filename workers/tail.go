package workers

import (
	"fmt"
	"strings"
	"time"
)

// lineText is how much of one line's text is kept for the screen, in bytes.
const lineText = 8 << 10

// maxOpen is how many tool calls are followed at once; of more the oldest are
// let go, so that no stream makes memory grow.
const maxOpen = 256

// Tail turns a run's events into what a person reads of it: the newest lines,
// what it does now, and what it has cost. It is a value machine without clock
// or I/O; the zero value is ready.
type Tail struct {
	missing Missing
	Usage   Usage

	ring    []Line
	page    *page          // takes the lines in the ring's place, where it is set
	total   int            // lines there have been in all
	open    map[string]int // tool calls that run, by id: the number of their line
	order   []string       // ids of open, oldest first
	clock   time.Time      // the newest time that any line carried
	note    string         // what it does while no tool runs
	context int64          // tokens of the conversation
	tasks   int            // that run in the background
	waits   bool           // the last turn was interrupted, and no other has begun
	asks    Asks
	// receipts tell which messages the agent has read.
	receipts receipts
}

// Add takes one event. now stands in for lines that carry no time.
func (t *Tail) Add(e *Event, now time.Time) {
	at := e.At
	switch {
	case !at.IsZero():
		t.clock = at
	case !t.clock.IsZero():
		at = t.clock
	default:
		at = now
	}
	t.follow(e)
	t.asks.Add(e, at)
	t.receipts.add(e, at)
	switch e.Kind {
	case EventRaw:
		t.push(Line{At: at, Kind: LineNotice, Text: e.Text})
	case EventTurn:
		t.note = "waits for the model"
	case EventText:
		t.push(Line{At: at, Kind: LineText, Sub: e.Sub, Text: e.Text})
		t.note = "says: " + FirstLine(e.Text)
	case EventThinking:
		if strings.TrimSpace(e.Text) != "" {
			t.push(Line{At: at, Kind: LineThinking, Sub: e.Sub, Text: e.Text})
		}
		t.note = "thinks"
	case EventTool, EventToolEnd, EventDenied:
		t.addTool(e, at)
	case EventUser:
		t.push(Line{At: at, Kind: LineUser, Text: e.Text})
		t.note = "waits for the model"
	case EventNotice, EventLimit, EventCompact:
		if e.Failed && !t.missing.Add(e.Text) {
			break // said at every turn
		}
		t.push(Line{At: at, Kind: LineNotice, Text: e.Text})
		t.note = e.Text
	case EventError:
		t.push(Line{At: at, Kind: LineError, Text: e.Text})
		t.note = e.Text
	case EventResult:
		t.addResult(e.Result, at)
	case EventUsage:
		t.context = e.Tokens
		t.Usage.Ask(e.ID, e.Tokens)
	case EventMessage, EventAnswer, EventTasks, EventTaskEnd, EventAsk, EventAskEnd, EventSub:
	}
}

// follow keeps what runs besides the tool calls.
func (t *Tail) follow(e *Event) {
	switch e.Kind {
	case EventTasks:
		t.tasks = len(e.IDs)
	case EventResult:
		t.waits = e.Result.Interrupted()
	case EventTurn, EventText, EventThinking, EventTool, EventUser:
		t.waits = t.waits && e.Sub
	case EventRaw, EventToolEnd, EventDenied, EventMessage, EventAnswer, EventTaskEnd, EventNotice, EventError, EventLimit,
		EventAsk, EventAskEnd, EventUsage, EventSub, EventCompact:
	}
}

func (t *Tail) addTool(e *Event, at time.Time) {
	switch e.Kind {
	case EventTool:
		if t.open == nil {
			t.open = map[string]int{}
		}
		if len(t.order) == maxOpen {
			t.close(t.order[0])
		}
		t.push(Line{At: at, Kind: LineTool, Sub: e.Sub, Tool: Clean(e.Tool, 100), Text: e.Text})
		t.open[e.ID] = t.total - 1
		t.order = append(t.order, e.ID)
	case EventDenied:
		if _, begun := t.open[e.ID]; begun {
			if l := t.line(e.ID); l != nil {
				l.Kind, l.Done, l.Failed = LineDenied, true, true
			}
			break
		}
		t.push(Line{At: at, Kind: LineDenied, Sub: e.Sub, Tool: Clean(e.Tool, 100), Text: e.Text, Done: true, Failed: true})
	default:
		if l := t.line(e.ID); l != nil {
			l.Done = true
			l.Failed = l.Failed || e.Failed
			l.Took = max(0, at.Sub(l.At))
		}
		t.close(e.ID)
		t.note = "waits for the model"
	}
}

func (t *Tail) addResult(r *Result, at time.Time) {
	before := t.Usage.CostUSD()
	t.Usage.Add(r)
	// Whatever still looks open was cut off with its turn.
	for _, id := range t.order {
		if l := t.line(id); l != nil {
			l.Done, l.Failed = true, true
			l.Took = max(0, at.Sub(l.At))
		}
	}
	clear(t.open)
	t.order = t.order[:0]
	line := Line{At: at, Kind: LineResult, Done: true, Failed: r.IsError}
	cost := fmt.Sprintf("$%.4f", t.Usage.CostUSD()-before)
	switch {
	case r.Interrupted():
		line.Text = "interrupted · " + cost
		t.note = "interrupted, waits for a message"
	case r.IsError:
		line.Text = r.Reason() + " · " + cost
		t.note = "turn ended: " + r.Reason()
	default:
		line.Text = "turn ended · " + cost
		t.note = "turn ended"
	}
	t.push(line)
}

// Interrupted says whether the turn was ended by an interrupt: the agent lives
// on and takes the next message.
func (r *Result) Interrupted() bool { return strings.HasPrefix(r.Terminal, "aborted") }

// Reason says in words why a result is an error; empty if it is none.
func (r *Result) Reason() string {
	if !r.IsError {
		return ""
	}
	text := r.Text
	if text == "" {
		text = strings.Join(r.Errors, "; ")
	}
	if r.Interrupted() {
		return "interrupted"
	}
	for _, s := range []string{text, r.Terminal, r.Subtype, "error"} {
		if s = strings.TrimSpace(Clean(s, 1000)); s != "" && s != "success" {
			return s
		}
	}
	return "error"
}

func (t *Tail) push(l Line) {
	if t.page != nil {
		t.page.take(t.total, l)
		t.total++
		return
	}
	l = cleanLine(l)
	if len(t.ring) < TailLines {
		t.ring = append(t.ring, l)
	} else {
		t.ring[t.total%TailLines] = l
	}
	t.total++
}

// cleanLine is a line as it may be shown.
func cleanLine(l Line) Line {
	l.Text = strings.TrimRight(Clean(l.Text, lineText), "\n ")
	return l
}

// line is the line of an open tool call; nil if there is none or it has left
// the window.
func (t *Tail) line(id string) *Line {
	n, ok := t.open[id]
	if !ok {
		return nil
	}
	if t.page != nil {
		return t.page.line(n)
	}
	if n < t.total-len(t.ring) {
		return nil
	}
	return &t.ring[n%TailLines]
}

func (t *Tail) close(id string) {
	delete(t.open, id)
	for i, o := range t.order {
		if o == id {
			t.order = append(t.order[:i], t.order[i+1:]...)
			return
		}
	}
}

// Lines are the newest lines, oldest first, in a slice of their own.
func (t *Tail) Lines() []Line {
	out := make([]Line, 0, len(t.ring))
	at := 0
	if len(t.ring) == TailLines {
		at = t.total % TailLines
	}
	out = append(out, t.ring[at:]...)
	return append(out, t.ring[:at]...)
}

// Total is how many lines there have been.
func (t *Tail) Total() int { return t.total }

// Activity is what the run does now, in one line.
func (t *Tail) Activity() string {
	if open := t.asks.Open(); len(open) > 0 {
		r := &open[0]
		return clip("asks: " + strings.TrimSpace(Clean(r.Tool, 100)+" "+FirstLine(Clean(r.Text, 400))))
	}
	if n := len(t.order); n > 0 {
		if l := t.line(t.order[n-1]); l != nil {
			return clip(strings.TrimSpace(l.Tool + " " + FirstLine(l.Text)))
		}
	}
	return clip(Clean(t.note, 400))
}

func clip(s string) string {
	const most = 200
	s = FirstLine(s)
	if len(s) > most {
		return Clean(s, most)
	}
	return s
}

// fill puts what the tail knows into a status.
func (t *Tail) fill(s *Status) {
	s.Turns = t.Usage.Turns()
	s.CostUSD = t.Usage.CostUSD()
	s.Tokens = t.Usage.Tokens()
	s.Unbilled = t.Usage.Unbilled()
	s.Context = t.context
	s.Tail = t.Lines()
	s.Lines = t.total
	s.Activity = t.Activity()
	s.Busy, s.Waiting = len(t.order) > 0 || t.tasks > 0, t.waits
}
