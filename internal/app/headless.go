package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// runHeadless prints one status line a firing until the loop ends. Ctrl-C once
// drains, twice aborts; SIGTERM leaves workers running for the next start; a
// closed terminal changes nothing (design.md, section 5).
func (f *Factory) runHeadless(ctx context.Context, e *loop.Engine) (loop.End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := onSignals(ctx, cancel, func(c state.CommandKind, say string) {
		fmt.Fprintln(f.IO.Err, say)
		_, _ = e.Send(ctx, state.Command{Kind: c}) // a loop that has ended needs no command
	})
	defer stop()

	printed := make(chan struct{})
	go func() {
		defer close(printed)
		f.printFirings(e.Snapshots())
	}()
	end, err := e.Run(ctx)
	<-printed
	return end, err
}

// printFirings writes a line for every firing, none left out however fast they
// come: the snapshot carries the last of them.
func (f *Factory) printFirings(snapshots <-chan *state.Snapshot) {
	last := 0
	noticed := uint64(0)
	reading := f.newReadingLine()
	for s := range snapshots {
		if s.Reading != nil {
			reading.say(s.Reading, s.At, s.StepSince)
		}
		for _, n := range s.Notices {
			if n.ID > noticed {
				noticed = n.ID
				fmt.Fprintf(f.IO.Err, "%s  ! %s\n", n.At.Local().Format("15:04:05"), n.Text)
			}
		}
		for _, fr := range s.Firings {
			if fr.N <= last {
				continue
			}
			last = fr.N
			mark := ""
			if fr.Bad {
				mark = "! "
			}
			fmt.Fprintf(f.IO.Out, "%s  firing %d  %s%s\n", fr.At.Local().Format("15:04:05"), fr.N, mark, fr.Status)
		}
	}
}

// onSignals turns signals into what they ask of a headless loop.
func onSignals(ctx context.Context, leave context.CancelFunc, ask func(state.CommandKind, string)) func() {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		interrupts := 0
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-ch:
				switch s {
				case os.Interrupt:
					interrupts++
					if interrupts == 1 {
						ask(state.CommandDrain, "draining: nothing new starts, what runs is finished; Ctrl-C again aborts")
					} else {
						ask(state.CommandAbort, "aborting: workers are stopped, rows go back")
					}
				case syscall.SIGTERM:
					leave()
					return
				default: // SIGHUP: the loop goes on headless
				}
			}
		}
	}()
	return func() {
		signal.Stop(ch)
		leave()
		<-done
	}
}
