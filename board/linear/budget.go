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
	keepShare = 10               // polls leave one in so many requests and points to others
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
	Reset    time.Time `json:"reset"` // when all requests are back

	Points      int       `json:"points"` // -1 where Linear did not say
	PointsLimit int       `json:"pointsLimit,omitzero"`
	PointsReset time.Time `json:"pointsReset,omitzero"`

	At    time.Time `json:"at"`             // when it was said
	Until time.Time `json:"until,omitzero"` // nothing is asked before
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
	if back := latest(l.Reset, l.PointsReset); !back.IsZero() {
		text += "; all of it is back at " + back.UTC().Format(clock)
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
	if why != toPoll || b.left.At.IsZero() {
		return nil
	}
	requests, points := b.left.levels()
	until := latest(requests.refilled(b.left.At), points.refilled(b.left.At))
	if !until.After(now) {
		return nil
	}
	err := &LimitError{Until: until, Left: max(1, b.left.Requests)}
	if points.low() && !requests.low() {
		err.Points = max(1, b.left.Points)
	}
	return err
}

// level is what is left of one of the hour's limits.
type level struct {
	left, limit int // left is -1 where Linear does not say
	reset       time.Time
}

func (l Left) levels() (requests, points level) {
	return level{l.Requests, l.Limit, l.Reset}, level{l.Points, l.PointsLimit, l.PointsReset}
}

// low says whether no more is left than what is kept for others.
func (l level) low() bool { return l.left == 0 || l.left > 0 && l.left < l.limit/keepShare }

// refilled is when more than that is left, of a level as it was then: it
// refills at a constant rate, the whole of it in an hour, and is full at its
// reset. Zero where there is no need to wait.
func (l level) refilled(then time.Time) time.Time {
	if !l.low() || l.limit == 0 || !l.reset.After(then) {
		return time.Time{}
	}
	missing := float64(l.limit/keepShare-l.left) / float64(l.limit)
	at := then.Add(time.Duration(missing * float64(time.Hour)))
	if at.After(l.reset) {
		return l.reset
	}
	return at
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
	r, p := m.left.requests, m.left.points
	b.left.Requests, b.left.Limit, b.left.Reset, b.left.At = r.left, r.limit, r.reset, now
	b.left.Points, b.left.PointsLimit, b.left.PointsReset = p.left, p.limit, p.reset
	if now.Sub(b.noted) >= noteEvery {
		b.tell(now)
	}
}

// refused stops everything until the limit is over: at the latest reset of what
// is used up, after Retry-After, and never at once again. A level counts as used
// up when it is low: what was refused may cost more than is left.
func (b *budget) refused(m *meta) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	until := now.Add(min(longWait, firstWait<<min(b.refusal, 6)))
	b.refusal++
	for _, l := range []level{m.left.requests, m.left.points, m.left.endpoint} {
		if l.left == 0 || l == m.left.points && l.low() {
			until = latest(until, l.reset)
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
