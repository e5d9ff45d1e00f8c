package contest

import (
	"syscall"
	"time"
)

// processorTime is what this thread has used of the processor: a search that is locked
// to its thread is measured by it however busy the machine is. What the collector does
// for it on other threads is not in it.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
