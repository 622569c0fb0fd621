package proc

import (
	"bytes"
	"os"
	"strconv"
)

// Memory adds up the bytes that processes hold in memory; what several of them
// share is counted with each. Zero where the system does not tell.
func Memory(pids ...int) int64 {
	page := int64(os.Getpagesize())
	var sum int64
	for _, pid := range pids {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if err != nil {
			continue // it is gone
		}
		f := bytes.Fields(data)
		if len(f) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
			sum += n * page
		}
	}
	return sum
}
