package workers

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// indexVersion is the version of transcript.index. An index of another one is
// not read: it is derived from the transcript, which then is.
const indexVersion = 1

// markEvery is how many bytes of a transcript lie between two marks, at least.
const markEvery = 1 << 20

// mark is a place between two lines of a transcript, with all that a reader who
// begins there must know of what stands before.
type mark struct {
	At    int64     `json:"at"`             // offset in the file
	Line  int       `json:"line"`           // lines before it, as a person counts
	Clock time.Time `json:"clock,omitzero"` // the newest time
	Usage usageMark `json:"usage"`
	Open  []opened  `json:"open,omitempty"` // tool calls that run, oldest first
}

type opened struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
}

type usageMark struct {
	Prior      float64 `json:"prior,omitempty"`
	Seen       bool    `json:"seen,omitempty"`
	BaseCost   float64 `json:"baseCost,omitempty"`
	BaseTokens int64   `json:"baseTokens,omitempty"`
	Cost       float64 `json:"cost,omitempty"`
	Tokens     int64   `json:"tokens,omitempty"`
	Turns      int     `json:"turns,omitempty"`
	Asked      int64   `json:"asked,omitempty"`
	Answer     string  `json:"answer,omitempty"`
}

type indexHead struct {
	Version int `json:"version"`
}

// mark is the state of the tail for a place in the file.
func (t *Tail) mark(at int64) mark {
	u := t.Usage
	m := mark{At: at, Line: t.total, Clock: t.clock, Usage: usageMark{u.Prior, u.seen, u.baseCost, u.baseTokens, u.cost, u.tokens, u.turns, u.asked, u.answer}}
	for _, id := range t.order {
		m.Open = append(m.Open, opened{id, t.open[id]})
	}
	return m
}

// tailAt is a tail that goes on where a mark stands and gives its lines to p.
func tailAt(m mark, p *page) Tail {
	u := m.Usage
	t := Tail{
		Usage: Usage{Prior: u.Prior, seen: u.Seen, baseCost: u.BaseCost, baseTokens: u.BaseTokens, cost: u.Cost, tokens: u.Tokens, turns: u.Turns, asked: u.Asked, answer: u.Answer},
		page:  p, total: m.Line, clock: m.Clock, open: map[string]int{},
	}
	for _, o := range m.Open {
		t.open[o.ID] = o.Line
		t.order = append(t.order, o.ID)
	}
	return t
}

// Indexer writes the marks of one transcript while it grows. There is one per
// run: its supervisor's. What it cannot write is no loss but the time of a
// reader.
type Indexer struct {
	path    string
	tail    Tail
	last    int64
	started time.Time
	begun   bool
	broken  bool
}

// NewIndexer indexes the run's transcript from its begin.
func (f Folder) NewIndexer(prior float64, started time.Time) *Indexer {
	return &Indexer{path: f.IndexPath(), tail: Tail{Usage: Usage{Prior: prior}, page: &page{}}, started: started}
}

// Line takes what one line of output says, and where the line ends in the file.
func (x *Indexer) Line(events []Event, end int64) {
	for i := range events {
		x.tail.Add(&events[i], x.started)
	}
	if x.broken || end-x.last < markEvery {
		return
	}
	x.last = end
	x.broken = x.write(x.tail.mark(end)) != nil
}

func (x *Indexer) write(m mark) error {
	file, err := os.OpenFile(x.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	enc := json.NewEncoder(file)
	if !x.begun {
		x.begun = true
		if err := enc.Encode(indexHead{indexVersion}); err != nil {
			return err
		}
	}
	return enc.Encode(m)
}

// readIndex reads the marks that hold for a transcript of size bytes. It stops
// at the first that cannot be: the transcript itself tells the rest.
func readIndex(path string, size int64) ([]mark, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index of a transcript: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, LineLimit)
	var head indexHead
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version != indexVersion {
		return nil, nil
	}
	var marks []mark
	last := mark{}
	for lines.Scan() {
		var m mark
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.At <= last.At || m.Line < last.Line || m.At > size {
			break
		}
		marks = append(marks, m)
		last = m
	}
	return marks, nil
}
