package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/loop/state"
)

// newCtlRowCmds are the owner's commands about a row, a pull request or the
// last command.
func newCtlRowCmds(f *app.Factory) []*cobra.Command {
	return []*cobra.Command{
		newCtlMoveCmd(f), newCtlOrderCmd(f), newCtlTickCmd(f), newCtlLabelCmd(f), newCtlCreateCmd(f), newCtlEditCmd(f),
		newCtlUndoCmd(f), newCtlMergeCmd(f), newCtlRequestCmd(f), newCtlUpdateCmd(f), newCtlLeaveCmd(f), newCtlAckCmd(f),
	}
}

// ctlAct is one of them: fill makes the command from the arguments.
func ctlAct(f *app.Factory, cmd *cobra.Command, fill func(cmd *cobra.Command, args []string) (state.Command, error)) *cobra.Command {
	var asJSON bool
	cmd.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := fill(cmd, args)
		if err != nil {
			return err
		}
		return runCtl(cmd.Context(), f, c, ctlVerb{kind: c.Kind, did: "done"}, asJSON)
	}
	return cmd
}

// aboutRow reads the ref that comes first.
func aboutRow(ctx context.Context, f *app.Factory, k state.CommandKind, arg string) (state.Command, error) {
	_, ref, err := boardRef(ctx, f, arg)
	return state.Command{Kind: k, Ref: ref}, err
}

func newCtlMoveCmd(f *app.Factory) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use: "move <ref> <role>", Short: "Move an issue to the column of a role", Args: exactArgs("an issue", "a role"),
		ValidArgsFunction: completingOnce(f, refs, roles),
	}
	cmd.Flags().StringVar(&from, "from", "", "the role in which you saw it; refused when it has left it")
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		c, err := aboutRow(cmd.Context(), f, state.CommandMove, args[0])
		if err != nil {
			return c, err
		}
		var ok bool
		if c.Role, ok = board.ParseRole(args[1]); !ok {
			return c, fmt.Errorf("%q is no role; they are %s", args[1], roleWords())
		}
		if from != "" {
			if c.From, ok = board.ParseRole(from); !ok {
				return c, fmt.Errorf("%q is no role; they are %s", from, roleWords())
			}
		}
		return c, nil
	})
}

func roleWords() string {
	var out []string
	for _, r := range board.Roles() {
		out = append(out, r.Word())
	}
	return strings.Join(out, ", ")
}

func newCtlOrderCmd(f *app.Factory) *cobra.Command {
	var before, after string
	var top bool
	cmd := &cobra.Command{
		Use: "order <ref> (--before <ref> | --after <ref> | --top)", Short: "Carry an issue to another place of the board",
		Args: exactArgs("an issue"), ValidArgsFunction: completingOnce(f, refs),
	}
	cmd.Flags().StringVar(&before, "before", "", "put it before this issue")
	cmd.Flags().StringVar(&after, "after", "", "put it after this issue")
	cmd.Flags().BoolVar(&top, "top", false, "put it first")
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		if err := onePlace(cmd, before, after, top); err != nil {
			return state.Command{}, err
		}
		c, err := aboutRow(cmd.Context(), f, state.CommandOrder, args[0])
		c.Before, c.After, c.Top = board.Ref(before), board.Ref(after), top
		return c, err
	})
}

// onePlace refuses a place that is none or several.
func onePlace(cmd *cobra.Command, before, after string, top bool) error {
	given := 0
	for _, is := range []bool{before != "", after != "", top} {
		if is {
			given++
		}
	}
	if given == 1 {
		return nil
	}
	return fmt.Errorf("%s takes one place, --before an issue, --after an issue or --top: %s", cmd.Name(), cmd.UseLine())
}

func newCtlTickCmd(f *app.Factory) *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use: "tick <ref> <number>", Short: "Tick a box of an issue's description", Args: exactArgs("an issue", "the number of a box"),
		ValidArgsFunction: completingOnce(f, refs),
	}
	cmd.Flags().BoolVar(&off, "off", false, "clear it instead")
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		c, err := aboutRow(cmd.Context(), f, state.CommandTick, args[0])
		if err != nil {
			return c, err
		}
		if c.N, err = strconv.Atoi(args[1]); err != nil {
			return c, fmt.Errorf("%q is not the number of a box", args[1])
		}
		c.Off = off
		return c, nil
	})
}

func newCtlLabelCmd(f *app.Factory) *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use: "label <ref> <label>", Short: "Put a label on an issue", Args: exactArgs("an issue", "a label"),
		ValidArgsFunction: completingThen(f, labelsOf(f, func(*cobra.Command, []string) bool { return off }), refs),
	}
	cmd.Flags().BoolVar(&off, "off", false, "take it off instead")
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		c, err := aboutRow(cmd.Context(), f, state.CommandLabel, args[0])
		c.Text, c.Off = args[1], off
		return c, err
	})
}

// draftFlags are the text and the belongings of an issue.
type draftFlags struct {
	title, milestone string
	labels, blockers []string
	body             bodyFlags
}

func (d *draftFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.milestone, "milestone", "", "its milestone")
	cmd.Flags().StringArrayVar(&d.labels, "label", nil, "a label; all of them, when one is given; '' alone is none")
	cmd.Flags().StringArrayVar(&d.blockers, "blocked-by", nil, "an issue that must be done before; all of them, when one is given; '' alone is none")
	d.body.add(cmd, "its description, in Markdown")
}

func (d *draftFlags) draft(f *app.Factory, cmd *cobra.Command) (*state.IssueDraft, error) {
	var out state.IssueDraft
	text, given, err := d.body.read(f, cmd)
	if err != nil {
		return nil, err
	}
	if given {
		out.Body = &text
	}
	if d.title != "" {
		out.Title = &d.title
	}
	if cmd.Flags().Changed("milestone") {
		out.Milestone = &d.milestone
	}
	if cmd.Flags().Changed("label") {
		out.Labels = named(d.labels)
	}
	if cmd.Flags().Changed("blocked-by") {
		out.Blockers = []board.Ref{}
	}
	for _, b := range named(d.blockers) {
		_, ref, err := boardRef(cmd.Context(), f, b)
		if err != nil {
			return nil, err
		}
		out.Blockers = append(out.Blockers, ref)
	}
	return &out, nil
}

// named are the names of a list without the empty one, which stands for a list
// of none.
func named(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func newCtlCreateCmd(f *app.Factory) *cobra.Command {
	var d draftFlags
	cmd := &cobra.Command{Use: "create <title>", Short: "Make a new issue in Backlog", Args: exactArgs("a title")}
	d.add(cmd)
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		d.title = args[0]
		draft, err := d.draft(f, cmd)
		return state.Command{Kind: state.CommandCreate, Issue: draft}, err
	})
}

func newCtlEditCmd(f *app.Factory) *cobra.Command {
	var d draftFlags
	cmd := &cobra.Command{
		Use: "edit <ref>", Short: "Change the text and belongings of an issue; what is not named stays",
		Args: exactArgs("an issue"), ValidArgsFunction: completingOnce(f, refs),
	}
	d.add(cmd)
	cmd.Flags().StringVar(&d.title, "title", "", "its title")
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		c, err := aboutRow(cmd.Context(), f, state.CommandEdit, args[0])
		if err != nil {
			return c, err
		}
		if cmd.Flags().NFlag() == 0 || cmd.Flags().NFlag() == 1 && cmd.Flags().Changed("json") {
			return c, errors.New("edit takes at least one change, for example --title (dispatcher ctl edit --help lists them)")
		}
		c.Issue, err = d.draft(f, cmd)
		return c, err
	})
}

func newCtlUndoCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "undo [number]", Short: "Take back the last command, or the one that answered the number", Args: someArgs(0, 1, "at most the number of a command"),
	}
	return ctlAct(f, cmd, func(_ *cobra.Command, args []string) (state.Command, error) {
		c := state.Command{Kind: state.CommandUndo}
		if len(args) == 1 {
			var err error
			if c.ID, err = strconv.ParseUint(args[0], 10, 64); err != nil {
				return c, fmt.Errorf("%q is not the number of a command", args[0])
			}
		}
		return c, nil
	})
}

func newCtlMergeCmd(f *app.Factory) *cobra.Command {
	var head string
	var force bool
	cmd := &cobra.Command{Use: "merge <pr>", Short: "Merge a pull request", Args: exactArgs("a pull request"), ValidArgsFunction: completingOnce(f, openPulls)}
	cmd.Flags().StringVar(&head, "head", "", "the commit that you read; refused when it moved")
	cmd.Flags().BoolVar(&force, "force", false, "merge although checks are red")
	return ctlAct(f, cmd, func(_ *cobra.Command, args []string) (state.Command, error) {
		return state.Command{Kind: state.CommandMerge, PR: pullName(args[0]), Head: head, Force: force}, nil
	})
}

func newCtlRequestCmd(f *app.Factory) *cobra.Command {
	var head string
	var body bodyFlags
	cmd := &cobra.Command{Use: "request <pr>", Short: "Send a pull request back with what should change", Args: exactArgs("a pull request"), ValidArgsFunction: completingOnce(f, openPulls)}
	cmd.Flags().StringVar(&head, "head", "", "the commit that you read; refused when it moved")
	body.add(cmd, "what should change, in Markdown")
	return ctlAct(f, cmd, func(cmd *cobra.Command, args []string) (state.Command, error) {
		text, given, err := body.read(f, cmd)
		if err == nil && !given {
			err = errors.New("say what should change: --body <text> or --body-file <path>")
		}
		return state.Command{Kind: state.CommandRequest, PR: pullName(args[0]), Head: head, Text: strings.TrimSpace(text)}, err
	})
}

func newCtlUpdateCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "update-pr <pr>", Short: "Bring a pull request up to date with its base", Args: exactArgs("a pull request"), ValidArgsFunction: completingOnce(f, openPulls)}
	return ctlAct(f, cmd, func(_ *cobra.Command, args []string) (state.Command, error) {
		return state.Command{Kind: state.CommandUpdatePR, PR: pullName(args[0])}, nil
	})
}

// pullName is the name of a pull request that a person typed as a number.
func pullName(s string) string {
	if _, err := strconv.Atoi(s); err == nil {
		return "#" + s
	}
	return s
}

func newCtlLeaveCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "leave", Short: "End the loop; its workers go on until the next start takes them up", Args: noArgs}
	return ctlAct(f, cmd, func(*cobra.Command, []string) (state.Command, error) {
		return state.Command{Kind: state.CommandLeave}, nil
	})
}

func newCtlAckCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "ack <number>", Short: "Forget a notice, by its id in `ctl status --json`", Args: exactArgs("the number of a notice")}
	return ctlAct(f, cmd, func(_ *cobra.Command, args []string) (state.Command, error) {
		n, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil {
			return state.Command{}, fmt.Errorf("%q is not the number of a notice", args[0])
		}
		return state.Command{Kind: state.CommandAck, ID: n}, nil
	})
}
