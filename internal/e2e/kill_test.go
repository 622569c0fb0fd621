//go:build unix

package e2e

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	kills = flag.Int("kills", 4, "how often the loop is killed in TestKilledDemo")
	seed  = flag.Uint64("seed", 0, "the moments of TestKilledDemo; 0 chooses")
)

// longestLife bounds how long a loop lives before it is killed; killsOfOne how
// often one demo is.
const (
	longestLife = 1200 * time.Millisecond
	killsOfOne  = 25
)

// A loop that is killed at any moment, again and again, comes to the end of one
// that is left alone: every row, pull request and branch, and no issue was
// worked twice at once.
func TestKilledDemo(t *testing.T) {
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it plays the whole demo")
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	began := time.Now()
	t.Logf("seed %d", *seed)
	chance := rand.New(rand.NewPCG(*seed, 0))

	calm := demoPlay(t)
	if done, out := calm.live(0); !done {
		t.Fatalf("the undisturbed demo did not come to its end:\n%s", out)
	}
	want := calm.picture()
	calm.wantSound()

	killed, demos := 0, 0
	for ; killed < *kills; demos++ {
		p := demoPlay(t)
		for n := 0; ; n++ {
			life := time.Duration(chance.Int64N(int64(longestLife)))
			if n >= killsOfOne || killed >= *kills {
				life = 0
			}
			done, out := p.live(life)
			if done {
				break
			}
			if life == 0 {
				t.Fatalf("demo %d after %d kills of seed %d did not come to its end:\n%s", demos, n, *seed, out)
			}
			killed++
		}
		if diff := cmp.Diff(want, p.picture()); diff != "" {
			t.Errorf("demo %d of seed %d ended elsewhere (- undisturbed, + killed):\n%s", demos, *seed, diff)
		}
		p.wantSound()
		if t.Failed() {
			t.Fatalf("the loop said:\n%s\nits workers said last:\n%s", p.wholeLog(), p.lastWords())
		}
	}
	t.Logf("%d kills in %d demos, %.0f seconds, seed %d", killed, demos, time.Since(began).Seconds(), *seed)
}

// demoPlay is a demo that has yet to be made.
func demoPlay(t *testing.T) *play {
	t.Helper()
	return playIn(t, filepath.Join(playDir(t), "demo"))
}

// live plays the demo, for so long or, at 0, to its end, and says whether it
// came there.
func (p *play) live(life time.Duration) (done bool, out string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), loopLimit)
	if life > 0 {
		ctx, cancel = context.WithTimeout(p.t.Context(), life)
	}
	defer cancel()
	cmd := exec.CommandContext(ctx, p.bin, "demo", "--fast", "--no-tui", "--until-idle", "--dir", p.dir) // killed by SIGKILL
	cmd.Dir, cmd.Env = filepath.Dir(p.dir), p.env
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		p.t.Fatalf("the demo: %v\n%s", err, text)
	}
	return err == nil, string(text)
}

// wantSound holds a play that came to its end to what must always be so.
func (p *play) wantSound() {
	p.t.Helper()
	p.wantNothingLeft()
	p.wantNoneTwice()
}

// wholeLog is everything that the loops wrote down.
func (p *play) wholeLog() string {
	text, _ := os.ReadFile(filepath.Join(p.stateDir(), "loop.log")) // there may be none
	return string(text)
}

// lastWords are how each worker ended, which tells why one failed.
func (p *play) lastWords() string {
	var b strings.Builder
	for _, f := range p.folders() {
		spec, err := f.Spec()
		if err != nil {
			continue
		}
		exit, err := f.Exit()
		fmt.Fprintf(&b, "%s %s try %d, run %s: %+v %v\n", spec.Kind, spec.Ref, spec.Attempt, f.Run(), exit, err)
	}
	return b.String()
}
