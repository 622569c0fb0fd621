package workers

import (
	"encoding/binary"
	"strings"

	"golang.org/x/sys/unix"
)

// processArgs is how a process was started; nil where that is not to be seen.
// The system answers the number of arguments, the program's path, padding, and
// then arguments and environment, each ended by a zero.
func processArgs(pid int) []string {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(data) < 4 {
		return nil
	}
	n := int(binary.NativeEndian.Uint32(data))
	_, rest, ok := strings.Cut(string(data[4:]), "\x00")
	if !ok {
		return nil
	}
	args := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if n < 0 || n > len(args) {
		return nil
	}
	return args[:n]
}
