package scrub

import (
	"bytes"
	"strings"
)

// Line returns the number, from 1, of the first line that looks like a
// credential, or 0.
func Line(data []byte) int {
	clean := New(nil).String(string(data))
	if clean == string(data) {
		return 0
	}
	// It is the first line that scrubbing changes; a credential over several lines starts
	// there.
	no, rest := 0, strings.Split(clean, "\n")
	for line := range bytes.Lines(data) {
		if no == len(rest) || strings.TrimSuffix(string(line), "\n") != rest[no] {
			break
		}
		no++
	}
	return no + 1
}
