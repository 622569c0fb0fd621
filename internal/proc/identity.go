package proc

import (
	"errors"
	"os"
	"slices"
)

// ErrNoProcess says that no such process lives.
var ErrNoProcess = errors.New("no such process")

// Alive says whether the process with this id lives and is the one that
// started at start, as StartTime answered it. An empty start asks for the id
// alone. A zombie is dead.
func Alive(pid int, start string) bool {
	if pid <= 0 {
		return false
	}
	at, err := StartTime(pid)
	if err != nil {
		return false
	}
	return start == "" || at == start
}

// Descendants lists the living children of a process, their children, and so
// on, parents before children. What was adopted by another process when its
// parent died is not among them.
func Descendants(pid int) []int {
	children := map[int][]int{}
	for child, parent := range parents() {
		children[parent] = append(children[parent], child)
	}
	var all []int
	queue := []int{pid}
	for len(queue) > 0 {
		next := children[queue[0]]
		slices.Sort(next)
		queue = append(queue[1:], next...)
		all = append(all, next...)
		if len(all) > len(children)*len(children)+len(children) {
			break // a torn table can show a circle
		}
	}
	return all
}

// Ancestors lists the parent of a process, its parent, and so on, nearest
// first.
func Ancestors(pid int) []int {
	parent := lineage()
	var all []int
	for p := parent(pid); p > 0 && !slices.Contains(all, p); p = parent(p) {
		all = append(all, p)
	}
	return all
}

// KillTree kills a process and all its descendants at once. The caller has
// made sure with Alive that the id is still the process it means. This process
// and the first one of the system are never killed.
func KillTree(pid int) error {
	if pid <= 1 || pid == os.Getpid() {
		return errors.New("kill process tree: refused for this process and for the first one")
	}
	return killTree(pid)
}
