package workers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

// disk is a run's whole stream, as a reader has it.
type disk struct {
	lines []state.Line
	asked int
	most  int // the largest window that was asked for
	err   error
}

func newDisk(n int) *disk {
	d := &disk{}
	for i := range n {
		l := state.Line{At: noon.Add(time.Duration(i) * time.Second), Kind: state.LineText, Text: fmt.Sprintf("word %d.", i)}
		if i%10 == 3 {
			l = state.Line{At: l.At, Kind: state.LineTool, Tool: "Bash", Text: fmt.Sprintf("make %d", i), Done: true, Detail: fmt.Sprintf("make %d\nall of it\nfine", i)}
		}
		d.lines = append(d.lines, l)
	}
	return d
}

func (d *disk) load(q Query) (state.Transcript, error) {
	d.asked++
	d.most = max(d.most, q.N)
	if d.err != nil {
		return state.Transcript{}, d.err
	}
	t := state.Transcript{Run: q.Run, Total: len(d.lines), Next: -1}
	if q.Find != "" {
		for n := q.From; n >= 0 && n < len(d.lines); n += q.N {
			if widget.Holds(d.lines[n].Text, q.Find) {
				t.Next = n
				break
			}
		}
		return t, nil
	}
	t.From = q.From
	if q.From < 0 {
		t.From = max(0, len(d.lines)-q.N)
	}
	t.Lines = d.lines[t.From:min(t.From+q.N, len(d.lines))]
	return t, nil
}

// worker has the newest lines in the picture, without their details.
func (d *disk) worker(tail int) state.Worker {
	w := state.Worker{
		Run: state.Run{ID: "r1", Ref: "ACM-1", Kind: board.KindDeveloper, Phase: state.PhaseRunning, StartedAt: noon, ClaimedAt: noon},
	}
	w.Lines = len(d.lines)
	for _, l := range d.lines[max(0, len(d.lines)-tail):] {
		l.Detail = ""
		w.Tail = append(w.Tail, l)
	}
	return w
}

type rig struct {
	t *testing.T
	*Model
	disk *disk
	snap *state.Snapshot
}

func newRig(t *testing.T, d *disk, tail int) *rig {
	t.Helper()
	st := themes.For(true).Styles()
	m := New(&st, time.UTC)
	m.SetLoad(d.load)
	m.SetBody(layout.Rect{W: 100, H: 20}, layout.ShapeColumns)
	s := &state.Snapshot{At: noon, Workers: []state.Worker{d.worker(tail)}}
	m.SetSnapshot(s)
	r := &rig{t, m, d, s}
	r.settle(nil)
	return r
}

// settle carries commands out until nothing is asked any more.
func (r *rig) settle(cmd tea.Cmd) pane.Reply {
	r.t.Helper()
	var last pane.Reply
	for range 50 {
		if cmd != nil {
			last = r.Take(cmd())
			if cmd = last.Cmd; cmd != nil {
				continue
			}
		}
		if cmd = r.Ask(noon); cmd == nil {
			return last
		}
	}
	r.t.Fatal("it asks and asks")
	return last
}

func (r *rig) act(a keymap.Action) pane.Reply {
	r.t.Helper()
	reply := r.Act(a)
	if cmd := reply.Cmd; cmd != nil {
		reply = r.settle(cmd)
	} else {
		r.settle(nil)
	}
	return reply
}

func (r *rig) screen() string {
	lines := r.View(noon)
	for i, l := range lines {
		if w := widget.DrawnWidth(l); w != 100 {
			r.t.Fatalf("line %d is %d wide: %q", i, w, ansi.Strip(l))
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

func (r *rig) shows(texts ...string) {
	r.t.Helper()
	s := r.screen()
	for _, text := range texts {
		if !strings.Contains(s, text) {
			r.t.Fatalf("no %q in\n%s", text, s)
		}
	}
}

func TestALongTranscriptIsReadInWindows(t *testing.T) {
	t.Parallel()
	r := newRig(t, newDisk(5000), 50)
	r.shows("word 4999.", "following · 5,000 lines")
	if r.disk.asked != 0 {
		t.Fatalf("%d questions for what the picture carries", r.disk.asked)
	}
	r.act(keymap.Open)
	r.act(keymap.First)
	r.shows("word 0.", "word 1.", "line 1 of 5,000 lines")
	for range 300 {
		r.act(keymap.PageDown)
	}
	r.shows("word 4999.", "following")
	for range 30 {
		r.act(keymap.PageUp)
	}
	if r.disk.most > chunkLines || len(r.place("r1").read.chunks) > chunksKept {
		t.Fatalf("windows of %d lines, %d kept", r.disk.most, len(r.place("r1").read.chunks))
	}
}

func TestReadingStaysWhereItIs(t *testing.T) {
	t.Parallel()
	r := newRig(t, newDisk(400), 50)
	r.act(keymap.Open)
	r.act(keymap.PageUp)
	before := r.screen()
	for i := range 30 {
		r.disk.lines = append(r.disk.lines, state.Line{At: noon, Kind: state.LineText, Text: fmt.Sprintf("new %d", i)})
	}
	s := *r.snap
	s.Workers = []state.Worker{r.disk.worker(50)}
	r.SetSnapshot(&s)
	r.settle(nil)
	cut := func(s string) string { return s[:strings.LastIndex(s, "\n")] }
	if after := r.screen(); cut(after) != cut(before) {
		t.Fatalf("it moved:\n%s\nwas\n%s", after, before)
	}
	r.act(keymap.Follow)
	r.shows("new 29")
}

func TestFindGoesOverTheWholeTranscript(t *testing.T) {
	t.Parallel()
	d := newDisk(3000)
	d.lines[7].Text, d.lines[1500].Text = "the Needle", "a needle again"
	r := newRig(t, d, 50)
	r.settle(r.Find("needle"))
	r.shows("a needle again")
	r.act(keymap.NextMatch)
	r.shows("the Needle")
	r.act(keymap.PrevMatch)
	r.shows("a needle again")
	if reply := r.settle(r.Find("nowhere")); !strings.Contains(reply.Say, "no further") {
		t.Fatalf("nothing found: %+v", reply)
	}
	r.act(keymap.Back)
	r.act(keymap.Back)
	if r.find != "" {
		t.Error("esc does not end the search")
	}
}

func TestPiecesAndErrors(t *testing.T) {
	t.Parallel()
	d := newDisk(2000)
	d.lines[40] = state.Line{At: noon, Kind: state.LineError, Text: "first failure"}
	d.lines[1990] = state.Line{At: noon, Kind: state.LineError, Text: "second failure"}
	r := newRig(t, d, 50)
	r.act(keymap.NextError)
	r.shows("second failure")
	r.act(keymap.NextError)
	r.shows("first failure")
	r.act(keymap.NextPiece)
	r.shows("make 43")
	r.act(keymap.PrevPiece)
	r.act(keymap.PrevPiece)
	r.act(keymap.Open)
	r.shows("make 33", "all of it")
	r.act(keymap.Open)
	if strings.Contains(r.screen(), "all of it") {
		t.Error("it does not fold again")
	}
	d.err = errors.New("the disk is gone")
	r.act(keymap.Last)
	if reply := r.settle(r.Find("x")); !strings.Contains(reply.Say, "the disk is gone") {
		t.Errorf("a failure is not said: %+v", reply)
	}
}

func TestAFailedRunOpensAtItsError(t *testing.T) {
	t.Parallel()
	d := newDisk(100)
	d.lines[70] = state.Line{At: noon, Kind: state.LineError, Text: "does not compile"}
	r := newRig(t, d, 50)
	w := &r.snap.Workers[0]
	w.Outcome, w.Run.Failure, w.Run.Phase = "gave up", "failed twice", state.PhaseEnded
	if _, why := r.Open(pane.Subject{Ref: "ACM-1"}); why != "" {
		t.Fatal(why)
	}
	r.shows("does not compile")
	if _, why := r.Open(pane.Subject{Ref: "ACM-2"}); why == "" {
		t.Error("a transcript of nothing")
	}
}

func TestAnEndedRunIsReadFromDisk(t *testing.T) {
	t.Parallel()
	d := newDisk(500)
	r := newRig(t, d, 0)
	w := &r.snap.Workers[0]
	w.Lines, w.Outcome, w.Run.EndedAt = 0, "completed", noon
	r.settle(nil)
	r.shows("word 499.", "following · 500 lines")
	d.err = errors.New("gone")
	other := newRig(t, d, 0)
	other.snap.Workers[0].Lines, other.snap.Workers[0].Outcome = 0, "completed"
	other.settle(nil)
	other.shows("its transcript cannot be read: gone")
}

func TestAWordToAWorker(t *testing.T) {
	t.Parallel()
	r := newRig(t, newDisk(100), 50)
	f := &pane.Open{
		Field: pane.Field{ID: drafts.ID(drafts.Steer, "r1"), Name: "Steer the developer", Hints: func(string) []string { return []string{"it reads this soon"} }},
		Input: widget.NewField(true),
	}
	f.Input.SetValue("keep the old key format")
	if !r.Host(f) {
		t.Fatal("the field has no place")
	}
	r.shows("Steer the developer", "keep the old key format", "it reads this soon")
	if _, y, ok := r.Cursor(); !ok || !strings.Contains(strings.Split(r.screen(), "\n")[y], "keep the old") {
		t.Fatalf("the cursor stands on line %d", y)
	}
	if r.Host(nil) || r.Host(&pane.Open{Field: pane.Field{ID: drafts.ID(drafts.Steer, "r2")}}) {
		t.Error("the field of another run is drawn here")
	}
	w := &r.snap.Workers[0]
	w.Messages = []state.Message{{ID: "1", At: noon, Text: "keep it", State: state.MessageSent}}
	r.shows("keep it", "sent · waits for the tool")
	w.Tail[len(w.Tail)-1] = state.Line{At: noon, Kind: state.LineUser, Text: "keep it"}
	w.Messages[0].State, w.Messages[0].ReadAt = state.MessageRead, noon.Add(time.Minute)
	r.shows("sent 12:00 · read 12:01")
	w.Messages[0].State, w.Outcome = state.MessageFailed, "completed"
	r.shows("not read: the run ended before")
}

func TestSteerAndInterrupt(t *testing.T) {
	t.Parallel()
	r := newRig(t, newDisk(100), 50)
	reply := r.act(keymap.Steer)
	if reply.Field == nil {
		t.Fatalf("no field: %+v", reply)
	}
	f := *reply.Field
	sent := f.Send("keep it ")
	if len(sent.Send) != 1 || sent.Send[0].Kind != state.CommandSteer || sent.Send[0].Run != "r1" || sent.Send[0].Text != "keep it" {
		t.Fatalf("sends %+v", sent.Send)
	}
	w := &r.snap.Workers[0]
	w.Waiting = true
	if reply := r.act(keymap.Interrupt); len(reply.Send) != 0 || reply.Say == "" {
		t.Errorf("one that stands still is interrupted: %+v", reply)
	}
	w.Waiting = false
	if reply := r.act(keymap.Interrupt); len(reply.Send) != 1 || reply.Send[0].Kind != state.CommandInterrupt {
		t.Errorf("interrupt: %+v", reply)
	}
	w.Outcome = "completed"
	if gone := f.Gone(r.snap); gone == "" {
		t.Error("the field stays open for a run that is over")
	}
	if reply := r.act(keymap.Steer); reply.Field != nil || reply.Say == "" {
		t.Errorf("steers a run that is over: %+v", reply)
	}
}

func TestWhatItAsksIsPinned(t *testing.T) {
	t.Parallel()
	r := newRig(t, newDisk(100), 50)
	r.snap.Requests = []state.Request{{ID: "q1", Run: "r1", Tool: "Bash", Summary: "npm publish", Since: noon.Add(-40 * time.Second)}}
	r.shows("! Bash npm publish", "waits for you, 0:40")
	if s := r.Subject(); s.Request != "q1" || s.Run != "r1" || s.Ref != "ACM-1" {
		t.Errorf("subject %+v", s)
	}
}

func TestGrid(t *testing.T) {
	t.Parallel()
	r := newRig(t, newDisk(100), 50)
	for i := 2; i < 8; i++ {
		w := r.disk.worker(20)
		w.Run.ID, w.Run.Ref = fmt.Sprintf("r%d", i), board.Ref(fmt.Sprintf("ACM-%d", i))
		r.snap.Workers = append(r.snap.Workers, w)
	}
	r.SetSnapshot(r.snap)
	r.act(keymap.Layout)
	r.shows("ACM-1 developer", "ACM-4 developer", "1 of 7")
	r.act(keymap.Right)
	r.act(keymap.Down)
	if r.Selected().Run.Ref != "ACM-4" {
		t.Fatalf("right and down lead to %s", r.Selected().Run.Ref)
	}
	r.act(keymap.Last)
	r.shows("ACM-7 developer")
	r.act(keymap.Open)
	if !r.Inside() {
		t.Fatal("enter does not make it large")
	}
	r.shows("following")
	r.act(keymap.Back)
	r.shows("7 of 7")
	for _, size := range [][2]int{{100, 1}, {100, 3}, {100, 9}} {
		r.SetBody(layout.Rect{W: size[0], H: size[1]}, layout.ShapeColumns)
		if n := len(r.View(noon)); n != size[1] {
			t.Errorf("%v: %d lines", size, n)
		}
	}
}

// TestAFailedRunOpensAtAnErrorFarBehind: also where that is far behind the newest lines.
func TestAFailedRunOpensAtAnErrorFarBehind(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"in the picture": 9_990, "on disk": 120, "nowhere": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(10_000)
			if at >= 0 {
				d.lines[at] = state.Line{At: noon, Kind: state.LineTool, Tool: "Bash", Text: "make check", Done: true, Failed: true}
			}
			r := newRig(t, d, 60)
			r.snap.Workers[0].Run.Failure, r.snap.Workers[0].Outcome = "exit status 2", "failed"
			cmd, why := r.Open(pane.Subject{Ref: "ACM-1"})
			if why != "" {
				t.Fatal(why)
			}
			reply := r.settle(cmd)
			if shown := strings.Contains(r.screen(), "make check"); shown != (at >= 0) || reply.Say != "" {
				t.Errorf("the error is shown: %v, said %q\n%s", shown, reply.Say, r.screen())
			}
		})
	}
}

// TestTheSelectionWaitsForARunThatIsBetweenTwoLists: a run that has ended and is
// not yet settled may be in no picture. What is pressed next must not meet its
// neighbour.
func TestTheSelectionWaitsForARunThatIsBetweenTwoLists(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	m := New(&st, time.UTC)
	m.SetBody(layout.Rect{W: 100, H: 20}, layout.ShapeColumns)
	show := func(runs ...string) {
		s := &state.Snapshot{At: noon}
		for _, id := range runs {
			s.Workers = append(s.Workers, state.Worker{Run: state.Run{ID: id, Ref: "ACM-1"}})
		}
		m.SetSnapshot(s)
	}
	show("r1", "r2")
	show("r2", "r3")
	show("r2", "r3", "r1")
	if got := m.Selected().Run.ID; got != "r1" {
		t.Errorf("settled, %s is selected", got)
	}
	show("r2", "r3")
	m.pick(1)
	show("r2", "r3", "r1")
	if got := m.Selected().Run.ID; got != "r3" {
		t.Errorf("after another was chosen, %s is selected", got)
	}
}
