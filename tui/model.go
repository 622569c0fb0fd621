package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	boardpane "github.com/backside4charter/dispatcher/tui/pane/board"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
	logpane "github.com/backside4charter/dispatcher/tui/pane/log"
	"github.com/backside4charter/dispatcher/tui/pane/pulls"
	"github.com/backside4charter/dispatcher/tui/pane/questions"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// view is what fills the body.
type view int

const (
	viewBoard view = iota
	viewWorkers
	viewNeeds
	viewPulls
	viewLog
	viewIssue
)

func (v view) name() string {
	return [...]string{"Board", "Workers", "Needs you", "Pull requests", "Log", "Issue"}[v]
}

// mode is who gets the keys.
type mode int

const (
	modeBrowse mode = iota
	modeAnswer      // the field of the needs view
	modeFind        // the filter's field
	modeGoto        // g waits for its letter
	modeMenu        // a menu or a confirmation over everything
	modeHelp
)

// toast is a message in place of the subject. Until is zero for one that stays
// until the next key.
type toast struct {
	text  string
	tone  themes.Tone
	until time.Time
}

// Model is the root of the control room. Panes are its own; nothing else
// touches them.
type Model struct {
	// ctx ends every waiting command when the room is left: commands are never
	// cancelled by Bubble Tea itself.
	ctx      context.Context //nolint:containedctx // see above
	opts     Options
	now      func() time.Time
	theme    themes.Theme
	basic    bool // the terminal has sixteen colours
	styles   *themes.Styles
	keys     keymap.Global
	menuKeys keymap.Menu
	typing   keymap.Field

	w, h  int
	frame layout.Frame
	place layout.Board

	pictures <-chan *state.Snapshot
	snap     *state.Snapshot
	started  time.Time // when the room began to wait for the first picture
	lost     bool      // the loop is out of contact
	view     view
	back     []view
	mode     mode
	onStrip  bool
	asList   bool

	board  *boardpane.Model
	strip  *workers.Strip
	wview  *workers.Model
	needs  *questions.Model
	pulls  *pulls.Model
	log    *logpane.Model
	issue  *issue.Model
	find   *widget.Field
	filter string
	menu   menu
	help   widget.Window

	calls       attending
	toast       toast
	acked       map[uint64]bool
	noticeID    uint64
	noticeSince time.Time

	leaving Leave // asked for, not done yet
	left    Leave

	dirty bool
	drawn tea.View
}

// New answers the control room as a Bubble Tea model, for a program of one's
// own. Run is what a command wants.
func New(opts Options) tea.Model { return newModel(context.Background(), opts) }

func newModel(ctx context.Context, opts Options) *Model {
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	th, _ := opts.Look.theme(true)
	st := th.Styles()
	start := now()
	m := &Model{
		ctx: ctx, opts: opts, pictures: opts.Controller.Snapshots(), now: now, theme: th, styles: &st,
		keys: keymap.NewGlobal(), menuKeys: keymap.NewMenu(), typing: keymap.NewField(),
		started: start, acked: map[uint64]bool{}, dirty: true,
		board: boardpane.New(&st), strip: workers.NewStrip(&st), wview: workers.New(&st, start.Location()),
		needs: questions.New(&st), pulls: pulls.New(&st), log: logpane.New(&st), issue: issue.New(&st),
		find: widget.NewField(false), calls: newAttending(opts.Attention, start),
	}
	m.bindReads()
	return m
}

// Init asks for the first picture, the clock and the terminal's colours.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.wait(time.Time{}), m.tick(), m.watch()}
	if _, asked := m.opts.Look.theme(true); !asked {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// snapshotMsg brings a picture; open is false when the loop is out of contact.
type snapshotMsg struct {
	snap *state.Snapshot
	open bool
	at   time.Time // when it was taken from the channel
}

type tickMsg struct{}

// endMsg says that the room's context is over.
type endMsg struct{}

// sentMsg says how a command fared.
type sentMsg struct {
	command state.Command
	done    state.Done
	err     error
}

// wait takes the next picture, not sooner than a frame after the last one.
func (m *Model) wait(last time.Time) tea.Cmd {
	ctx, ch, every := m.ctx, m.pictures, frameEvery
	if m.opts.Look.Slow {
		every = slowEvery
	}
	return func() tea.Msg {
		if !last.IsZero() && !sleep(ctx, time.Until(last.Add(every))) {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-ch:
			for ok {
				select {
				case newer, more := <-ch:
					if !more {
						return snapshotMsg{s, true, time.Now()}
					}
					s = newer
					continue
				default:
				}
				break
			}
			return snapshotMsg{s, ok, time.Now()}
		}
	}
}

// watch waits for the end of the room's context.
func (m *Model) watch() tea.Cmd {
	ctx := m.ctx
	return func() tea.Msg {
		<-ctx.Done()
		return endMsg{}
	}
}

// tick wakes the room at the next full second, for its clocks.
func (m *Model) tick() tea.Cmd {
	ctx := m.ctx
	return func() tea.Msg {
		now := time.Now()
		if !sleep(ctx, now.Truncate(time.Second).Add(time.Second).Sub(now)) {
			return nil
		}
		return tickMsg{}
	}
}

// sleep waits and reports whether ctx still stands.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// send asks the loop for something.
func (m *Model) send(c state.Command) tea.Cmd {
	ctx, ctl := m.ctx, m.opts.Controller
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		done, err := ctl.Send(ctx, c)
		return sentMsg{c, done, err}
	}
}

func (m *Model) say(tone themes.Tone, text string) {
	m.toast = toast{text: text, tone: tone, until: m.now().Add(toastFor)}
}

// insist says something that stays until the next key: a refusal or a failure.
func (m *Model) insist(text string) {
	m.toast = toast{text: text, tone: themes.ToneDanger}
}

// subject is the issue that the keys act on; empty without one.
func (m *Model) subject() board.Ref {
	switch m.view {
	case viewBoard:
		if m.stripFocus() {
			if w := m.strip.Selected(m.selectedRef(), m.leads()); w != nil {
				return w.Run.Ref
			}
		}
		return m.selectedRef()
	case viewWorkers:
		if w := m.wview.Selected(); w != nil {
			return w.Run.Ref
		}
	case viewNeeds:
		if n := m.needs.Selected(); n != nil {
			return n.Ref
		}
	case viewPulls:
		if p := m.pulls.Selected(); p != nil {
			return p.Ref
		}
	case viewLog:
		return m.log.Ref()
	case viewIssue:
		return m.issue.Ref()
	}
	return ""
}

func (m *Model) selectedRef() board.Ref {
	if r := m.board.Selected(); r != nil {
		return r.Issue.Ref
	}
	return ""
}

// stripFocus says whether the workers below the board have the focus. A window
// too low for them keeps the focus for when it grows again.
func (m *Model) stripFocus() bool { return m.onStrip && !m.place.Strip.Empty() }

// leads says whether the selected issue itself stands first in the strip: it
// does where no worker of ours is at it.
func (m *Model) leads() bool {
	row := m.board.Selected()
	return row != nil && present.WorkerOf(m.snap, row) == nil
}
