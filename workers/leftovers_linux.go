package workers

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// processesOf finds what a dead supervisor has left of its run, wherever it was
// moved to in the tree: by the mark in its environment, never by a name. The
// mark alone proves nothing, since a person may have copied it: a process is the
// run's only if it has started no earlier than the supervisor, and belongs to
// the supervisor's own session, or to one that a process of the run has opened
// and was left to the system by its parents, or stands below one that was.
func processesOf(f Folder, super Supervisor) []int {
	marked := markedBy(f)
	pids := inSession(super)
	for _, pid := range marked {
		if ofRun(pid, marked, super) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// inSession are the processes in the session that the supervisor has opened:
// nobody else can have come into it. Its id is not given away again as long as
// one of them lives.
func inSession(super Supervisor) []int {
	if proc.Alive(super.PID, "") {
		return nil // another process has the id now
	}
	var pids []int
	for _, pid := range proc.All() {
		if proc.Session(pid) == super.PID && !proc.Earlier(pid, super.Start) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// markedBy are the processes that carry the run in their environment: its id
// and its folder.
func markedBy(f Folder) []int {
	folder, run := []byte(EnvRunFolder+"="+f.Dir()), []byte(EnvRun+"="+f.Run())
	var pids []int
	for _, pid := range proc.All() {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			continue // gone, or somebody else's
		}
		both := 0
		for kv := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(kv, folder) || bytes.Equal(kv, run) {
				both++
			}
		}
		if both == 2 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// ofRun says whether a marked process is provably the run's.
func ofRun(pid int, marked []int, super Supervisor) bool {
	if proc.Earlier(pid, super.Start) {
		return false
	}
	session := proc.Session(pid)
	leader := session == pid || slices.Contains(marked, session) || !proc.Alive(session, "")
	if session <= 0 || !leader {
		return false // it was started from somebody's terminal
	}
	for _, p := range proc.Ancestors(pid) {
		if !slices.Contains(marked, p) {
			return orphanage(p, super)
		}
	}
	return true
}

// orphanage says whether a process is one to which the system gives orphans of
// the run: the first one, or what the supervisor itself was below of.
func orphanage(pid int, super Supervisor) bool {
	return pid == 1 || slices.Contains(super.Above, pid)
}
