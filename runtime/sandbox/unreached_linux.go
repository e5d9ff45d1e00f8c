package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// own is the folder with the network counters of this process.
const own = "/proc/self/net"

// unreached sums the kernel's counts of failed attempts in the network namespace whose
// counters are in folder: no route, a refused connection, or a datagram to a port without a
// listener. It returns 0 if the counters cannot be read.
func unreached(folder string) int64 {
	var n int64
	text, err := os.ReadFile(filepath.Join(folder, "snmp"))
	if err != nil {
		return 0
	}
	// Each protocol has a line of names followed by a line of numbers.
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || len(names) != len(fields) || names[0] != fields[0] {
			names = fields
			continue
		}
		for i, name := range names {
			switch fields[0] + name {
			case "Ip:OutNoRoutes", "Tcp:AttemptFails", "Udp:NoPorts":
				v, _ := strconv.ParseInt(fields[i], 10, 64)
				n += v
			}
		}
		names = nil
	}
	text, err = os.ReadFile(filepath.Join(folder, "snmp6"))
	if err != nil {
		return n // a kernel without IPv6
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && (fields[0] == "Ip6OutNoRoutes" || fields[0] == "Udp6NoPorts") {
			v, _ := strconv.ParseInt(fields[1], 10, 64)
			n += v
		}
	}
	return n
}
