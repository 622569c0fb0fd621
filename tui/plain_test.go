package tui

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// listener hears a plain room.
type listener struct {
	t     *testing.T
	typed *io.PipeWriter
	lines chan string
	heard []string
	left  chan Leave
}

func listen(t *testing.T, opts Options) *listener {
	t.Helper()
	in, typed := io.Pipe()
	out, said := io.Pipe()
	x := &listener{t: t, typed: typed, lines: make(chan string, 1000), left: make(chan Leave, 1)}
	go func() {
		defer close(x.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			x.lines <- s.Text()
		}
	}()
	opts.Look.Plain = true
	opts.Now = fixedNow
	go func() {
		left, err := Run(context.WithoutCancel(t.Context()), opts, in, said)
		if err != nil {
			t.Errorf("the room ended: %v", err)
		}
		_ = said.Close()
		_ = in.Close()
		x.left <- left
	}()
	return x
}

func (x *listener) types(line string) {
	x.t.Helper()
	if _, err := io.WriteString(x.typed, line+"\n"); err != nil {
		x.t.Fatalf("type %q: %v", line, err)
	}
}

// hears waits for a line that holds the text.
func (x *listener) hears(want string) {
	x.t.Helper()
	deadline := time.After(15 * time.Second)
	for {
		select {
		case l, ok := <-x.lines:
			if !ok {
				x.t.Fatalf("the room went silent before it said %q; it said\n%s", want, strings.Join(x.heard, "\n"))
			}
			x.heard = append(x.heard, l)
			if strings.Contains(l, want) {
				return
			}
		case <-deadline:
			x.t.Fatalf("never heard %q, but\n%s", want, strings.Join(x.heard, "\n"))
		}
	}
}

// What is no key does nothing: a sentence that found no field open, or what an
// arrow sends.
func TestThePlainRoomTakesNoSentenceForKeys(t *testing.T) {
	t.Parallel()
	ctl := newStub()
	ctl.ch <- sample()
	x := listen(t, Options{Controller: ctl, Attached: true})
	x.hears("dispatcher, as lines.")
	x.types("please pause")
	x.hears("no field is open, and \"please pause\" is no key: nothing was done; ? lists the keys")
	x.types("\x1b[A")
	x.hears("that was no key; arrows and others have names here: up, down")
	x.types("gm")
	x.hears("today")
	x.types("q")
	<-x.left
	if sent := ctl.commands(); len(sent) != 0 {
		t.Errorf("sent %+v", sent)
	}
}

func TestThePlainRoom(t *testing.T) {
	t.Parallel()
	ctl := newStub()
	ctl.ch <- sample()
	ctl.after = func(c state.Command) {
		if c.Kind != state.CommandAnswer {
			return
		}
		s := sample()
		s.Version, s.Needs = 8, s.Needs[1:]
		s.Needs = append(s.Needs, state.Need{Kind: state.NeedReview, Ref: "ACM-9", Title: "Search ranks", Since: noon})
		s.Log = append(s.Log, state.Entry{At: noon, Ref: "ACM-7", Text: "answered, goes to Changes Requested"})
		ctl.ch <- s
	}
	x := listen(t, Options{Controller: ctl, Attached: true})
	x.hears("dispatcher, as lines.")
	x.hears("4 need you")
	x.hears("ACM-12")
	x.types("3")
	x.hears("Which date format")
	x.types("enter")
	x.hears("ISO 8601 everywhere")
	x.types("a")
	x.hears("send")
	x.types("1")
	x.hears("needs you: ACM-9 is ready for your review: Search ranks")
	x.hears("14:17 ACM-7 answered, goes to Changes Requested")
	x.types("?")
	x.hears("Moving")
	x.types("") // closes it
	x.types("1")
	x.types("")
	x.hears("Ready 4")
	x.types("q")
	if left := <-x.left; left != LeaveDetached {
		t.Errorf("left as %q", left)
	}
	for _, l := range x.heard {
		if strings.ContainsAny(l, "\x1b↵│─╭╮╰╯┃━●○◐▸✓✗⊘▌█\ufffd") || strings.ContainsFunc(l, func(r rune) bool { return r >= 0xe000 && r < 0xf900 }) {
			t.Errorf("a line is not plain: %q", l)
		}
	}
	if sent := ctl.commands(); len(sent) == 0 || sent[0].Kind != state.CommandAnswer {
		t.Errorf("sent %+v", sent)
	}
}

// TestThePlainRoomSaysThingsOnce: a contact that is lost and back, a notice
// that stands there at the start, a row that is next.
func TestThePlainRoomSaysThingsOnce(t *testing.T) {
	t.Parallel()
	ctl, contacts := newStub(), make(chan state.Contact)
	s := sample()
	s.Notices = []state.Notice{{ID: 1, At: noon, Text: "the board was kept aside"}}
	ctl.ch <- s
	x := listen(t, Options{Controller: ctl, Attached: true, Contacts: contacts})
	x.hears("kept aside")
	contacts <- state.Contact{Lost: noon, Again: noon.Add(5 * time.Second)}
	x.hears("no contact with the loop; workers go on")
	contacts <- state.Contact{}
	x.hears("in contact with the loop again")
	x.types("q")
	<-x.left
	said := strings.Join(x.heard, "\n")
	for _, once := range []string{"kept aside", "no contact with the loop"} {
		if n := strings.Count(said, once); n != 1 {
			t.Errorf("%q is said %d times:\n%s", once, n, said)
		}
	}
	if strings.Contains(said, "next, next") {
		t.Errorf("a sign is said with its own word:\n%s", said)
	}
}

// TestThePlainRoomIsSilent shows pictures in which only clocks changed.
func TestThePlainRoomIsSilent(t *testing.T) {
	t.Parallel()
	ctl := newStub()
	ctl.ch <- sample()
	x := listen(t, Options{Controller: ctl, Attached: true})
	x.hears("ACM-21") // of the first reading
	for i := range 20 {
		s := sample()
		s.NextFiring = noon.Add(time.Duration(i) * time.Second)
		s.Workers[0].Lines += i
		ctl.ch <- s
	}
	s := sample()
	s.Mode = state.ModePaused
	ctl.ch <- s
	x.hears("the loop is paused")
	x.types("q")
	<-x.left
	said := strings.Join(x.heard, "\n")
	if strings.Contains(said, "poll in") {
		t.Errorf("a clock was said:\n%s", said)
	}
	if n := strings.Count(said, "Cache invalidation"); n > 3 {
		t.Errorf("the board was said again, %d times:\n%s", n, said)
	}
}

// TestTheEndOfInput leaves as a lost terminal does.
func TestTheEndOfInput(t *testing.T) {
	t.Parallel()
	ctl := newStub()
	ctl.ch <- sample()
	x := listen(t, Options{Controller: ctl, Attached: true})
	x.hears("dispatcher, as lines.")
	_ = x.typed.Close()
	for l := range x.lines {
		x.heard = append(x.heard, l)
	}
	if left := <-x.left; left != LeaveLost {
		t.Errorf("left as %q", left)
	}
}

// TestThePlainRoomReadsTheBoardWhenItIsThere: what was read out before the first
// poll is made up for by itself.
func TestThePlainRoomReadsTheBoardWhenItIsThere(t *testing.T) {
	t.Parallel()
	ctl := newStub()
	early := sample()
	early.Rows, early.PolledAt = nil, time.Time{}
	ctl.ch <- early
	x := listen(t, Options{Controller: ctl, Attached: true})
	x.hears("reading the board")
	ctl.ch <- sample()
	x.hears("ACM-12 Cache invalidation")
	x.types("q")
	<-x.left
}
