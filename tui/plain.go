package tui

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/attention"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// The plain room draws on a sheet that nobody sees: wide enough that hardly a
// title is cut, high enough that hardly a list scrolls.
const (
	sheetW = 160
	sheetH = 400
)

const welcome = "dispatcher, as lines. Type a key and press enter: ? lists the keys, an empty line reads everything again, q leaves."

// spoken is the room for screen readers: the same model with the same keys,
// each typed as a line; what changes is printed as lines, and nothing else is
// ever written. The terminal stays as it is, its own line editing included.
func spoken(ctx context.Context, g *guard, in io.Reader, out io.Writer, more ...tea.ProgramOption) error {
	s := &speaker{guard: g, out: out}
	g.room.resize(sheetW, sheetH)
	p, stop := newProgram(s, g.room.opts.Look.pace(), append([]tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithoutRenderer(), tea.WithInput(nil), tea.WithOutput(out),
	}, more...)...)
	defer stop()
	g.quit = p.Quit
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	ended, end := context.WithCancel(ctx)
	defer end()
	go func() {
		for {
			select {
			case <-ended.Done():
				return
			case <-interrupts:
				p.Send(typedMsg("ctrl+c"))
			}
		}
	}()
	defer heedStops(p.Send)()
	defer hear(in, p.Send)()
	_, err := p.Run()
	return err
}

// speaker says what the room would show. What it does in its turn is quick: a
// line of text at a time.
type speaker struct {
	*guard
	out io.Writer

	watch   attention.Watch
	entry   state.Entry // the last one that was said
	mode    state.Mode
	lost    bool
	started bool
	empty   bool // the board had not been read when the sheet was
	toast   string
	notice  noticeID
	before  []string // the sheet as it was last read
}

// Update hands a message to the room, and says what came of it.
func (s *speaker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.WindowSizeMsg); ok {
		return s, nil // the sheet is no window
	}
	typed, ok := msg.(typedMsg)
	if !ok {
		_, cmd := s.guard.Update(msg)
		if _, back := msg.(resumedMsg); back {
			s.read(true)
		}
		s.news()
		return s, cmd
	}
	var cmds []tea.Cmd
	for _, m := range s.messages(string(typed)) {
		if why, ok := m.(unkeyedMsg); ok {
			s.say(string(why))
			continue
		}
		_, cmd := s.guard.Update(m)
		cmds = append(cmds, cmd)
	}
	s.read(typed == "")
	s.news()
	return s, tea.Batch(cmds...)
}

// View draws nothing: there is no renderer.
func (s *speaker) View() tea.View { return tea.NewView("") }

// say prints a clean line.
func (s *speaker) say(text string) {
	if text != "" {
		_, _ = io.WriteString(s.out, text+"\n") // a terminal that is gone ends the room by its input
	}
}

// read says what is new on the sheet since it was read last, or all of it.
func (s *speaker) read(all bool) {
	if s.crash != nil || s.room.snap == nil {
		return
	}
	had := map[string]int{}
	if !all {
		for _, l := range s.before {
			had[l]++
		}
	}
	s.before = s.room.sheet()
	for _, l := range s.before {
		if had[l] > 0 {
			had[l]--
			continue
		}
		s.say(l)
	}
}

// sheet is the room's picture as lines that are read: no clock, no border, no
// sign.
func (m *Model) sheet() []string {
	lines := m.draw(m.now())
	if m.frame.Title.H > 0 && !m.overlaid() {
		lines = lines[m.frame.Title.H:]
	}
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		if words := themes.Words(strings.ReplaceAll(ansi.Strip(l), "↵", "enter")); words != "" {
			out = append(out, words)
		}
	}
	return out
}

// news says what has come up by itself: one line each.
func (s *speaker) news() {
	m := s.room
	if t := m.toast.text; t != s.toast {
		s.toast = t
		s.say(t)
	}
	if m.lost != s.lost {
		s.lost = m.lost
		if s.lost {
			s.say("no contact with the loop; " + m.leftBehind())
		} else {
			s.say("in contact with the loop again")
		}
	}
	if m.snap == nil || s.crash != nil {
		return
	}
	if !s.started {
		s.started = true
		s.say(welcome)
		s.mode = m.snap.Mode
		s.entry = lastEntry(m.snap)
		s.watch.Look(m.snap)
		s.empty = m.snap.PolledAt.IsZero()
		s.read(true)
		if n := m.notice(); n != nil {
			s.notice = noticeOf(n) // it stands on the sheet
		}
		return
	}
	if s.empty && !m.snap.PolledAt.IsZero() {
		s.empty = false
		s.read(false)
	}
	if m.snap.Mode != s.mode {
		s.mode = m.snap.Mode
		if s.mode != state.ModeStopped || m.left != LeaveWorkers && m.left != LeaveSuspended { // it goes on elsewhere
			s.say("the loop is " + widget.Clean(string(s.mode)))
		}
	}
	if n := m.notice(); n != nil && noticeOf(n) != s.notice {
		s.notice = noticeOf(n)
		s.say("attention: " + about(n.Ref, n.Text))
	}
	for _, e := range s.watch.Look(m.snap) {
		s.say("needs you: " + e.Text)
	}
	s.entries(m.snap)
}

// about is a text with the issue that it is about before it, once.
func about(ref board.Ref, text string) string {
	if ref == "" || strings.HasPrefix(text, string(ref)) {
		return widget.Clean(text)
	}
	return widget.Clean(string(ref) + " " + text)
}

func lastEntry(snap *state.Snapshot) state.Entry {
	if n := len(snap.Log); n > 0 {
		return snap.Log[n-1]
	}
	return state.Entry{}
}

// entries says what the log has got since the last picture.
func (s *speaker) entries(snap *state.Snapshot) {
	from := 0
	for i := len(snap.Log) - 1; i >= 0; i-- {
		if snap.Log[i] == s.entry {
			from = i + 1
			break
		}
	}
	for _, e := range snap.Log[from:] {
		mark := ""
		if e.Bad {
			mark = "failed: "
		}
		s.say(e.At.In(s.room.now().Location()).Format("15:04") + " " + mark + about(e.Ref, e.Text))
	}
	s.entry = lastEntry(snap)
}
