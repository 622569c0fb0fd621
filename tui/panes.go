package tui

import (
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane/diff"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
	logpane "github.com/backside4charter/dispatcher/tui/pane/log"
	"github.com/backside4charter/dispatcher/tui/pane/money"
	"github.com/backside4charter/dispatcher/tui/pane/next"
	"github.com/backside4charter/dispatcher/tui/pane/pulls"
	"github.com/backside4charter/dispatcher/tui/pane/questions"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
)

// makePanes builds the pane of every view.
func (m *Model) makePanes() {
	m.home = newBoardView(m.styles)
	m.home.empty = m.emptyBoard
	m.needs, m.log = questions.New(m.styles), logpane.New(m.styles)
	m.panes[viewBoard] = m.home
	m.wview = workers.New(m.styles, m.started.Location())
	m.panes[viewWorkers] = m.wview
	m.panes[viewNeeds] = m.needs
	m.panes[viewPulls] = pulls.New(m.styles)
	m.panes[viewLog] = m.log
	m.panes[viewIssue] = issue.New(m.styles)
	m.panes[viewDiff] = diff.New(m.styles)
	m.panes[viewMoney] = money.New(m.styles)
	m.panes[viewNext] = next.New(m.styles)
}

// eachPane does something with every pane there is.
func (m *Model) eachPane(do func(p roomPane)) {
	for _, p := range m.panes {
		if p != nil {
			do(p)
		}
	}
}

// relayout gives every pane its place.
func (m *Model) relayout() {
	m.frame = layout.FrameOf(m.w, m.h)
	if m.opts.Look.Plain {
		m.frame.Shape = layout.ShapeSingle
	}
	m.eachPane(func(p roomPane) { p.SetBody(m.frame.Body, m.frame.Shape) })
	m.find.SetSize(max(m.w-20, 8), 1)
	m.sizeField()
}
