package app

import (
	"context"

	"github.com/backside4charter/dispatcher/workers/supervise"
)

// Supervise is the whole life of one supervisor process: it looks after the
// agent of the run in the folder until the run has ended.
func (f *Factory) Supervise(ctx context.Context, folder string) error {
	return supervise.Run(ctx, folder, supervise.Options{Agent: agentFor})
}
