package linear

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// The budget's rules.
const (
	keepShare = 10               // polls leave one in so many requests to others
	firstWait = time.Minute      // after a refusal that says no time
	longWait  = time.Hour        // however often it is refused
	noteEvery = 30 * time.Second // how often what is left is written down
)

// limitFile tells the other processes of this checkout what is left: all keys
// of one user share the hour.
const limitFile = "linear-limit.json"

// Left is what is left of the hour, as Linear last said.
type Left struct {
	Requests int       `json:"requests"`
	Limit    int       `json:"limit"`
	Points   int       `json:"points"`
	Reset    time.Time `json:"reset"`
	At       time.Time `json:"at"`             // when it was said
	Until    time.Time `json:"until,omitzero"` // nothing is asked before
}

// Text says to a person what is left, as far as it is known: a proxy may keep back what Linear says.
func (l Left) Text(now time.Time) string {
	const clock = "15:04:05Z"
	if l.Until.After(now) {
		return fmt.Sprintf("nothing is asked before %s: Linear's hourly limit was reached", l.Until.UTC().Format(clock))
	}
	if l.At.IsZero() {
		return "Linear did not say what is left of this hour"
	}
	text := fmt.Sprintf("%d of %d requests are left of this hour", l.Requests, l.Limit)
	if l.Points >= 0 {
		text += fmt.Sprintf(", %d points", l.Points)
	}
	if !l.Reset.IsZero() {
		text += "; all of it is back at " + l.Reset.UTC().Format(clock)
	}
	return text
}

// budget keeps the process to the hour's limit.
type budget struct {
	now    func() time.Time
	folder string // empty: nothing is shared

	mu      sync.Mutex
	left    Left
	refusal int // in a row
	noted   time.Time
	read    time.Time // the file's time when it was last read
	clock   time.Time // of the server, at its last answer
}

func newBudget(now func() time.Time, folder string) *budget {
	return &budget{now: now, folder: folder}
}

// may says whether a request may be sent now.
func (b *budget) may(why purpose) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.share()
	now := b.now()
	if b.left.Until.After(now) {
		return &LimitError{Until: b.left.Until}
	}
	keep := b.left.Limit / keepShare
	if why == toPoll && !b.left.At.IsZero() && b.left.Requests < keep && b.left.Reset.After(now) {
		if until := b.refilled(keep); until.After(now) {
			return &LimitError{Until: until, Left: max(1, b.left.Requests)}
		}
	}
	return nil
}

// refilled is when so many requests will be left: the bucket refills at a
// constant rate, the whole of it in an hour.
func (b *budget) refilled(want int) time.Time {
	missing := float64(want-b.left.Requests) / float64(max(1, b.left.Limit))
	return b.left.At.Add(time.Duration(missing * float64(time.Hour)))
}

// note takes over what an answer says is left.
func (b *budget) note(m *meta) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(m.errors) == 0 && m.status == 200 {
		b.refusal = 0
	}
	if !m.date.IsZero() {
		b.clock = m.date
	}
	if !m.left.known {
		return
	}
	now := b.now()
	b.left.Requests, b.left.Limit, b.left.Reset, b.left.At = m.left.requests, m.left.limit, m.left.requestsReset, now
	b.left.Points = m.left.points
	if now.Sub(b.noted) >= noteEvery {
		b.tell(now)
	}
}

// refused stops everything until the limit is over: at the reset of what is
// used up, after Retry-After, and never at once again.
func (b *budget) refused(m *meta) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	until := now.Add(min(longWait, firstWait<<min(b.refusal, 6)))
	b.refusal++
	for _, r := range []struct {
		left  int
		reset time.Time
	}{{m.left.requests, m.left.requestsReset}, {m.left.points, m.left.pointsReset}, {m.left.endpoint, m.left.endpointReset}} {
		if r.left == 0 && r.reset.After(until) {
			until = r.reset
		}
	}
	if m.retry > 0 && now.Add(m.retry).After(until) {
		until = now.Add(m.retry)
	}
	if until.After(now.Add(longWait)) {
		until = now.Add(longWait)
	}
	b.left.Until = until
	if b.folder != "" {
		_ = os.MkdirAll(b.folder, 0o700) // the others must hear of this
	}
	b.tell(now)
	return until
}

// tell writes down what is left for the other processes. A file that cannot be
// written costs them a request each.
func (b *budget) tell(now time.Time) {
	b.noted = now
	if b.folder == "" {
		return
	}
	data, err := json.Marshal(b.left)
	if err != nil {
		return
	}
	if _, err := os.Stat(b.folder); err == nil {
		_ = statefile.ReplaceUnsynced(filepath.Join(b.folder, limitFile), data, 0o600)
	}
}

// share takes over what another process was told.
func (b *budget) share() {
	if b.folder == "" {
		return
	}
	path := filepath.Join(b.folder, limitFile)
	info, err := os.Stat(path)
	if err != nil || info.ModTime().Equal(b.read) {
		return
	}
	b.read = info.ModTime()
	data, err := os.ReadFile(path)
	var said Left
	if err != nil || json.Unmarshal(data, &said) != nil {
		return
	}
	if said.Until.After(b.left.Until) && said.Until.Before(b.now().Add(2*longWait)) {
		b.left.Until = said.Until
	}
	if said.At.After(b.left.At) {
		until := b.left.Until
		b.left = said
		b.left.Until = until
	}
}

// serverTime is what the server's clock showed at its last answer; zero where
// it never said.
func (b *budget) serverTime() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clock
}

// current tells what is left.
func (b *budget) current() Left {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.share()
	return b.left
}
