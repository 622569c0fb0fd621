package simtest

import (
	"time"

	"github.com/backside4charter/dispatcher/loop/looptest"
)

// tasks are what loops have under way; they pause inside the effects that they
// call.
type tasks = looptest.Tasks[*process]

// pause lets anything else happen, until ready says that the task may go on.
// A process that died meanwhile is dead when it returns.
func (s *sim) pause(p *process, ready func() bool) {
	if !p.dead && !s.Pause(ready) {
		p.dead = true
	}
}

// wall is the clock that everybody reads. Setting it changes skew.
func (s *sim) wall() time.Time { return genesis.Add(s.Passed + s.skew) }

var genesis = time.Date(2026, 8, 27, 8, 0, 0, 0, time.UTC)
