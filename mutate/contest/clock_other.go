//go:build !linux

package contest

import "time"

// processorTime is the clock on the wall, where a thread's own time cannot be asked for.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
