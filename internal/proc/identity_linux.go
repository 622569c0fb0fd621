package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// stat is the part of /proc/<pid>/stat that identity needs.
type stat struct {
	state  byte
	parent int
	start  string // clock ticks since boot
}

// readStat reads a process's line. The program's name stands in parentheses
// and may itself contain spaces and parentheses: the fields are counted from
// the last one.
func readStat(pid int) (stat, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	i := bytes.LastIndexByte(data, ')')
	if i < 0 {
		return stat{}, fmt.Errorf("process %d: unknown form of its stat file", pid)
	}
	f := strings.Fields(string(data[i+1:]))
	const parentField, startField = 1, 19 // counted from the state
	if len(f) <= startField {
		return stat{}, fmt.Errorf("process %d: unknown form of its stat file", pid)
	}
	parent, err := strconv.Atoi(f[parentField])
	if err != nil {
		return stat{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return stat{state: f[0][0], parent: parent, start: f[startField]}, nil
}

// StartTime answers when a process started, in a form that is only good for
// comparing within one boot of this machine. ErrNoProcess if it does not live.
func StartTime(pid int) (string, error) {
	s, err := readStat(pid)
	if err != nil {
		return "", err
	}
	if s.state == 'Z' || s.state == 'X' {
		return "", fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	return s.start, nil
}

// Earlier says whether a process started before the moment that start names, as
// StartTime answers it. What cannot be told is earlier.
func Earlier(pid int, start string) bool {
	s, err := readStat(pid)
	if err != nil {
		return true
	}
	a, errA := strconv.ParseUint(s.start, 10, 64)
	b, errB := strconv.ParseUint(start, 10, 64)
	return errA != nil || errB != nil || a < b
}

// Session is the id of a process's session, which is that of the process that
// opened it; 0 when it does not live.
func Session(pid int) int {
	sid, err := unix.Getsid(pid)
	if err != nil {
		return 0
	}
	return sid
}

// BootID names this boot of the machine; it is empty where the system does not
// tell.
func BootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// All lists every process.
func All() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close() //nolint:errcheck // opened for reading
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parents maps every process to its parent.
func parents() map[int]int {
	table := map[int]int{}
	for _, pid := range All() {
		if s, err := readStat(pid); err == nil && s.state != 'Z' {
			table[pid] = s.parent
		}
	}
	return table
}

// lineage answers the parent of a living process; 0 where there is none. Each
// one is asked for by itself: every command of ours looks at its own ancestors,
// and the machine may run thousands of processes beside them.
func lineage() func(pid int) int {
	return func(pid int) int {
		s, err := readStat(pid)
		if err != nil || s.state == 'Z' {
			return 0
		}
		return s.parent
	}
}

// WorkingIn lists the processes whose working directory is dir or below it. It
// reports false where the system does not tell. Processes of other users may
// be missing.
func WorkingIn(dir string) ([]int, bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd")
		if err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/")) {
			pids = append(pids, pid)
		}
	}
	return pids, true
}
