package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// createOptions is what `board create` takes.
type createOptions struct {
	title     string
	body      bodyFlags
	milestone string
	labels    []string
	blockers  []string
	parent    string
	state     string
	json      bool
}

func newBoardCreateCmd(f *app.Factory) *cobra.Command {
	var o createOptions
	cmd := &cobra.Command{
		Use:   "create [--title] <title>",
		Short: "Make an issue, at the end of the board",
		Long: `Make an issue, at the end of the board. It starts in Backlog unless --state
says otherwise; a milestone or a label that does not exist yet comes into being.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && o.title != "" {
				return errors.New("create takes one title, as an argument or with --title")
			}
			o.title += strings.Join(args, " ")
			text, _, err := o.body.read(f, cmd)
			if err != nil {
				return err
			}
			return runBoardCreate(cmd.Context(), f, &o, text)
		},
		ValidArgsFunction: completing(f, nothing),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.title, "title", "", "the title")
	o.body.add(cmd, "the description, in Markdown; its checkboxes are the steps")
	flags.StringVar(&o.milestone, "milestone", "", "the milestone")
	flags.StringArrayVar(&o.labels, "label", nil, "a label; may be given again")
	flags.StringArrayVar(&o.blockers, "blocked-by", nil, "an issue that must be done first; may be given again")
	flags.StringVar(&o.parent, "parent", "", "the issue it is a part of")
	flags.StringVar(&o.state, "state", "backlog", "the role it starts in")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runBoardCreate(ctx context.Context, f *app.Factory, o *createOptions, body string) error {
	role, ok := board.ParseRole(o.state)
	if !ok {
		return fmt.Errorf("create: --state is %q; it takes a role, for example ready", o.state)
	}
	p, err := f.Board(ctx)
	if err != nil {
		return err
	}
	i, err := p.Create(ctx, board.NewIssue{
		Title: o.title, Body: body, Milestone: o.milestone, Labels: o.labels,
		Blockers: refList(o.blockers), Parent: board.Ref(o.parent), State: role,
	})
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(f, i)
	}
	return say(f, "%s created in %s", i.Ref, i.State)
}

// refList takes refs one by one or with commas between them.
func refList(args []string) []board.Ref {
	var out []board.Ref
	for _, arg := range args {
		for _, s := range strings.FieldsFunc(arg, func(r rune) bool { return r == ',' || r == ' ' }) {
			out = append(out, board.Ref(s))
		}
	}
	return out
}

func newBoardEditCmd(f *app.Factory) *cobra.Command {
	var e board.Edit
	var body bodyFlags
	var title, milestone, assignee, parent string
	cmd := &cobra.Command{
		Use:               "edit <ref>",
		Short:             "Change an issue: title, description, milestone, assignee, parent, labels",
		Args:              exactArgs("an issue"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, given, err := body.read(f, cmd)
			if err != nil {
				return err
			}
			if given {
				e.Body = &text
			}
			set := func(flag string, value *string) *string {
				if cmd.Flags().Changed(flag) {
					return value
				}
				return nil
			}
			e.Title, e.Milestone, e.Assignee = set("title", &title), set("milestone", &milestone), set("assignee", &assignee)
			if p := (*board.Ref)(set("parent", &parent)); p != nil {
				e.Parent = p
			}
			return runBoardEdit(cmd.Context(), f, args[0], e)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&title, "title", "", "the title")
	body.add(cmd, "the description, in Markdown")
	flags.StringVar(&milestone, "milestone", "", "the milestone; (none) takes it out")
	flags.StringVar(&assignee, "assignee", "", "the person who works it; empty gives it back")
	flags.StringVar(&parent, "parent", "", "the issue it is a part of; empty takes it out")
	flags.StringArrayVar(&e.AddLabels, "add-label", nil, "a label to put on; may be given again")
	flags.StringArrayVar(&e.RemoveLabels, "remove-label", nil, "a label to take off; may be given again")
	return cmd
}

func runBoardEdit(ctx context.Context, f *app.Factory, arg string, e board.Edit) error {
	if e.Title == nil && e.Body == nil && e.Milestone == nil && e.Assignee == nil && e.Parent == nil && len(e.AddLabels)+len(e.RemoveLabels) == 0 {
		return errors.New("edit takes at least one change, for example --title (dispatcher board edit --help lists them)")
	}
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	if _, err := p.Edit(ctx, ref, e); err != nil {
		return err
	}
	return say(f, "%s edited", ref)
}

func newBoardBlockCmd(f *app.Factory) *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use:               "block <ref> <blocker>",
		Short:             "Hold an issue back until another is done",
		Args:              exactArgs("an issue", "the issue that holds it back"),
		ValidArgsFunction: completingOnce(f, refs, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, ref, err := boardRef(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			blocker, err := p.ParseRef(args[1])
			if err != nil {
				return err
			}
			if err := p.Block(cmd.Context(), ref, blocker, !off); err != nil {
				return err
			}
			if off {
				return say(f, "%s no longer blocked by %s", ref, blocker)
			}
			return say(f, "%s blocked by %s", ref, blocker)
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "let it go again")
	return cmd
}

func newBoardMoveCmd(f *app.Factory) *cobra.Command {
	var before, after string
	var top bool
	cmd := &cobra.Command{
		Use:               "move <ref> (--before <ref> | --after <ref> | --top)",
		Short:             "Change an issue's place in the board's order",
		Args:              exactArgs("an issue"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onePlace(cmd, before, after, top); err != nil {
				return err
			}
			p, ref, err := boardRef(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			if err := p.Place(cmd.Context(), ref, board.Place{Before: board.Ref(before), After: board.Ref(after), Top: top}); err != nil {
				return err
			}
			switch {
			case top:
				return say(f, "%s moved to the top", ref)
			case before != "":
				return say(f, "%s moved before %s", ref, strings.ToUpper(before))
			}
			return say(f, "%s moved after %s", ref, strings.ToUpper(after))
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "the issue it goes before")
	cmd.Flags().StringVar(&after, "after", "", "the issue it goes after")
	cmd.Flags().BoolVar(&top, "top", false, "to the top of the board")
	return cmd
}

func newBoardExportCmd(f *app.Factory) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the whole board as one JSON document",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.Board(cmd.Context())
			if err != nil {
				return err
			}
			doc, err := p.Export(cmd.Context())
			if err != nil {
				return err
			}
			if file == "" {
				_, err = f.IO.Out.Write(doc)
				return err
			}
			return statefile.WriteAtomic(inDir(f, file), doc, os.FileMode(0o644))
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file")
	return cmd
}

func newBoardImportCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "import <file>",
		Short: "Fill an empty board from an export; - is standard input",
		Args:  exactArgs("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.Board(cmd.Context())
			if err != nil {
				return err
			}
			doc, err := readInput(f, args[0])
			if err != nil {
				return err
			}
			n, err := p.Import(cmd.Context(), doc)
			if err != nil {
				return err
			}
			return say(f, "%d issues imported", n)
		},
	}
}
