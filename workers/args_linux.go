package workers

import (
	"os"
	"strconv"
	"strings"
)

// processArgs is how a process was started; nil where that is not to be seen.
func processArgs(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}
