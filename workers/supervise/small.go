package supervise

import (
	"runtime"
	"runtime/debug"
)

// smallProcess keeps this process small: there is one for each worker, and it
// does next to nothing.
func smallProcess() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(50)
}
