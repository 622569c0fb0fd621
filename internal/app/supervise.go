package app

import (
	"context"
	"os"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

// Supervise is the whole life of one supervisor process: it looks after the
// agent of the run in the folder until the run has ended.
func (f *Factory) Supervise(ctx context.Context, folder string) error {
	return supervise.Run(ctx, folder, supervise.Options{Agent: agentFor})
}

// LookForSupervisor makes Actor know a worker by the supervisor above this
// process, whatever the environment says (design.md, section 11).
func (f *Factory) LookForSupervisor() { f.supervisedWorker = workerAbove }

func workerAbove() (board.Actor, bool) {
	spec, ok := workers.Under(os.Getpid())
	if !ok {
		return board.Actor{}, false
	}
	return board.Actor{Kind: board.ActorOfKind(spec.Kind), Run: spec.Run, Ref: spec.Ref, Epoch: spec.Epoch}, true
}
