package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/loop/state"
)

// ctlVerb is one command of `ctl` that asks something of the loop.
type ctlVerb struct {
	kind  state.CommandKind
	short string
	did   string // what is said when the loop has taken it
	row   bool   // it takes a ref
	body  string // what its text is; empty when it takes none
	must  bool   // the text is required
}

func ctlVerbs() []ctlVerb {
	return []ctlVerb{
		{kind: state.CommandPause, short: "Start nothing new; what runs goes on", did: "paused"},
		{kind: state.CommandResume, short: "Start work again", did: "resumed"},
		{kind: state.CommandFire, short: "Fire now", did: "firing"},
		{kind: state.CommandHold, short: "Work on an issue no further", did: "held", row: true, body: "why"},
		{kind: state.CommandUnhold, short: "Let a held issue go on", did: "let go on", row: true, body: "why"},
		{kind: state.CommandRetry, short: "Try an issue again now, given up or waiting", did: "will be tried again", row: true, body: "a note for the worker"},
		{kind: state.CommandStop, short: "Stop the worker on an issue and hold the issue", did: "is being stopped", row: true, body: "why"},
		{kind: state.CommandAnswer, short: "Answer a question; the issue moves on", did: "answered", row: true, body: "the answer, in Markdown", must: true},
		{kind: state.CommandComment, short: "Say something on an issue, as its owner", did: "commented", row: true, body: "what to say, in Markdown", must: true},
		{kind: state.CommandClaim, short: "Take an issue yourself; no agent works on it", did: "is yours", row: true},
		{kind: state.CommandRelease, short: "Let an issue go, whoever holds it", did: "released", row: true},
		{kind: state.CommandDispatch, short: "Work an issue next, if the rules allow, or say why not", did: "is next", row: true},
		{kind: state.CommandTouch, short: "Let the loop leave an issue alone for ten seconds", did: "is left alone for ten seconds", row: true},
		{kind: state.CommandDrain, short: "Finish what runs, start nothing new, then end", did: "draining"},
		{kind: state.CommandAbort, short: "Stop all workers, put their rows back, then end", did: "aborting"},
	}
}

func newCtlCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ctl",
		Short: "Steer the loop that runs over this repository",
		Long: `Steer the loop that runs over this repository, from another terminal or a
script. Each command is answered when the loop has taken it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCtlStatusCmd(f))
	for _, v := range ctlVerbs() {
		cmd.AddCommand(newCtlVerbCmd(f, v))
	}
	cmd.AddCommand(newCtlWorkerCmds(f)...)
	cmd.AddCommand(newCtlRowCmds(f)...)
	cmd.AddCommand(newCtlEventsCmd(f))
	return cmd
}

// ctlDone is what a command answers with --json. One that was not taken says
// why in Error, on standard error too, and exits 1.
type ctlDone struct {
	Command state.CommandKind `json:"command"`
	Ref     board.Ref         `json:"ref,omitempty"`
	Taken   bool              `json:"taken"`
	Unknown bool              `json:"unknown,omitempty"` // it was sent, and no answer says whether it was done
	Undo    uint64            `json:"undo,omitempty"`    // names it for ctl undo
	Text    string            `json:"text,omitempty"`
	Pending bool              `json:"pending,omitempty"` // it was sent, and the worker has not shown that it took it
	Error   string            `json:"error,omitempty"`
}

func newCtlVerbCmd(f *app.Factory, v ctlVerb) *cobra.Command {
	var body bodyFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   string(v.kind),
		Short: v.short,
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			c := state.Command{Kind: v.kind}
			if v.row {
				p, ref, err := boardRef(cmd.Context(), f, args[0])
				if err != nil {
					return err
				}
				if _, err := p.Issue(cmd.Context(), ref); err != nil {
					return err
				}
				c.Ref = ref
			}
			text, given, err := body.read(f, cmd)
			if err != nil {
				return err
			}
			if v.must && !given {
				return fmt.Errorf("%s takes --body <text> or --body-file <path>", v.kind)
			}
			c.Text = strings.TrimSpace(text)
			return runCtl(cmd.Context(), f, c, v, asJSON)
		},
	}
	if v.row {
		cmd.Use += " <ref>"
		cmd.Args = exactArgs("an issue")
		cmd.ValidArgsFunction = completingOnce(f, refs)
	}
	if v.must {
		cmd.Use += " (--body <text> | --body-file <path>)"
	}
	if v.body != "" {
		body.add(cmd, v.body)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return cmd
}

func runCtl(ctx context.Context, f *app.Factory, c state.Command, v ctlVerb, asJSON bool) error {
	client, err := f.Control(ctx)
	if err != nil {
		return err
	}
	done, err := client.Send(ctx, c)
	if err != nil {
		var unprinted error
		if asJSON {
			unprinted = printJSON(f, ctlDone{Command: c.Kind, Ref: c.Ref, Unknown: errors.Is(err, app.ErrUnanswered), Error: err.Error()})
		}
		return failWith(errors.Join(ofCommand(&c, err), unprinted))
	}
	ref := c.Ref
	if done.Ref != "" {
		ref = done.Ref
	}
	if asJSON {
		return printJSON(f, ctlDone{Command: c.Kind, Ref: ref, Taken: true, Undo: done.Undo, Text: done.Text, Pending: done.Pending})
	}
	if done.Pending {
		return say(f, "%s", strings.TrimPrefix(string(ref)+": "+done.Text, ": "))
	}
	if done.Text != "" && v.did == "done" {
		if done.Undo != 0 {
			return say(f, "%s (ctl undo %d takes it back)", done.Text, done.Undo)
		}
		return say(f, "%s", done.Text)
	}
	return say(f, "%s", strings.TrimSpace(string(c.Ref)+" "+v.did))
}

// ofCommand says which command an error is about, unless the error does.
func ofCommand(c *state.Command, err error) error {
	if _, _, more := strings.Cut(err.Error(), ": "); more && c.NamedIn(err.Error()) {
		return err
	}
	return fmt.Errorf("%s: %w", strings.TrimSpace(string(c.Kind)+" "+string(c.Ref)), err)
}

func newCtlStatusCmd(f *app.Factory) *cobra.Command {
	var asJSON, short bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the loop does, what runs and what needs you",
		Long: `Say what the loop does, what runs and what needs you. With --short it is one
line for the status line of a tmux, "○ no loop" where none runs:

    set -g status-interval 5
    set -g status-right "#(cd /path/to/repository && dispatcher ctl status --short)"`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.Control(cmd.Context())
			if err != nil {
				return err
			}
			s, err := client.Snapshot(cmd.Context())
			switch {
			case short && errors.Is(err, app.ErrNoLoop):
				return say(f, "○ no loop")
			case err != nil:
				return failWith(err)
			case short:
				return say(f, "%s", shortStatus(s))
			case asJSON:
				return printJSON(f, s)
			}
			return printStatus(f, s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the whole snapshot as JSON")
	cmd.Flags().BoolVar(&short, "short", false, "one line, for a status line")
	return cmd
}

// printStatus says in lines what the control room shows on top.
func printStatus(f *app.Factory, s *state.Snapshot) error {
	lines := []string{fmt.Sprintf("%s · %s · %s · firing %d · $%.2f today",
		s.Mode, s.Repository, strings.Join(s.Milestones, " "), s.Firing, s.CostToday)}
	if s.Status != "" {
		lines = append(lines, s.Status)
	}
	if s.PollError != "" {
		lines = append(lines, "! "+s.PollError)
	}
	if s.Reading != nil && s.At.Sub(s.StepSince) > state.Moment {
		lines = append(lines, "reading the board: "+s.Reading.String())
	}
	for i := range s.Workers {
		w := &s.Workers[i]
		if w.Outcome != "" {
			continue
		}
		lines = append(lines, workerLine(s, w))
	}
	lines = append(lines, requestLines(s)...)
	for _, n := range s.Needs {
		if n.Kind == state.NeedRequest {
			continue
		}
		lines = append(lines, fmt.Sprintf("! %s %s, %s: %s", n.Ref, n.Kind, age(s.At.Sub(n.Since)), firstLineOf(n.Text)))
	}
	for _, line := range lines {
		if err := say(f, "%s", line); err != nil {
			return err
		}
	}
	return nil
}

// age is a duration as people say it.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

func firstLineOf(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
