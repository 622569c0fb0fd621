package loop_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// hooked says which hooks have run, as "name kind worktree".
func (w *world) hooked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.hooks)
}

// refuseHook makes a hook fail so many times.
func (w *world) refuseHook(name loop.HookName, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hookFails[name] = n
}

// TestHooks: what runs when, from Ready to Human Review.
func TestHooks(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("one")
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		tree := " /trees/task/dsp-1-work"
		want := []string{"afterCreate developer" + tree, "beforeRun developer" + tree, "afterRun developer" + tree, "beforeRun reviewer ", "afterRun reviewer "}
		if got := w.hooked(); !slices.Equal(got, want) {
			t.Errorf("ran %q", got)
		}
	})
}

// TestHookThatFails: afterCreate and beforeRun that fail are a failed try with
// their reason, and no worker starts; the next try runs afterCreate again.
func TestHookThatFails(t *testing.T) {
	for _, name := range []loop.HookName{loop.HookAfterCreate, loop.HookBeforeRun} {
		t.Run(string(name), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				once, ever := w.ready("fails once"), w.ready("works", in(board.RoleBacklog))
				w.refuseHook(name, 1)
				w.start().wait()
				w.wantRow(once, board.RoleHumanReview, "")
				if n := w.notes(once); !strings.Contains(n[0], "Try 1 of 2 by the developer did not finish: the hook "+string(name)+": exit status 1: npm ERR! no lockfile") || w.starts(once, board.KindDeveloper) != 1 {
					t.Errorf("%d workers, notes %q", w.starts(once, board.KindDeveloper), n)
				}
				w.must(w.owner().SetState(t.Context(), ever, board.RoleReady))
				w.refuseHook(name, 100)
				w.start().wait()
				w.wantRow(ever, board.RoleInProgress, "")
				if n := w.notes(ever); !strings.Contains(n[len(n)-1], "needs human attention") || w.starts(ever, board.KindDeveloper) != 0 || len(w.held()) != 0 {
					t.Errorf("%d workers, locked %v, notes %q", w.starts(ever, board.KindDeveloper), w.held(), n)
				}
			})
		})
	}
}

// TestAfterRunAlways: however a run ends, its hook runs, and that the hook
// fails changes nothing.
func TestAfterRunAlways(t *testing.T) {
	ends := map[string]func(w *world, ref board.Ref, p *process){
		"it fails": func(w *world, ref board.Ref, _ *process) {},
		"is stopped": func(w *world, ref board.Ref, p *process) {
			p.ask(state.Command{Kind: state.CommandStop, Ref: ref})
		},
		"is aborted": func(w *world, ref board.Ref, p *process) { p.send(state.CommandAbort) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("ends")
				w.on(ref, board.KindDeveloper, endless)
				if name == "it fails" {
					w.on(ref, board.KindDeveloper, failing)
				}
				w.refuseHook(loop.HookAfterRun, 100)
				p := w.start(forever)
				time.Sleep(time.Second)
				end(w, ref, p)
				time.Sleep(5 * time.Minute)
				want := map[string]int{"it fails": 2, "is stopped": 1, "is aborted": 1}[name]
				n := 0
				for _, h := range w.hooked() {
					if strings.HasPrefix(h, "afterRun developer") {
						n++
					}
				}
				if n != want || w.live() != 0 {
					t.Errorf("it ran %d times, %d live", n, w.live())
				}
				if name != "is aborted" {
					p.leave()
				} else {
					p.wait()
				}
			})
		})
	}
}

// TestHooksCutAnywhere: a loop that is killed in a hook works the row all the
// same, and never counts that as a failed try.
func TestHooksCutAnywhere(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, after := range []bool{false, true} {
			inWorldNamed(t, whenOf(after)+" hook "+string(rune('0'+n)), func(t *testing.T, w *world) {
				ref := w.ready("one")
				p := w.launch(&process{crashAt: n, only: "hook", after: after})
				p.wait()
				w.start().wait()
				w.wantRow(ref, board.RoleHumanReview, "")
				for _, note := range w.notes(ref) {
					if strings.Contains(note, "did not finish") {
						t.Errorf("a try was used up: %q", note)
					}
				}
			})
		}
	}
}

func inWorldNamed(t *testing.T, name string, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { inWorld(t, f) })
}

var errHook = errors.New("exit status 1: npm ERR! no lockfile")
