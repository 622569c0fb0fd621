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
)

func newBoardCommentCmd(f *app.Factory) *cobra.Command {
	var body bodyFlags
	var as string
	cmd := &cobra.Command{
		Use:   "comment <ref> (--body <text> | --body-file <path>)",
		Short: "Comment on an issue, as its owner or under a role's tag",
		Args:  exactArgs("an issue"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, given, err := body.read(f, cmd)
			if err != nil {
				return err
			}
			if !given {
				return errors.New("comment takes --body <text> or --body-file <path>")
			}
			return runBoardComment(cmd.Context(), f, args[0], board.ActorKind(as), text)
		},
		ValidArgsFunction: completingOnce(f, refs),
	}
	cmd.Flags().StringVar(&as, "as", string(board.ActorOwner), "whose comment it is: owner, dispatcher, developer, reviewer or cleaner")
	body.add(cmd, "the comment, in Markdown")
	return cmd
}

func runBoardComment(ctx context.Context, f *app.Factory, arg string, as board.ActorKind, text string) error {
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	if _, err := p.Comment(ctx, ref, as, strings.TrimSpace(text)); err != nil {
		return err
	}
	return say(f, "%s commented as %s", ref, as)
}

func newBoardAnswerCmd(f *app.Factory) *cobra.Command {
	var body bodyFlags
	var to string
	cmd := &cobra.Command{
		Use:   "answer <ref> (--body <text> | --body-file <path>)",
		Short: "Answer a question and move the issue on in one step",
		Long: `Answer a question and move the issue on in one step: to Ready without a pull
request, to Changes Requested with one, or to where --to says.`,
		Args:              exactArgs("an issue"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, given, err := body.read(f, cmd)
			if err != nil {
				return err
			}
			if !given {
				return errors.New("answer takes --body <text> or --body-file <path>")
			}
			return runBoardAnswer(cmd.Context(), f, args[0], strings.TrimSpace(text), to)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the role to move the issue to")
	body.add(cmd, "the answer, in Markdown")
	return cmd
}

func runBoardAnswer(ctx context.Context, f *app.Factory, arg, text, to string) error {
	role := board.RoleNone
	if to != "" {
		var ok bool
		if role, ok = board.ParseRole(to); !ok {
			return fmt.Errorf("answer %s: --to is %q; it takes a role, for example ready", arg, to)
		}
	}
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	if err := p.Answer(ctx, ref, text, role); err != nil {
		return err
	}
	after, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	return say(f, "%s answered, moved to %s", ref, after.State)
}

func newBoardLabelCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "label <ref> add|remove <name>",
		Short: "Put a label that the board has on an issue, or take it off",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 3 || args[1] != "add" && args[1] != "remove" {
				return errors.New("label takes an issue, add or remove, and a label, for example: label DSP-12 add UI")
			}
			return nil
		},
		ValidArgsFunction: completingThen(f, labelsOf(f, func(_ *cobra.Command, args []string) bool { return args[1] == "remove" }),
			refs, func(context.Context, *app.Factory) []cobra.Completion { return []cobra.Completion{"add", "remove"} }),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBoardLabel(cmd.Context(), f, args[0], args[1] == "add", strings.Join(args[2:], " "))
		},
	}
}

func runBoardLabel(ctx context.Context, f *app.Factory, arg string, add bool, name string) error {
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	if err := p.Label(ctx, ref, name, add); err != nil {
		return err
	}
	i, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	return say(f, "%s labels: %s", ref, orDash(strings.Join(i.Labels, ", ")))
}

func newBoardLinkPRCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "link-pr <ref> <url|number>",
		Short:             "Attach a pull request to an issue",
		Args:              exactArgs("an issue", "a pull request, by number or URL"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			p, ref, err := boardRef(ctx, f, args[0])
			if err != nil {
				return err
			}
			name := args[1]
			if !strings.Contains(name, "://") {
				pr, err := f.PullNamed(ctx, name)
				if err != nil {
					return err
				}
				name = pr.Name
			}
			if err := p.LinkPR(ctx, ref, name); err != nil {
				return err
			}
			return say(f, "%s linked %s", ref, name)
		},
	}
}

func newBoardTickCmd(f *app.Factory) *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use:               "tick <ref> <number|text>",
		Short:             "Tick a checkbox of an issue's description",
		Args:              someArgs(2, -1, "an issue", "the number or the text of a box"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			box := board.Box{Text: text, Set: !off}
			if n, err := strconv.Atoi(text); err == nil {
				box = board.Box{N: n, Set: !off}
			}
			return runBoardTick(cmd.Context(), f, args[0], box)
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "clear the checkbox")
	return cmd
}

func runBoardTick(ctx context.Context, f *app.Factory, arg string, box board.Box) error {
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	if err := p.Tick(ctx, ref, box); err != nil {
		return err
	}
	i, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	done, all, _ := board.AllTicked(i.Body)
	return say(f, "%s has %d of %d checkboxes ticked", ref, done, all)
}
