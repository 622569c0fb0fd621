package loop

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// pruneEvery is how long worktrees are left alone while nothing changes that
// could free one. What the loop cannot see, such as a process that leaves a
// worktree or a push by hand, waits that long.
const pruneEvery = time.Minute

// archiveEvery is how often old transcripts are looked for.
const archiveEvery = time.Hour

// pruning is when worktrees were last pruned, and what stood then, and when
// transcripts were. It belongs to the firing under way.
type pruning struct {
	at       time.Time
	stood    string
	archived time.Time
}

// prune removes worktrees that hold nothing of value (dispatcher-system.md,
// Worktrees). That it cannot is worth a line, never the firing. It asks git a
// lot, so that it is left out where nothing has changed since the last time.
func (f *firing) prune(ctx context.Context) error {
	f.pruneArchive(ctx)
	last, stands := &f.e.pruning, f.treesStand()
	if f.began.Sub(last.at).Abs() < pruneEvery && stands == last.stood {
		return nil
	}
	done, err := f.e.d.Worktrees.Prune(ctx)
	for _, line := range done {
		f.say("", false, "%s", line)
	}
	if err != nil {
		f.say("", true, "prune worktrees: %v", err)
		return nil
	}
	last.at, last.stood = f.began, stands
	return nil
}

// pruneArchive removes the transcripts that are not kept any longer. Runs of
// the book are not settled.
func (f *firing) pruneArchive(ctx context.Context) {
	last := &f.e.pruning.archived
	if f.e.d.Archive == nil || f.began.Sub(*last).Abs() < archiveEvery {
		return
	}
	*last = f.began
	needed := make([]string, 0, len(f.book.runs))
	for i := range f.book.runs {
		needed = append(needed, f.book.runs[i].ID)
	}
	done, err := f.e.d.Archive.Prune(ctx, needed)
	for _, line := range done {
		f.say("", false, "%s", line)
	}
	if err != nil {
		f.say("", true, "prune transcripts: %v", err)
	}
}

// treesStand is everything of the facts that decides what may be pruned: who
// works where, and where the pull requests are.
func (f *firing) treesStand() string {
	var out strings.Builder
	for i := range f.book.runs {
		r := &f.book.runs[i]
		fmt.Fprintf(&out, "%s %s %s\n", r.ID, r.Phase, r.Worktree)
	}
	for i := range f.facts.Pulls {
		p := &f.facts.Pulls[i]
		fmt.Fprintf(&out, "%s %s %s %s\n", p.Name, p.State, p.HeadSHA, p.BaseSHA)
	}
	return out.String()
}
