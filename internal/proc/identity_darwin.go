package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// StartTime answers when a process started, in a form that is only good for
// comparing within one boot of this machine. ErrNoProcess if it does not live.
func StartTime(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_pid != int32(pid) || info.Proc.P_stat == zombie {
		return "", fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	at := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), nil
}

// BootID names this boot of the machine; it is empty where the system does not
// tell.
func BootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// parents maps every process to its parent.
func parents() map[int]int {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	table := make(map[int]int, len(all))
	for i := range all {
		if all[i].Proc.P_stat != zombie {
			table[int(all[i].Proc.P_pid)] = int(all[i].Eproc.Ppid)
		}
	}
	return table
}
