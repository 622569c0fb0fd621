package worktree

import (
	"fmt"
	"strings"
)

// observed is what is known of one registered worktree before anything is
// decided. Only Path and Main are filled in for one that is not ours.
type observed struct {
	Path   string
	Main   bool
	Inside bool // below .claude/worktrees/

	Locked   bool
	Reason   string
	LockPID  int // 0: the lock names no process
	PIDAlive bool

	Missing   bool     // the folder is gone
	Detached  bool     // HEAD is on no branch
	Operation string   // "rebase", "merge", ... that is half done
	Busy      bool     // git is at work in it
	Dirty     []string // paths with changes
	Untracked []string
	Unpushed  int // commits that would be nowhere else
	// Hollow: what status shows is exactly what a checkout writes; git itself
	// would refuse to remove it.
	Hollow     bool
	Nested     bool   // has submodules checked out; git itself would refuse
	NestedOwn  string // a repository inside with work of its own
	Unreadable string // why the rest is not known
}

// step is what becomes of one worktree.
type step struct {
	Path   string
	Remove bool
	Why    string // why it is kept, or what is worth saying of its removal
	Unlock bool
	Force  bool
}

// plan decides what becomes of each worktree (dispatcher-system.md, Worktrees,
// and design.md, section 9): it removes only what is ours, held by nobody, and
// without anything that is not elsewhere. It refuses a list without a main
// checkout.
func plan(all []observed) ([]step, error) {
	hasMain := false
	for i := range all {
		hasMain = hasMain || all[i].Main
	}
	if !hasMain {
		return nil, ErrNoMain
	}
	steps := make([]step, 0, len(all))
	for i := range all {
		o := &all[i]
		if why := keep(o); why != "" {
			steps = append(steps, step{Path: o.Path, Why: why})
			continue
		}
		s := step{Path: o.Path, Remove: true, Unlock: o.Locked, Force: o.Hollow || o.Nested}
		if o.Locked {
			s.Why = fmt.Sprintf("its lock's process %d is dead", o.LockPID)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// keep is the reason to keep a worktree; empty if there is none.
func keep(o *observed) string {
	switch {
	case o.Main:
		return "the main checkout"
	case !o.Inside:
		return "not below .claude/worktrees/"
	case o.Locked && o.LockPID == 0:
		return "locked: " + orNone(o.Reason)
	case o.Locked && o.PIDAlive:
		return fmt.Sprintf("locked by the living process %d", o.LockPID)
	case o.Unreadable != "":
		return "cannot be judged: " + o.Unreadable
	case o.Busy:
		return "git is at work in it"
	case o.Operation != "":
		return "in the middle of a " + o.Operation
	case len(o.Dirty) > 0:
		return "uncommitted changes: " + some(o.Dirty)
	case len(o.Untracked) > 0:
		return "untracked files: " + some(o.Untracked)
	case o.NestedOwn != "":
		return o.NestedOwn
	case o.Unpushed > 0 && o.Detached:
		return fmt.Sprintf("%d commits on no branch", o.Unpushed)
	case o.Unpushed > 0:
		return fmt.Sprintf("%d unpushed commits", o.Unpushed)
	}
	return ""
}

func orNone(s string) string {
	if s == "" {
		return "no reason given"
	}
	return s
}

// some lists the first few paths, and how many more there are.
func some(paths []string) string {
	const enough = 3
	quoted := make([]string, 0, enough)
	for _, p := range paths[:min(len(paths), enough)] {
		quoted = append(quoted, fmt.Sprintf("%q", p))
	}
	text := strings.Join(quoted, ", ")
	if more := len(paths) - enough; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
