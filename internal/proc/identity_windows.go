package proc

import (
	"fmt"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// StartTime answers when a process started, in a form that is only good for
// comparing within one boot of this machine. ErrNoProcess if it does not live.
func StartTime(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing can be done about it
	// A handle on a process that has ended can be waited for at once.
	if ev, err := windows.WaitForSingleObject(h, 0); err != nil || ev == windows.WAIT_OBJECT_0 {
		return "", fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", fmt.Errorf("process %d: start time: %w", pid, err)
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), nil
}

// BootID names this boot of the machine: Windows counts its boots in the
// registry. It is empty where the count is not kept.
func BootID() string {
	const path = `SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters`
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.QUERY_VALUE)
	if err != nil {
		return ""
	}
	defer k.Close() //nolint:errcheck // opened for reading
	n, _, err := k.GetIntegerValue("BootId")
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// parents maps every process to its parent. A parent's id may have been reused
// on Windows; a child older than its parent is no child of it.
func parents() map[int]int {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(snap) //nolint:errcheck // nothing can be done about it
	table := map[int]int{}
	var e windows.ProcessEntry32
	e.Size = uint32(unsafe.Sizeof(e))
	for err := windows.Process32First(snap, &e); err == nil; err = windows.Process32Next(snap, &e) {
		child, parent := int(e.ProcessID), int(e.ParentProcessID)
		if !olderThan(child, parent) {
			table[child] = parent
		}
	}
	return table
}

func olderThan(child, parent int) bool {
	c, errC := StartTime(child)
	p, errP := StartTime(parent)
	if errC != nil || errP != nil {
		return false
	}
	cn, _ := strconv.ParseInt(c, 10, 64)
	pn, _ := strconv.ParseInt(p, 10, 64)
	return cn < pn
}
