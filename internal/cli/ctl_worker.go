package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/loop/state"
)

// newCtlWorkerCmds are the commands for a worker that runs, each named by the
// issue that it works.
func newCtlWorkerCmds(f *app.Factory) []*cobra.Command {
	return append([]*cobra.Command{
		newCtlSteerCmd(f), newCtlInterruptCmd(f), newCtlAllowCmd(f), newCtlDenyCmd(f), newCtlReplyCmd(f),
	}, newCtlTakeOverCmds(f)...)
}

// ctlWorker is one such command: fill puts the arguments after the ref, and
// the flags, into what is sent.
type ctlWorker struct {
	kind             state.CommandKind
	use, short, long string
	did              string
	min, max         int      // arguments after the ref
	names            []string // what they are, for a refusal
	fill             func(cmd *cobra.Command, c *state.Command, args []string) error
	request          bool
}

func newCtlWorkerCmd(f *app.Factory, w ctlWorker) *cobra.Command {
	var asJSON bool
	var request string
	cmd := &cobra.Command{
		Use: w.use, Short: w.short, Long: w.long,
		Args: someArgs(1+w.min, 1+w.max, append([]string{"an issue"}, w.names...)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, ref, err := boardRef(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			c := state.Command{Kind: w.kind, Ref: ref, Request: request}
			if w.fill != nil {
				if err := w.fill(cmd, &c, args[1:]); err != nil {
					return err
				}
			}
			return runCtl(cmd.Context(), f, c, ctlVerb{kind: w.kind, did: w.did}, asJSON)
		},
		ValidArgsFunction: completingOnce(f, working),
	}
	if w.request {
		cmd.Flags().StringVar(&request, "request", "", "which of several requests, by its id")
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return cmd
}

func newCtlSteerCmd(f *app.Factory) *cobra.Command {
	var body bodyFlags
	cmd := newCtlWorkerCmd(f, ctlWorker{
		kind: state.CommandSteer, use: "steer <ref> [text]", short: "Say something to the worker on an issue",
		long: `Say something to the worker on an issue. It reads the message when the tool that
it runs has ended; ` + "`ctl status`" + ` shows whether it has. A worker that was
interrupted goes on with it.`,
		did: "was told", max: 1,
		fill: func(cmd *cobra.Command, c *state.Command, args []string) error {
			text, given, err := body.read(f, cmd)
			switch {
			case err != nil:
				return err
			case given == (len(args) == 1):
				return errors.New("say it as the second argument, or by --body <text> or --body-file <path>")
			case !given:
				text = args[0]
			}
			c.Text = strings.TrimSpace(text)
			return nil
		},
	})
	body.add(cmd, "what to say")
	return cmd
}

func newCtlInterruptCmd(f *app.Factory) *cobra.Command {
	return newCtlWorkerCmd(f, ctlWorker{
		kind: state.CommandInterrupt, use: "interrupt <ref>", short: "End the turn of the worker on an issue; it waits for your word",
		long: `End the turn of the worker on an issue. It stands still, keeps its claim and its
slot, and waits until ` + "`ctl steer`" + ` says how to go on or ` + "`ctl stop`" + ` ends it.`,
		did: "is interrupted and waits for your word",
	})
}

func newCtlAllowCmd(f *app.Factory) *cobra.Command {
	var always bool
	cmd := newCtlWorkerCmd(f, ctlWorker{
		kind: state.CommandAllow, use: "allow <ref>", short: "Allow what the worker on an issue asks for", did: "is allowed", request: true,
		fill: func(_ *cobra.Command, c *state.Command, _ []string) error {
			c.Always = always
			return nil
		},
	})
	cmd.Flags().BoolVar(&always, "always", false, "also the same, and the like of it, for the rest of this run")
	return cmd
}

func newCtlDenyCmd(f *app.Factory) *cobra.Command {
	var body bodyFlags
	cmd := newCtlWorkerCmd(f, ctlWorker{
		kind: state.CommandDeny, use: "deny <ref>", short: "Deny what the worker on an issue asks for", did: "is denied", request: true,
		fill: func(cmd *cobra.Command, c *state.Command, _ []string) error {
			text, _, err := body.read(f, cmd)
			c.Text = strings.TrimSpace(text)
			return err
		},
	})
	body.add(cmd, "why; the worker reads it")
	return cmd
}

func newCtlReplyCmd(f *app.Factory) *cobra.Command {
	return newCtlWorkerCmd(f, ctlWorker{
		kind: state.CommandReply, use: "reply <ref> <answer>...", short: "Answer what the running worker on an issue asks",
		long: `Answer what the running worker on an issue asks: one answer for each of its
questions, a label that it proposes or words of your own. A question that an
issue was parked with is answered by ` + "`ctl answer`" + `.`,
		did: "is answered", request: true, min: 1, max: 16, names: []string{"an answer"},
		fill: func(_ *cobra.Command, c *state.Command, args []string) error {
			c.Answers = args
			return nil
		},
	})
}

// working are the issues that a worker is on; none without a loop.
func working(ctx context.Context, f *app.Factory) []cobra.Completion {
	client, err := f.Control(ctx)
	if err != nil {
		return nil
	}
	s, err := client.Snapshot(ctx)
	if err != nil {
		return nil
	}
	var out []cobra.Completion
	for i := range s.Workers {
		if w := &s.Workers[i]; w.Outcome == "" {
			out = append(out, choice(string(w.Run.Ref), w.Run.Title))
		}
	}
	return out
}

// requestLines say what running workers ask, with how to answer.
func requestLines(s *state.Snapshot) []string {
	var out []string
	for i := range s.Requests {
		q := &s.Requests[i]
		line := fmt.Sprintf("? %s asks, %s: %s", q.Ref, age(s.At.Sub(q.Since)), strings.TrimSpace(q.Tool+" "+q.Summary))
		how := "ctl allow|deny " + string(q.Ref)
		if q.Kind == state.RequestQuestion {
			how = "ctl reply " + string(q.Ref)
		}
		if !q.Until.IsZero() {
			how += fmt.Sprintf("; %s in %s", q.Default, remaining(q.Until.Sub(s.At)))
		}
		out = append(out, line+" ("+how+")", "  request "+q.ID)
		for _, x := range q.Questions {
			out = append(out, "  "+firstLineOf(x.Text))
			for _, o := range x.Options {
				out = append(out, strings.TrimRight("  - "+o.Label+"  "+firstLineOf(o.Description), " "))
			}
		}
	}
	return out
}

// remaining is a span to come.
func remaining(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	}
	return age(d)
}

// workerLine is one running worker, with what its owner said to it.
func workerLine(s *state.Snapshot, w *state.Worker) string {
	does := orDash(w.Activity)
	if w.TakenOver {
		does = "you have it, taken over (dispatcher take-over " + string(w.Run.Ref) + ")"
	}
	if w.Waiting {
		does = "interrupted; it waits for your word (ctl steer|stop " + string(w.Run.Ref) + ")"
	}
	line := fmt.Sprintf("%s %s try %d, %s: %s", w.Run.Ref, w.Run.Kind, w.Run.Attempt, age(s.At.Sub(w.Run.ClaimedAt)), does)
	if n := len(w.Messages); n > 0 {
		m := &w.Messages[n-1]
		line += fmt.Sprintf(" · your last message, %s, was %s", age(s.At.Sub(m.At)), m.State)
	}
	return line
}
