//go:build unix

package tui

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"github.com/backside4charter/dispatcher/loop/state"
)

// probe times a room from outside: from the key that is typed to the first
// byte of a frame that was drawn with it.
type probe struct {
	*Model
	tty   *os.File
	typed atomic.Int64 // when the key was typed, in ns; 0 for none under way
	drawn atomic.Int64 // the same, once a view holds it
	keyed bool         // the next view holds it

	frames, bytes atomic.Int64
	took          chan time.Duration

	mu sync.Mutex
	at []time.Time // of each frame
}

func (p *probe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.Model.Update(msg)
	if _, ok := msg.(tea.KeyPressMsg); ok {
		p.keyed = true
	}
	return p, cmd
}

func (p *probe) View() tea.View {
	v := p.Model.View()
	if p.keyed {
		p.keyed = false
		p.drawn.Store(p.typed.Load())
	}
	return v
}

// Write passes a frame on.
func (p *probe) Write(b []byte) (int, error) {
	p.frames.Add(1)
	p.bytes.Add(int64(len(b)))
	p.mu.Lock()
	p.at = append(p.at, time.Now())
	p.mu.Unlock()
	if at := p.drawn.Load(); at != 0 && p.typed.CompareAndSwap(at, 0) {
		p.drawn.Store(0)
		p.took <- time.Duration(time.Now().UnixNano() - at)
	}
	return p.tty.Write(b) //nolint:wrapcheck // passed on as it is
}

// most is the largest number of frames in any second.
func (p *probe) most() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := 0
	for i, at := range p.at {
		for at.Sub(p.at[first]) > time.Second {
			first++
		}
		n = max(n, i-first+1)
	}
	return n
}

// paces are what a room is measured at: its own, and the library's, which is
// what it had without one.
var paces = []struct {
	name  string
	start func(tea.Model, ...tea.ProgramOption) (*tea.Program, func())
}{
	{"own", func(m tea.Model, o ...tea.ProgramOption) (*tea.Program, func()) { return newProgram(m, quickly, o...) }},
	{"library", func(m tea.Model, o ...tea.ProgramOption) (*tea.Program, func()) {
		return tea.NewProgram(m, o...), func() {}
	}},
}

// stage runs a room on a pty of 200x60 until the end of the benchmark.
func stage(b *testing.B, ctl *stub, start func(tea.Model, ...tea.ProgramOption) (*tea.Program, func())) (x *probe, master *os.File) {
	b.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 60, Cols: 200}); err != nil {
		b.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, master) }()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	x = &probe{Model: newModel(ctx, Options{Controller: ctl, Attached: true}), tty: tty, took: make(chan time.Duration, 1)}
	p, stop := start(x, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(tty), tea.WithOutput(file{tty, x}),
		tea.WithEnvironment([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}))
	ended := make(chan struct{})
	go func() { defer close(ended); defer stop(); _, _ = p.Run() }()
	b.Cleanup(func() {
		p.Quit() // in order: a program that is cancelled leaves its reader
		<-ended
		cancel()
		_ = tty.Close()
		_ = master.Close()
	})
	return x, master
}

// file is the probe as a terminal.
type file struct {
	*os.File
	*probe
}

func (f file) Write(b []byte) (int, error)       { return f.probe.Write(b) }
func (f file) WriteString(s string) (int, error) { return f.probe.Write([]byte(s)) }

// streaming is a board of n issues on which workers write lines at a rate,
// which reach the room as the loop's pictures do: the last lines of each.
func streaming(ctx context.Context, ctl *stub, issues, workers, perSecond int, offered *atomic.Int64) {
	base := large(issues)
	one := base.Workers[0]
	base.Workers = nil
	for i := range workers {
		w := one
		w.Run.ID, w.Run.Ref = fmt.Sprint("run-", i), base.Rows[i].Issue.Ref
		base.Rows[i].Run = w.Run.ID
		base.Workers = append(base.Workers, w)
	}
	const every = 33 * time.Millisecond
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for n := 0; ; n++ {
		s := *base
		s.Version = uint64(n) //nolint:gosec // counts up
		s.Workers = slices.Clone(base.Workers)
		for i := range s.Workers {
			w := &s.Workers[i]
			at := n * perSecond * int(every) / int(time.Second)
			w.Lines = at
			w.Tail = make([]state.Line, 0, 60)
			for k := range min(at, 60) {
				w.Tail = append(w.Tail, state.Line{At: noon, Kind: state.LineTool, Tool: "Bash", Text: fmt.Sprintf("line %d of worker %d: go test ./cache/...", at-60+k, i), Done: true})
			}
		}
		offered.Store(int64(s.Workers[0].Lines))
		select {
		case <-ctl.ch:
		default:
		}
		ctl.ch <- &s
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// cpu is what this process has used of its processors.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFrame types a key and waits for its frame on a real pty of 200x60,
// with 5,000 issues: idle, and under workers that write, at the room's pace and
// at the library's. It reports the median and the 99th of a hundred, the bytes
// of a frame, the frames of a second, on average and at most, and the share of a
// core that went.
func BenchmarkFrame(b *testing.B) {
	for _, load := range []struct {
		name            string
		workers, perSec int
	}{{"idle", 0, 0}, {"5x1000", 5, 1000}, {"5x10000", 5, 10_000}, {"50x1000", 50, 1000}} {
		for _, pace := range paces {
			b.Run(load.name+"/"+pace.name, func(b *testing.B) {
				ctl := newStub()
				x, master := stage(b, ctl, pace.start)
				benchFrame(b, ctl, x, master, load.workers, load.perSec)
			})
		}
	}
}

// idleFor is how long BenchmarkIdle looks at a room.
var idleFor = flag.Duration("tui.idle", 3*time.Second, "how long an idle room is looked at")

// BenchmarkIdle leaves a room alone in which nothing happens: with the clock of
// the next poll, and on a board that is not polled, where there is nothing to
// write at all. It reports what a minute writes, and the share of a core.
func BenchmarkIdle(b *testing.B) {
	for name, next := range map[string]time.Duration{"clock": time.Hour, "still": 0} {
		for _, pace := range paces {
			b.Run(name+"/"+pace.name, func(b *testing.B) {
				ctl := newStub()
				s := large(5000)
				s.Workers, s.NextFiring = nil, time.Time{}
				if next > 0 {
					s.NextFiring = time.Now().Add(next)
				}
				ctl.ch <- s
				x, _ := stage(b, ctl, pace.start)
				time.Sleep(2 * time.Second) // the start is not measured
				bytes, frames, used, start := x.bytes.Load(), x.frames.Load(), cpu(b), time.Now()
				for b.Loop() {
					time.Sleep(*idleFor)
				}
				lasted := time.Since(start)
				b.ReportMetric(float64(x.bytes.Load()-bytes)*60/lasted.Seconds(), "B/min")
				b.ReportMetric(float64(x.frames.Load()-frames)*60/lasted.Seconds(), "frames/min")
				b.ReportMetric(100*float64(cpu(b)-used)/float64(lasted), "cpu-%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func benchFrame(b *testing.B, ctl *stub, x *probe, master io.Writer, workers, perSec int) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var offered atomic.Int64
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		if workers == 0 {
			ctl.ch <- large(5000)
			return
		}
		streaming(ctx, ctl, 5000, workers, perSec, &offered)
	}()
	defer func() { cancel(); <-fed }()
	time.Sleep(time.Second) // the start is not measured
	took := make([]time.Duration, 0, b.N)
	keys := []string{"j", "j", "k", "k"} // each moves
	frames, bytes, used, start := x.frames.Load(), x.bytes.Load(), cpu(b), time.Now()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		x.typed.Store(time.Now().UnixNano())
		if _, err := io.WriteString(master, keys[i%len(keys)]); err != nil {
			b.Fatal(err)
		}
		select {
		case d := <-x.took:
			took = append(took, d)
		case <-time.After(5 * time.Second):
			b.Fatal("a key has no frame")
		}
		time.Sleep(time.Duration(20+i%13) * time.Millisecond) // a fast typist, in no step with the frames
	}
	b.StopTimer()
	lasted := time.Since(start)
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
	if n := x.frames.Load() - frames; n > 0 {
		b.ReportMetric(float64(x.bytes.Load()-bytes)/float64(n), "B/frame")
		b.ReportMetric(float64(n)/lasted.Seconds(), "frames/s")
	}
	b.ReportMetric(float64(x.most()), "most-frames/s")
	b.ReportMetric(100*float64(cpu(b)-used)/float64(lasted), "cpu-%")
	b.ReportMetric(0, "ns/op")
}
