package log

import (
	"time"

	"github.com/backside4charter/dispatcher/tui/widget"
)

// lay lists the lines. The selected one stays where it is on the screen.
func (m *Model) lay() {
	if m.snap == nil {
		return
	}
	shift := m.win.Sel - m.win.Top
	m.lines = m.lines[:0]
	newest := 0
	for i := range m.snap.Log {
		newest = max(newest, m.snap.Log[i].Firing)
	}
	away := m.away
	var still []group // that did nothing, one after the other
	for _, g := range m.groups() {
		for len(away) > 0 && away[0].From.Before(g.at) {
			m.still(still)
			still = nil
			m.lines = append(m.lines, line{item: item{away: away[0].From}, at: -2})
			away = away[1:]
		}
		if m.didNothing(g) {
			still = append(still, g)
			continue
		}
		m.still(still)
		still = nil
		m.group(g, newest)
	}
	m.still(still)
	for _, a := range away {
		m.lines = append(m.lines, line{item: item{away: a.From}, at: -2})
	}
	if !m.follow {
		for i := range m.lines {
			if m.lines[i].item == m.sel {
				m.win.Sel, m.win.Top = i, i-shift
			}
		}
	}
	m.clamp()
}

// group is a firing with the indexes of its entries.
type group struct {
	firing  int
	at      time.Time
	entries []int
}

// groups are the firings in their order, those that decided nothing among them.
func (m *Model) groups() []group {
	var out []group
	quiet := m.snap.Firings
	for i := range m.snap.Log {
		e := &m.snap.Log[i]
		if n := len(out); n > 0 && out[n-1].firing == e.Firing {
			out[n-1].entries = append(out[n-1].entries, i)
			continue
		}
		for len(quiet) > 0 && quiet[0].N <= e.Firing {
			if quiet[0].N < e.Firing && (len(out) == 0 || out[len(out)-1].firing < quiet[0].N) {
				out = append(out, group{firing: quiet[0].N, at: quiet[0].At})
			}
			quiet = quiet[1:]
		}
		out = append(out, group{e.Firing, e.At, []int{i}})
	}
	for i := range quiet {
		out = append(out, group{firing: quiet[i].N, at: quiet[i].At})
	}
	return out
}

// group adds a firing's lines: its own, and its entries where it is unfolded.
func (m *Model) group(g group, newest int) {
	var below []line
	bad := 0
	for _, i := range g.entries {
		e := m.snap.Log[i]
		if e.Bad && !m.read[e] {
			bad++
		}
		if m.find == "" || widget.Holds(string(e.Ref)+" "+e.Text, m.find) {
			below = append(below, line{item: item{firing: g.firing, entry: e}, at: i})
		}
	}
	if m.find != "" && len(below) == 0 {
		return
	}
	m.lines = append(m.lines, line{item: item{firing: g.firing}, at: -1, bad: bad, below: len(g.entries)})
	open, byHand := m.folds[g.firing]
	if !byHand {
		open = g.firing == newest || bad > 0 || m.find != "" || (!m.follow && m.sel.within() == g.firing)
	}
	if open {
		m.lines[len(m.lines)-1].open = true
		m.lines = append(m.lines, below...)
	}
}
