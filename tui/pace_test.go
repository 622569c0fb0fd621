package tui

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
)

// TestTheLibraryTakesOurClock fails where a new version of the library keeps its
// clock elsewhere: rooms are shown at its pace then. Look at startRenderer in its
// tea.go, and at docs/decisions/0017.
func TestTheLibraryTakesOurClock(t *testing.T) {
	p := tea.NewProgram(count{})
	if !drive(p, make(chan time.Time)) {
		t.Error("tea.Program has no field `ticker *time.Ticker` that is nil before it runs")
	}
	if drive(p, make(chan time.Time)) {
		t.Error("a clock that is there is replaced")
	}
}

// moreMsg counts on, untilMsg ends the program at a number.
type (
	moreMsg  struct{}
	untilMsg int
)

// count is a room that shows a number, which takes it a while to draw.
type count struct {
	n     int
	takes time.Duration
}

func (c count) Init() tea.Cmd { return nil }

func (c count) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case moreMsg, tea.KeyPressMsg:
		c.n++
	case untilMsg:
		c.n = int(msg)
		return c, tea.Quit
	case tea.ExecCommand:
		return c, tea.Exec(msg, nil)
	}
	return c, nil
}

func (c count) View() tea.View {
	time.Sleep(c.takes)
	v := tea.NewView(fmt.Sprintf("n=%d.", c.n))
	v.AltScreen = true
	return v
}

// stand is a real program in a bubble of fake time, on an emulator.
type stand struct {
	*tea.Program
	t     *testing.T
	ticks atomic.Int64 // which the pacer made

	mu  sync.Mutex
	emu *vt.Emulator
	at  []time.Time // of each frame
}

// Write takes a frame.
func (s *stand) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Now())
	return s.emu.Write(b) //nolint:wrapcheck // passed on as it is
}

// shows waits until all rest at this instant, and fails unless the screen has
// the number.
func (s *stand) shows(n int) {
	s.t.Helper()
	if got, own := s.text(); got != fmt.Sprintf("n=%d.", n) || !own {
		s.t.Errorf("the screen shows %q, want %d", got, n)
	}
}

// text is what the screen shows, and whether that is the program's.
func (s *stand) text() (text string, own bool) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(s.emu.String()), s.emu.IsAltScreen()
}

// frames is how many there were, at most in any second that passed.
func (s *stand) frames() (all, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := 0
	for i, at := range s.at {
		for at.Sub(s.at[first]) > time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return len(s.at), most
}

// inBubble plays with a program at that pace that has started and rests, and
// quits it.
func inBubble(t *testing.T, every pace, play func(s *stand)) { t.Helper(); drawing(t, 0, every, play) }

// drawing is inBubble with a room that takes a while to draw.
func drawing(t *testing.T, takes time.Duration, every pace, play func(s *stand)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stand{t: t, emu: vt.NewEmulator(40, 3)}
		pacing := newPacer(every)
		s.Program = pacing.program(count{takes: takes}, tea.WithInput(nil), tea.WithOutput(s), tea.WithoutSignalHandler(),
			tea.WithWindowSize(40, 3), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		pacing.send = func(m tea.Msg) { s.ticks.Add(1); s.Send(m) }
		stop := pacing.start(s.Program)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer stop()
			if _, err := s.Run(); err != nil {
				t.Errorf("run: %v", err)
			}
		}()
		time.Sleep(time.Minute)
		s.shows(0)
		play(s)
		s.Quit()
		<-ended
	})
}

func TestAnIdleRoomIsNotWoken(t *testing.T) {
	inBubble(t, quickly, func(s *stand) {
		before := s.ticks.Load()
		frames, _ := s.frames()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if s.ticks.Load() != before {
			t.Errorf("a day without a message has %d ticks", s.ticks.Load()-before)
		}
		s.Send(moreMsg{})
		s.shows(1)
		if after, _ := s.frames(); after != frames+1 || s.ticks.Load() != before+1 {
			t.Errorf("one change has %d frames and %d ticks", after-frames, s.ticks.Load()-before)
		}
	})
}

// TestWhenAChangeIsShown types and sends at exact instants.
func TestWhenAChangeIsShown(t *testing.T) {
	inBubble(t, quickly, func(s *stand) {
		s.Send(moreMsg{})
		s.shows(1) // at once
		s.Send(moreMsg{})
		s.shows(1) // a frame later
		time.Sleep(quickly.every)
		s.shows(2)
		s.Send(tea.KeyPressMsg{})
		s.shows(3) // a key does not wait for the frame that nobody asked for
		s.Send(tea.KeyPressMsg{})
		s.Send(moreMsg{})
		s.shows(3)
		time.Sleep(quickly.every)
		s.shows(5)
		s.Send(moreMsg{})
		time.Sleep(quickly.every / 2)
		s.Send(tea.KeyPressMsg{}) // while the pacer waits
		time.Sleep(quickly.every - quickly.every/2)
		s.shows(7)
	})
	inBubble(t, slowly, func(s *stand) {
		s.Send(tea.KeyPressMsg{})
		s.shows(1)
		s.Send(tea.KeyPressMsg{})
		time.Sleep(time.Second/slowFrames - 1)
		s.shows(1)
		time.Sleep(time.Nanosecond)
		s.shows(2)
	})
}

// TestNoFrameIsLost sends storms from several sides and looks, once all rest,
// at the last number.
func TestNoFrameIsLost(t *testing.T) {
	for _, every := range []pace{quickly, slowly} {
		inBubble(t, every, func(s *stand) {
			sent := 0
			for round := range uint64(200) {
				var wg sync.WaitGroup
				for side := range uint64(3) {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(round, side)) //nolint:gosec // a storm that can be told again
						for range 20 {
							time.Sleep(time.Duration(r.IntN(40)) * time.Duration(r.IntN(1000)) * time.Microsecond)
							if side == 0 {
								s.Send(tea.KeyPressMsg{})
							} else {
								s.Send(moreMsg{})
							}
						}
					})
					sent += 20
				}
				wg.Wait()
				time.Sleep(2 * every.every)
				s.shows(sent)
			}
			limit := 60
			if every == slowly {
				limit = slowFrames + 1 // at both ends of a second
			}
			if _, most := s.frames(); most > limit || most < limit/2 {
				t.Errorf("%d frames in a second, want up to %d", most, limit)
			}
		})
	}
}

// TestATickWaitsForThePicture draws slower than frames could be written: a tick
// that came before its picture would find the last one.
func TestATickWaitsForThePicture(t *testing.T) {
	const takes = time.Second
	drawing(t, takes, quickly, func(s *stand) {
		for n := range 5 {
			s.Send(tea.KeyPressMsg{})
			time.Sleep(takes)
			s.shows(n + 1)
		}
	})
}

// away is an editor: it takes the terminal for an hour.
type away struct{ during func() }

func (a away) Run() error {
	a.during()
	time.Sleep(time.Hour)
	return nil
}
func (away) SetStdin(io.Reader)  {}
func (away) SetStdout(io.Writer) {}
func (away) SetStderr(io.Writer) {}

func TestTheRoomIsDrawnAgainAfterAnEditor(t *testing.T) {
	inBubble(t, quickly, func(s *stand) {
		var sent sync.WaitGroup
		for n := range 3 {
			s.Send(tea.ExecCommand(away{func() {
				sent.Go(func() { s.Send(moreMsg{}) })
				_, _ = s.Write([]byte("\x1b[2J\x1b[Hthe editor"))
			}}))
			time.Sleep(30 * time.Minute)
			if got, own := s.text(); got != "the editor" || own {
				t.Fatalf("the editor has not the terminal; it shows %q", got)
			}
			ticks := s.ticks.Load()
			time.Sleep(30*time.Minute + time.Second)
			s.shows(n + 1)
			if s.ticks.Load() > ticks+5 {
				t.Errorf("after the editor: %d ticks", s.ticks.Load()-ticks)
			}
			sent.Wait()
			before := s.ticks.Load()
			time.Sleep(time.Hour)
			synctest.Wait()
			if s.ticks.Load() != before {
				t.Errorf("an editor that was left keeps the room awake: %d ticks", s.ticks.Load()-before)
			}
		}
		// One that changes nothing: the same picture is drawn again.
		s.Send(tea.ExecCommand(away{func() { _, _ = s.Write([]byte("\x1b[2J\x1b[Hthe editor")) }}))
		time.Sleep(time.Hour + time.Second)
		s.shows(3)
	})
}

func TestTheLastFrameIsWritten(t *testing.T) {
	for name, every := range map[string]pace{"quickly": quickly, "slowly": slowly} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var wrote strings.Builder
				p, stop := newProgram(count{}, every, tea.WithInput(nil), tea.WithOutput(&wrote), tea.WithoutSignalHandler(), tea.WithWindowSize(40, 3))
				defer stop()
				go p.Send(moreMsg{})
				go func() { time.Sleep(time.Second); p.Send(moreMsg{}); p.Send(untilMsg(777)) }() // a frame was just written
				if _, err := p.Run(); err != nil {
					t.Errorf("run: %v", err)
				}
				if !strings.Contains(wrote.String(), "777") {
					t.Errorf("the last frame is missing: %q", wrote.String())
				}
			})
		})
	}
}

// TestACancelledRoomEndsThePacer cancels while a frame waits for its time.
func TestACancelledRoomEndsThePacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, stop := newProgram(count{}, slowly, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler())
		go func() { time.Sleep(time.Second); p.Send(moreMsg{}); p.Send(moreMsg{}); cancel() }()
		if _, err := p.Run(); err == nil {
			t.Error("a cancelled program has no error")
		}
		stop() // the bubble fails unless it returns
	})
}

// TestAtTheLibrarysOwnPace is a library that keeps its clock elsewhere.
func TestAtTheLibrarysOwnPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stand{t: t, emu: vt.NewEmulator(40, 3)}
		s.Program = newPacer(quickly).program(count{}, tea.WithInput(nil), tea.WithOutput(s), tea.WithoutSignalHandler(), tea.WithWindowSize(40, 3))
		ended := make(chan struct{})
		go func() { defer close(ended); _, _ = s.Run() }()
		for n := range 3 {
			time.Sleep(time.Second)
			s.shows(n)
			s.Send(moreMsg{})
		}
		s.Quit()
		<-ended
	})
}
