package cli

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

// choices answers what an argument may be. An error or a missing board is an
// empty answer: a shell that completes must never show an error.
type choices func(ctx context.Context, f *app.Factory) []cobra.Completion

// completing completes each argument by its own choices, and further ones by
// the last, without those that are already there.
func completing(f *app.Factory, byPosition ...choices) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := min(len(args), len(byPosition)-1)
		if at < 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		out := slices.DeleteFunc(byPosition[at](cmd.Context(), f), func(c cobra.Completion) bool {
			word, _, _ := strings.Cut(c, "\t")
			return slices.Contains(args, word)
		})
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completingOnce is completing without further arguments after the last.
func completingOnce(f *app.Factory, byPosition ...choices) cobra.CompletionFunc {
	return completing(f, append(byPosition, nothing)...)
}

// completeFlags completes the values of a board command's flags, which mean the
// same wherever they stand.
func completeFlags(f *app.Factory, cmd *cobra.Command) {
	for name, c := range map[string]choices{
		"milestone": milestones, "state": roles, "to": roles, "as": tags,
		"parent": refs, "blocked-by": refs, "before": refs, "after": refs,
	} {
		if cmd.Flags().Lookup(name) != nil {
			completeFlag(f, cmd, name, c)
		}
	}
}

func completeFlag(f *app.Factory, cmd *cobra.Command, name string, c choices) {
	if err := cmd.RegisterFlagCompletionFunc(name, completing(f, c)); err != nil {
		panic("cli: complete --" + name + ": " + err.Error()) // registered twice
	}
}

func platforms(context.Context, *app.Factory) []cobra.Completion {
	return []cobra.Completion{"native", "linear", "github"}
}

func nothing(context.Context, *app.Factory) []cobra.Completion { return nil }

// refs are the open issues, in board order, with their titles.
func refs(ctx context.Context, f *app.Factory) []cobra.Completion {
	p, err := f.Board(ctx)
	if err != nil {
		return nil
	}
	rows, err := p.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		return nil
	}
	return refChoices(rows)
}

func refChoices(rows []board.Issue) []cobra.Completion {
	out := make([]cobra.Completion, 0, len(rows))
	for i := range rows {
		out = append(out, choice(string(rows[i].Ref), rows[i].Title))
	}
	return out
}

// labelsOf are the labels that the board's open issues have: those of the
// issue, to take one off, or the others, to put one on. No board lists all of
// its labels in one request that a shell could wait for.
func labelsOf(f *app.Factory, off func(cmd *cobra.Command, args []string) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		p, err := f.Board(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		rows, err := p.Poll(cmd.Context(), board.Query{AllMilestones: true})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return labelChoices(rows, args[0], off(cmd, args)), cobra.ShellCompDirectiveNoFileComp
	}
}

func labelChoices(rows []board.Issue, ref string, off bool) []cobra.Completion {
	var own, all []cobra.Completion
	for i := range rows {
		for _, l := range rows[i].Labels {
			all = append(all, choice(l, ""))
		}
		if strings.EqualFold(string(rows[i].Ref), ref) {
			own = all[len(all)-len(rows[i].Labels):]
		}
	}
	if off {
		return slices.Clone(own)
	}
	own = slices.Clone(own)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(l cobra.Completion) bool { return slices.Contains(own, l) })
}

// completingThen completes the first arguments by their choices and the one
// after them by last.
func completingThen(f *app.Factory, last cobra.CompletionFunc, byPosition ...choices) cobra.CompletionFunc {
	first := completing(f, byPosition...)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) < len(byPosition):
			return first(cmd, args, typed)
		case len(args) == len(byPosition):
			return last(cmd, args, typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// roles are the words of `board state`.
func roles(context.Context, *app.Factory) []cobra.Completion {
	out := make([]cobra.Completion, 0, len(board.Roles()))
	for _, r := range board.Roles() {
		out = append(out, choice(r.Word(), r.DefaultName()))
	}
	return out
}

// milestones are those of the board.
func milestones(ctx context.Context, f *app.Factory) []cobra.Completion {
	p, err := f.Board(ctx)
	if err != nil {
		return nil
	}
	all, err := p.Milestones(ctx)
	if err != nil {
		return nil
	}
	out := make([]cobra.Completion, 0, len(all))
	for _, m := range all {
		out = append(out, choice(m.Name, ""))
	}
	return out
}

// tags are whose a comment may be.
func tags(context.Context, *app.Factory) []cobra.Completion {
	return []cobra.Completion{"owner", "dispatcher", "developer", "reviewer", "cleaner"}
}

// maxDescription is how many characters of a title a shell shows.
const maxDescription = 60

// choice is one line for the shell: titles come from outside and must neither
// end the line nor reach the terminal with control characters.
func choice(word, description string) cobra.Completion {
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' '
		}, s)
	}
	d := []rune(clean(description))
	if len(d) > maxDescription {
		d = append(d[:maxDescription-1], '…')
	}
	if len(d) == 0 {
		return clean(word)
	}
	return cobra.CompletionWithDesc(clean(word), string(d))
}
