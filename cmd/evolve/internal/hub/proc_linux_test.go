package hub

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// peakMB returns the peak memory of a process, including its mapped files, in MB.
func (c *child) peakMB() float64 {
	c.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kB float64
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &kB); err != nil {
				c.t.Fatal(err)
			}
			return kB / 1024
		}
	}
	c.t.Fatal("the process has no peak of its memory")
	return 0
}

// processorTime returns the processor time that a process has used.
func processorTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	const perSecond, user, system = 100, 11, 12 // after the name
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks, more int64
	if len(fields) <= system {
		t.Fatalf("the state of the process is %q", rest)
	}
	if _, err := fmt.Sscan(fields[user]+" "+fields[system], &ticks, &more); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ticks+more) * time.Second / perSecond
}
