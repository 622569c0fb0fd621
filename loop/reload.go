package loop

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/loop/plan"
)

// Tuning is what a running loop takes over from a changed configuration.
type Tuning struct {
	Settings plan.Settings
	Poll     time.Duration // between firings that nothing else woke
	CostCap  float64       // of a day, for the screen; zero is none
}

// Configuration looks whether the configuration has changed.
type Configuration interface {
	// Changed answers what is to hold from now on, nil when nothing has changed
	// or what stands there is not valid, and what the owner should know of the
	// change, once.
	Changed(ctx context.Context) (*Tuning, []string)
}

// tuning is that of the options.
func (o *Options) tuning() Tuning {
	return Tuning{Settings: o.Settings, Poll: o.Poll, CostCap: o.CostCap}
}

// reload takes a changed configuration over, so that one whole firing goes by
// one configuration (design.md, section 13).
func (f *firing) reload(ctx context.Context) error {
	if f.e.d.Configuration == nil {
		return nil
	}
	t, notes := f.e.d.Configuration.Changed(ctx)
	for _, n := range notes {
		f.notify("", n)
	}
	if t == nil {
		return nil
	}
	f.facts.Settings = t.Settings
	f.lookAgain() // the change may be what was waited for
	f.say("", false, "the configuration has changed and holds from this firing on")
	f.e.post(func(context.Context) { f.e.tuning, f.e.dirty = *t, true })
	return nil
}
