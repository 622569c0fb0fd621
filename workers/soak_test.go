//go:build linux

package workers_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// soakVariable makes the long tests run: how long, as a duration.
const soakVariable = "DISPATCHER_SOAK"

func soakFor(t *testing.T) time.Duration {
	t.Helper()
	v := os.Getenv(soakVariable)
	if v == "" {
		t.Skipf("set %s to a duration, such as 10m", soakVariable)
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSoak has five workers write 1,000 lines a second each, through launcher,
// supervisors and watchers, and holds the memory of the process that watches to
// being flat.
func TestSoak(t *testing.T) {
	long := soakFor(t)
	b := newBench(t)
	ctx, cancel := context.WithTimeout(t.Context(), long+5*time.Minute)
	defer cancel()
	var calls atomic.Int64
	var watching sync.WaitGroup
	var supervisors []int
	last := make([]workers.Status, 5)
	for i := range last {
		run := fmt.Sprintf("busy-%d", i)
		supervisors = append(supervisors, b.start(b.spec(run, "busy", long.String())).PID)
		watching.Go(func() {
			if err := b.l.Watch(ctx, run, func(st workers.Status) { calls.Add(1); last[i] = st }); err != nil {
				t.Errorf("watch: %v", err)
			}
		})
	}
	over := make(chan struct{})
	go func() { watching.Wait(); close(over) }()
	begun, cpu := time.Now(), ownCPU(t)
	var rss, below []int // in kB
	every := max(time.Second, long/30)
	var super time.Duration
	for done := false; !done; {
		select {
		case <-over:
			done = true
		case <-time.After(every):
			rss = append(rss, memory("self", "VmRSS"))
			sum := 0
			for _, pid := range supervisors {
				sum += memory(strconv.Itoa(pid), "VmRSS")
			}
			below = append(below, sum)
			if d := cpuOf(supervisors); d > 0 {
				super = d
			}
			t.Logf("%6s  loop %4.1f MB, five supervisors %5.1f MB", time.Since(begun).Round(time.Second), mb(rss[len(rss)-1]), mb(sum))
		}
	}
	took := time.Since(begun)
	lines := 0
	for i, st := range last {
		lines += st.Lines
		if st.Exit == nil || st.Exit.Final != "STATUS: COMPLETE" {
			t.Errorf("worker %d: %+v", i, st.Exit)
		}
	}
	t.Logf("%d lines shown in %s, of %.0f written, %d calls; CPU of the loop %.1f %% of a core, of five supervisors %.1f %%",
		lines, took.Round(time.Second), 5*long.Seconds()*1000, calls.Load(), 100*(ownCPU(t)-cpu).Seconds()/took.Seconds(), 100*super.Seconds()/took.Seconds())
	if n := len(rss); n >= 9 {
		early, late := slices.Max(rss[n/9:n/3]), slices.Max(rss[2*n/3:n-1])
		t.Logf("loop: at most %.1f MB in the first third, %.1f MB in the last; supervisors at most %.1f MB", mb(early), mb(late), mb(slices.Max(below)))
		if late > early+early/5+8<<10 {
			t.Errorf("memory grows: %.1f MB, then %.1f MB", mb(early), mb(late))
		}
	}
}

// TestLongLineMemory tells what one line of 70 MB costs whoever reads it.
func TestLongLineMemory(t *testing.T) {
	soakFor(t)
	b := newBench(t)
	before := memory("self", "VmHWM")
	pid := strconv.Itoa(b.start(b.spec("r", "long")).PID)
	ended := make(chan workers.Exit, 1)
	go func() { ended <- b.exit("r") }()
	peak := 0
	for {
		select {
		case x := <-ended:
			if x.Final != "STATUS: COMPLETE after long lines" {
				t.Errorf("%+v", x)
			}
			t.Logf("lines of 0.1, 2 and 70 MB: peak of the supervisor %.1f MB; of this process %.1f MB, %.1f MB before", mb(peak), mb(memory("self", "VmHWM")), mb(before))
			if peak > 64<<10 {
				t.Errorf("the supervisor took %.1f MB", mb(peak))
			}
			return
		case <-time.After(2 * time.Millisecond):
			peak = max(peak, memory(pid, "VmHWM"))
		}
	}
}

func mb(kB int) float64 { return float64(kB) / 1024 }

// memory reads a field of a process's status, in kB; 0 when it is gone.
func memory(pid, field string) int {
	data, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), field+":")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	n, err := strconv.Atoi(words[0])
	if err != nil {
		return 0
	}
	return n
}

func ownCPU(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpuOf is the processor time of living processes.
func cpuOf(pids []int) (sum time.Duration) {
	const tick = 10 * time.Millisecond // of the kernel's accounts
	for _, pid := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0
		}
		f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		for _, s := range f[11:13] {
			n, err := strconv.Atoi(s)
			if err != nil {
				return 0
			}
			sum += time.Duration(n) * tick
		}
	}
	return sum
}
