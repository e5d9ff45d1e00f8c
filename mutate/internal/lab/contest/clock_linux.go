package contest

import (
	"syscall"
	"time"
)

// processorTime returns the CPU time of this thread. For a search that is locked to its
// thread, it does not depend on the load of the machine. It does not include the garbage
// collector's work on other threads.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
