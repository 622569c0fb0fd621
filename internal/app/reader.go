package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/control"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui"
	"github.com/backside4charter/dispatcher/workers"
)

// Bounds of what is read on demand.
const (
	maxHistory = 300 // entries of one issue, the newest
	kept       = 4   // transcripts whose index is kept
)

// reader answers on demand what is in no snapshot. It is asked by several
// rooms at once, beside the loop, and never through it.
type reader struct {
	f          *Factory
	milestones []string
	loop       *loop.Engine
	costs      loop.Ledger

	mu          sync.Mutex
	launcher    *workers.Launcher
	transcripts map[string]*workers.Transcript
	recent      []string // of transcripts, the newest last
	histories   map[board.Ref][]state.Entry
	eventsAt    int64 // how far the board's events are in histories
}

var (
	_ tui.Reader     = (*reader)(nil)
	_ control.Reader = (*reader)(nil)
)

func newReader(f *Factory, s *session, e *loop.Engine) *reader {
	return &reader{
		f: f, milestones: s.options.Milestones, loop: e, costs: s.deps.Ledger, transcripts: map[string]*workers.Transcript{},
		histories: map[board.Ref][]state.Entry{},
	}
}

// Detail is one issue in full.
func (r *reader) Detail(ctx context.Context, ref board.Ref) (state.Detail, error) {
	p, err := r.f.Board(ctx)
	if err != nil {
		return state.Detail{}, err
	}
	if ref, err = p.ParseRef(string(ref)); err != nil {
		return state.Detail{}, err
	}
	issue, answers, err := r.f.Why(ctx, ref)
	if err != nil {
		return state.Detail{}, err
	}
	d := state.Detail{Issue: issue}
	for _, a := range answers {
		d.Rules = append(d.Rules, state.Rule{Ask: a.Ask, Says: a.Says, Held: a.Held, Source: a.Source})
	}
	snap := r.loop.Snapshot()
	if row, ok := rowOf(snap, ref); ok && row.Hold == plan.HoldTouched && len(d.Rules) > 0 {
		last := &d.Rules[len(d.Rules)-1]
		last.Says, last.Held = row.Waits, true // of the owner's hand only the loop knows
	}
	d.History, d.Resume, err = r.history(ctx, ref, snap)
	return d, err
}

func rowOf(s *state.Snapshot, ref board.Ref) (state.Row, bool) {
	if s == nil {
		return state.Row{}, false
	}
	at := slices.IndexFunc(s.Rows, func(r state.Row) bool { return r.Issue.Ref == ref })
	if at < 0 {
		return state.Row{}, false
	}
	return s.Rows[at], true
}

// Transcript is a window of a run's stream, or where it holds a text; tui.Reader
// says how the two are asked.
func (r *reader) Transcript(ctx context.Context, run string, from, n int, find string) (state.Transcript, error) {
	t, err := r.transcript(ctx, run)
	if err != nil {
		return state.Transcript{}, err
	}
	out := state.Transcript{Run: run}
	if find != "" {
		out.Next, err = t.Find(ctx, find, max(from, 0), n < 0)
		return out, err
	}
	lines, first, err := t.Lines(ctx, from, n)
	if err != nil {
		return out, err
	}
	out.From, out.Lines = first, make([]state.Line, 0, len(lines))
	for i := range lines {
		out.Lines = append(out.Lines, shownLine(&lines[i]))
	}
	out.Total, err = t.Total(ctx)
	return out, err
}

// transcript opens one, and keeps its index for the next window.
func (r *reader) transcript(ctx context.Context, run string) (*workers.Transcript, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.transcripts[run]; ok {
		return t, nil
	}
	if r.launcher == nil {
		l, err := r.f.Runs(ctx)
		if err != nil {
			return nil, err
		}
		r.launcher = l
	}
	t, err := r.launcher.OpenTranscript(run)
	if err != nil {
		return nil, err
	}
	r.transcripts[run] = t
	if r.recent = append(r.recent, run); len(r.recent) > kept {
		delete(r.transcripts, r.recent[0])
		r.recent = slices.Clone(r.recent[1:])
	}
	return t, nil
}

// Preview is what the next firing would do.
func (r *reader) Preview(ctx context.Context) (state.Preview, error) {
	rows, err := r.f.DryRun(ctx, r.milestones)
	if err != nil {
		return state.Preview{}, err
	}
	snap := r.loop.Snapshot()
	out := state.Preview{At: r.f.Now()}
	for _, n := range rows {
		l := state.PreviewLine{Ref: n.Ref, Does: n.does(), Waits: n.Waits}
		if row, ok := rowOf(snap, n.Ref); ok && row.Hold == plan.HoldTouched {
			l.Does, l.Waits = "", row.Waits
		}
		out.Lines = append(out.Lines, l)
	}
	return out, nil
}

// does is what would be done with a row, in words.
func (n *NextRow) does() string {
	var out []string
	if n.Update != "" {
		out = append(out, "bring "+n.Update+" up to date")
	}
	switch {
	case n.Start != "":
		out = append(out, fmt.Sprintf("start a %s (%s)", n.Start, n.Queue))
	case n.Done:
		out = append(out, "set it to Done: its pull request is merged")
	}
	return strings.Join(out, ", then ")
}

// Money is what runs have cost.
func (r *reader) Money(context.Context) (state.Money, error) {
	costs, err := r.costs.Costs()
	if err != nil {
		return state.Money{}, err
	}
	var m state.Money
	day, issue, kind := map[string]*state.MoneyLine{}, map[string]*state.MoneyLine{}, map[string]*state.MoneyLine{}
	for _, c := range costs {
		for name, sums := range map[string]map[string]*state.MoneyLine{
			c.At.UTC().Format(time.DateOnly): day, string(c.Ref): issue, string(c.Kind): kind,
		} {
			if sums[name] == nil {
				sums[name] = &state.MoneyLine{Name: name}
			}
			l := sums[name]
			l.USD, l.Tokens, l.Runs = l.USD+c.USD, l.Tokens+c.Tokens, l.Runs+1
		}
		if c.USD == 0 {
			m.Unpriced += c.Tokens
		}
	}
	byName := func(a, b state.MoneyLine) int { return strings.Compare(b.Name, a.Name) }
	byCost := func(a, b state.MoneyLine) int {
		return cmp.Or(cmp.Compare(b.USD, a.USD), strings.Compare(a.Name, b.Name))
	}
	m.ByDay, m.ByIssue, m.ByKind = sorted(day, byName), sorted(issue, byCost), sorted(kind, byCost)
	if l := day[r.f.Now().UTC().Format(time.DateOnly)]; l != nil {
		m.Today = l.USD
	}
	if s := r.loop.Snapshot(); s != nil {
		m.Today, m.Cap = max(m.Today, s.CostToday), s.CostCap // with what runs now
	}
	return m, nil
}

func sorted(sums map[string]*state.MoneyLine, by func(a, b state.MoneyLine) int) []state.MoneyLine {
	out := make([]state.MoneyLine, 0, len(sums))
	for _, l := range sums {
		out = append(out, *l)
	}
	slices.SortFunc(out, by)
	return out
}
