package native

import "syscall"

func mtime(st *syscall.Stat_t) (sec, nsec int64) { return st.Mtimespec.Sec, st.Mtimespec.Nsec }
