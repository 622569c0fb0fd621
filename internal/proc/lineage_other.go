//go:build !linux

package proc

// lineage answers the parent of a living process; 0 where there is none.
func lineage() func(pid int) int {
	table := parents()
	return func(pid int) int { return table[pid] }
}
