package workers

import (
	"bytes"
	"os"
	"strconv"
)

// processesOf finds the processes that carry the run in their environment,
// wherever they were moved to in the tree.
func processesOf(f Folder) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	mark := []byte(EnvRunFolder + "=" + f.Dir())
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil {
			continue // gone, or somebody else's
		}
		for kv := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(kv, mark) {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}
