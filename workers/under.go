package workers

import (
	"path/filepath"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// Under finds the run that a process belongs to: that of the nearest
// supervisor of ours among its ancestors. A worker stays one whatever it takes
// out of its environment (design.md, section 11); on Linux also when it has
// left its parents, since a supervisor adopts orphans. On Windows, which does
// not show how another process was started, nothing is found.
func Under(pid int) (Spec, bool) {
	for _, p := range proc.Ancestors(pid) {
		args := processArgs(p)
		if len(args) != 3 || args[1] != SuperviseCommand || !filepath.IsAbs(args[2]) {
			continue
		}
		f := OpenFolder(args[2])
		s, took, err := f.Supervisor()
		if err != nil || !took || s.PID != p || !proc.Alive(p, s.Start) {
			continue // somebody's process of the same look
		}
		if spec, err := f.Spec(); err == nil {
			return spec, true
		}
	}
	return Spec{}, false
}
