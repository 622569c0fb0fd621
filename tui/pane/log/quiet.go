package log

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/tui/widget"
)

// run is a row of firings that did nothing. On a loop that polls often they
// would bury what did happen, so they stand on one line until it is unfolded.
type run struct {
	first, last, of int // numbers of its ends, and how many it has; 0 for no run
	folded          bool
	until           time.Time
}

// didNothing says whether a firing decided nothing and went well.
func (m *Model) didNothing(g group) bool {
	if len(g.entries) > 0 {
		return false
	}
	f := m.info(g.firing)
	return f != nil && !f.Bad
}

// still adds the lines of a row of firings that did nothing.
func (m *Model) still(groups []group) {
	if m.find != "" || len(groups) == 0 {
		return // nothing of them is looked for
	}
	if len(groups) == 1 {
		m.lines = append(m.lines, line{item: item{firing: groups[0].firing}, at: -1})
		return
	}
	r := run{first: groups[0].firing, last: groups[len(groups)-1].firing, of: len(groups), folded: true, until: groups[len(groups)-1].at}
	for _, g := range groups {
		r.folded = r.folded && !m.folds[g.firing]
	}
	for _, g := range groups {
		m.lines = append(m.lines, line{item: item{firing: g.firing}, at: -1, run: r})
		if r.folded {
			return
		}
	}
}

// foldRun unfolds a row of firings, or folds it again.
func (m *Model) foldRun(l *line) {
	r := l.run
	for n := r.first; n <= r.last; n++ {
		delete(m.folds, n)
	}
	m.folds[r.first] = r.folded
	m.follow, m.sel = false, item{firing: r.first}
	m.lay()
}

// says is what stands on the line of a folded row.
func (r *run) says() string {
	return fmt.Sprintf("firings %s to %s", widget.Thousands(r.first), widget.Thousands(r.last))
}
