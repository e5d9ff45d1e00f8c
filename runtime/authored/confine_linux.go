package authored

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// These limits apply to the child in addition to those in its settings.
const (
	maxStack   = 32 << 20 // bytes of one goroutine's stack; a value may be deeply nested
	maxSeconds = 60       // total processor time of all calls of one child
)

// confine gives up every right that a tool must not have. It runs before any source is
// received. If a right cannot be given up, it returns an error, except for Landlock, which
// is optional because not every kernel has it.
func confine(s settings) error {
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(s.Heap)
	// Start a timer now: the first timer makes the runtime open its poller's files, which
	// would fail once opening files is forbidden.
	time.Sleep(time.Nanosecond)
	// The limit is relative to the current size: the initial address space and data size of
	// a Go process depend on how it was built and, under the race detector, on chance. It
	// limits data, not address space, because the runtime reserves address space far in
	// advance.
	data := uint64(unix.RLIM_INFINITY)
	if s.Data > 0 {
		have, err := dataSize()
		if err != nil {
			return err
		}
		data = have + s.Data
	}
	if err := landlock.V11.BestEffort().Restrict(); err != nil {
		return fmt.Errorf("giving up access to files: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbidding new privileges: %w", err)
	}
	for _, r := range []struct {
		resource int
		limit    uint64
		what     string
	}{
		{unix.RLIMIT_CORE, 0, "core dumps"},
		{unix.RLIMIT_FSIZE, 0, "file size"},
		{unix.RLIMIT_CPU, maxSeconds, "processor time"},
		{unix.RLIMIT_DATA, data, "memory"},
		{unix.RLIMIT_NOFILE, 0, "open files"}, // open ones stay open
	} {
		var have unix.Rlimit
		if err := unix.Getrlimit(r.resource, &have); err != nil {
			return fmt.Errorf("reading the limit on %s: %w", r.what, err)
		}
		limit := min(r.limit, have.Max)
		if err := unix.Setrlimit(r.resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limiting %s: %w", r.what, err)
		}
	}
	return nil
}

// dataSize returns the number of bytes of private writable memory that this process has
// mapped, which is what the kernel compares with RLIMIT_DATA.
func dataSize() (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("reading the data size of this process: %w", err)
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmData:")); ok {
			if fields := bytes.Fields(rest); len(fields) == 2 {
				kib, err := strconv.ParseUint(string(fields[0]), 10, 50)
				return kib << 10, err
			}
		}
	}
	return 0, fmt.Errorf("reading the data size of this process: /proc/self/status has no valid VmData line")
}
