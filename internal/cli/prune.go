package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/worktree"
)

func newPruneCmd(f *app.Factory) *cobra.Command {
	var dry, asJSON bool
	cmd := &cobra.Command{
		Use:   "prune-worktrees",
		Short: "Remove worktrees that nobody uses and that hold no work",
		Long: `Remove the worktrees below .claude/worktrees/ of the main checkout that nobody
uses and that hold nothing which is not elsewhere: never one with changes,
untracked files, unpushed commits, something half done, or a lock whose process
lives. Branches stay.

The exit status is 1 when git still lists a worktree whose removal was tried.`,
		Args:    noArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runPrune(cmd.Context(), f, dry, asJSON)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be done")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return cmd
}

func runPrune(ctx context.Context, f *app.Factory, dry, asJSON bool) error {
	trees, heads, err := f.Pruning(ctx)
	if err != nil {
		return err
	}
	done, err := trees.Prune(ctx, worktree.PruneRequest{DryRun: dry, Heads: heads})
	if asJSON {
		if printErr := printJSON(f, done); printErr != nil {
			return printErr
		}
	} else if printErr := printPruned(f, trees.Root(), done, dry); printErr != nil {
		return printErr
	}
	if errors.Is(err, worktree.ErrStillListed) {
		return failWith(err)
	}
	return err
}

func printPruned(f *app.Factory, root string, done worktree.Pruned, dry bool) error {
	removed := "removed"
	if dry {
		removed = "would remove"
	}
	var b strings.Builder
	line := func(word string, o worktree.Outcome) {
		path := o.Path
		if rel, err := filepath.Rel(root, o.Path); err == nil && !strings.HasPrefix(rel, "..") {
			path = rel
		}
		fmt.Fprintf(&b, "%s %s", word, path)
		if o.Why != "" {
			fmt.Fprintf(&b, ": %s", o.Why)
		}
		b.WriteByte('\n')
	}
	for _, o := range done.Removed {
		line(removed, o)
	}
	for _, o := range done.Kept {
		line("kept", o)
	}
	for _, o := range done.Failed {
		line("still listed", o)
	}
	_, err := f.IO.Out.Write([]byte(shown(b.String())))
	return err
}
