package scrub

import (
	"bytes"
	"strings"
)

// Line returns the number, counted from 1, of the first line that looks like a credential,
// or 0 if there is none.
func Line(data []byte) int {
	clean := New(nil).String(string(data))
	if clean == string(data) {
		return 0
	}
	// The result is the first line that scrubbing changes, because a credential that spans
	// several lines starts there.
	no, rest := 0, strings.Split(clean, "\n")
	for line := range bytes.Lines(data) {
		if no == len(rest) || strings.TrimSuffix(string(line), "\n") != rest[no] {
			break
		}
		no++
	}
	return no + 1
}
