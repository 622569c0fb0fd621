package native

import "syscall"

func mtime(st *syscall.Stat_t) (sec, nsec int64) { return int64(st.Mtim.Sec), int64(st.Mtim.Nsec) } //nolint:unconvert // 32 bits on some platforms
