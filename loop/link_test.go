package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// TestLinksByTextAlone: where the board takes no link, as GitHub, the work goes
// on; its owner is told unless the pull request's own text names the issue.
func TestLinksByTextAlone(t *testing.T) {
	for name, names := range map[string]bool{"names its issue": true, "does not": false} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("one")
				w.on(ref, board.KindDeveloper, func(a *agent) string {
					end := completing(a)
					w.onPull(ref, func(p *board.PullRequest) {
						if p.Issues = nil; names {
							p.Issues = []board.Ref{ref}
						}
					})
					return end
				})
				p := w.start(forever)
				p.fail("link", fmt.Errorf("link #1: %w: it takes `Fixes DSP-1`", board.ErrForbidden))
				time.Sleep(20 * time.Minute)
				w.wantRow(ref, board.RoleHumanReview, "")
				told := 0
				for _, n := range p.e.Snapshot().Notices {
					if strings.Contains(n.Text, "it takes `Fixes DSP-1`") {
						told++
					}
				}
				if (told == 0) != names {
					t.Errorf("told %+v", p.e.Snapshot().Notices)
				}
				p.leave()
			})
		})
	}
}
