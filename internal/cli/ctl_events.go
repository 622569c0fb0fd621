package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/loop/state"
)

func newCtlEventsCmd(f *app.Factory) *cobra.Command {
	var after uint64
	var follow, asJSON bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Print what has happened in the loop, and with --follow what happens",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runEvents(cmd.Context(), f, after, follow, asJSON)
		},
	}
	cmd.Flags().Uint64Var(&after, "after", 0, "begin after the event with this number")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the loop ends")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func runEvents(ctx context.Context, f *app.Factory, after uint64, follow, asJSON bool) error {
	client, err := f.Control(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := client.EventsSoFar
	if follow {
		read = client.Events
	}
	events, err := read(ctx, after)
	if err != nil {
		return failWith(err)
	}
	for ev := range events {
		if err := printEvent(f, &ev, asJSON); err != nil {
			return err
		}
	}
	if follow && ctx.Err() == nil {
		return failWith(errors.New("the loop went away"))
	}
	return nil
}

func printEvent(f *app.Factory, ev *state.Event, asJSON bool) error {
	if asJSON {
		data, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(f.IO.Out, "%s\n", data)
		return err
	}
	who := strings.TrimSpace(fmt.Sprintf("%s %s", ev.Ref, ev.Worker))
	return say(f, "%s  %-10s  %s", ev.At.Local().Format("15:04:05"), ev.Kind, strings.TrimSpace(who+"  "+firstLineOf(ev.Text)))
}

// shortStatus is one line for the status line of a tmux.
func shortStatus(s *state.Snapshot) string {
	sign := "●"
	switch s.Mode {
	case state.ModeRunning:
	case state.ModePaused:
		sign = "="
	case state.ModeDraining, state.ModeAborting:
		sign = "◐"
	case state.ModeStopped:
		sign = "○"
	}
	var busy []string
	for _, k := range []struct {
		n    int
		word string
	}{{s.Slots.Developers, "dev"}, {s.Slots.Reviewers, "rev"}, {s.Slots.Cleaners, "clean"}} {
		if k.n > 0 {
			busy = append(busy, fmt.Sprintf("%d %s", k.n, k.word))
		}
	}
	if len(busy) == 0 {
		busy = []string{"idle"}
	}
	if s.Mode != state.ModeRunning {
		busy = append([]string{string(s.Mode)}, busy...)
	}
	parts := []string{sign + " " + strings.Join(busy, " ")}
	if n := len(s.Needs); n > 0 {
		parts = append(parts, fmt.Sprintf("! %d", n))
	}
	if s.PollError != "" {
		parts = append(parts, "✗ board")
	}
	return strings.Join(append(parts, fmt.Sprintf("$%.2f", s.CostToday)), " · ")
}
