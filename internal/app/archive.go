package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/workers"
)

// archive keeps the folders of settled runs as long as the configuration says.
type archive struct {
	l   *workers.Launcher
	cfg *live
}

var _ loop.Archive = archive{}

func (a archive) Prune(ctx context.Context, needed []string) ([]string, error) {
	keep := a.cfg.now().Transcripts
	gone, err := a.l.PruneRuns(ctx, workers.Retention{
		Keep: keep.Keep(), MaxBytes: keep.MaxBytes(),
		Needed: func(run string) bool { return slices.Contains(needed, run) },
	})
	if len(gone) == 0 {
		return nil, err
	}
	var bytes int64
	for _, g := range gone {
		bytes += g.Bytes
	}
	return []string{fmt.Sprintf("removed the transcripts of %d settled runs, %.1f MB", len(gone), float64(bytes)/1e6)}, err
}
