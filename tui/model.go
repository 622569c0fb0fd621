package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	logpane "github.com/backside4charter/dispatcher/tui/pane/log"
	"github.com/backside4charter/dispatcher/tui/pane/questions"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// mode is who gets the keys.
type mode int

const (
	modeBrowse  mode = iota
	modeAnswer       // a field of the room or of a pane
	modeFind         // the field of find
	modeGoto         // g waits for its letter
	modeMenu         // a menu or a confirmation over everything
	modeHelp         // the list of keys
	modePalette      // every action and every ref
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
	ctx    context.Context //nolint:containedctx // see above
	opts   Options
	now    func() time.Time
	theme  themes.Theme
	basic  bool // the terminal has sixteen colours
	light  bool // the terminal has a light ground
	noInk  bool // no colour at all: NO_COLOR, or a dumb terminal
	styles *themes.Styles
	keys   *keymap.Map

	w, h  int
	frame layout.Frame

	pictures <-chan *state.Snapshot
	snap     *state.Snapshot
	started  time.Time // when the room began to wait for the first picture
	lost     bool      // the loop is out of contact
	lostAt   time.Time
	contact  state.Contact
	view     view
	back     []view
	mode     mode
	under    mode // where help and palette lead back to

	panes [viewCount]roomPane
	home  *boardView
	wview *workers.Model
	needs *questions.Model
	log   *logpane.Model

	find       *widget.Field
	findOld    bool // what stands in it was typed before
	finds      [viewCount]string
	field      *openField
	drafts     *drafts.Book
	kept       uint64 // version of the drafts that was written down last
	keeping    bool   // they are being written
	keepFailed bool
	keptAt     time.Time
	need       needID // where ! was last
	menu       menu
	palette    palette
	help       help
	busy       progress
	undos      undoList
	rest       time.Time // acting keys rest until then
	click      lastClick
	spots      []spot // what a click on the last line means

	calls       attending
	toast       toast
	acked       map[noticeID]bool
	noticeID    noticeID
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
	keys, err := keymap.New(opts.Look.Keys)
	if err != nil {
		keys = keymap.Default() // whoever read the settings has said so
	}
	m := &Model{
		ctx: ctx, opts: opts, pictures: opts.Controller.Snapshots(), now: now, theme: th, styles: &st,
		keys: keys, started: now(), acked: map[noticeID]bool{}, dirty: true,
		find: widget.NewField(false), drafts: drafts.New(opts.Kept), busy: progress{},
		calls: newAttending(opts.Attention, now()),
	}
	m.makePanes()
	m.bindPanes()
	return m
}

// Init asks for the first picture, the clock and the terminal's colours.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.wait(time.Time{}), m.tick(), m.watch(), m.contacts()}
	if !m.opts.Look.Plain {
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

// sentMsg says how a command fared, and whose draft it carries.
type sentMsg struct {
	command state.Command
	draft   string
	done    state.Done
	err     error
	with    *together // nil: it was asked for alone
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
func (m *Model) send(c state.Command) tea.Cmd { return m.sendDraft(c, "") }

// sendDraft is send for what was typed: the draft goes when the loop has it.
func (m *Model) sendDraft(c state.Command, draft string) tea.Cmd {
	ctx, ctl := m.ctx, m.opts.Controller
	m.busy.start(m.snap, &c, m.now())
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		done, err := ctl.Send(ctx, c)
		return sentMsg{command: c, draft: draft, done: done, err: err}
	}
}

func (m *Model) say(tone themes.Tone, text string) {
	m.toast = toast{text: text, tone: tone, until: m.now().Add(toastFor)}
}

// insist says something that stays until the next key: a refusal or a failure.
func (m *Model) insist(text string) {
	m.toast = toast{text: text, tone: themes.ToneDanger}
}
