package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// noArgs is cobra.NoArgs in our words: a group of commands names the nearest
// ones to what it does not know, a command says that it takes nothing.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return fmt.Errorf("%s takes no arguments, not %s", cmd.Name(), strconv.Quote(args[0]))
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = max(cmd.SuggestionsMinimumDistance, 2)
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("%s (%s --help lists them)", text, cmd.CommandPath())
}

// exactArgs is cobra.ExactArgs with words for what is missing.
func exactArgs(names ...string) cobra.PositionalArgs {
	return someArgs(len(names), len(names), names...)
}

// someArgs is cobra.RangeArgs with words for what is missing; most below zero
// is any number.
func someArgs(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		more := ""
		if most >= 0 && len(args) > most {
			more = ", not also " + strconv.Quote(args[most])
		}
		return fmt.Errorf("%s takes %s%s: %s", cmd.Name(), strings.Join(names, " and "), more, cmd.UseLine())
	}
}
