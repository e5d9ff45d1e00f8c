package gotest

import (
	"regexp"
	"slices"
	"strings"
)

// places matches the line and column numbers in the output of go vet. Any change to a file
// shifts these numbers.
var places = regexp.MustCompile(`:[0-9]+(:[0-9]+)?`)

// complaints lists the messages about files in the output of go vet and of a compiler
// that go vet runs. The messages are sorted and have no positions. Lines that only name
// packages are left out.
func complaints(stderr string) []string {
	var out []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, places.ReplaceAllString(line, ""))
		}
	}
	slices.Sort(out)
	return out
}

// newComplaints lists the messages that are not among the old ones. Each old message
// accounts for only one equal message.
func newComplaints(stderr string, old []string) []string {
	left := map[string]int{}
	for _, c := range old {
		left[c]++
	}
	return slices.DeleteFunc(complaints(stderr), func(c string) bool {
		left[c]--
		return left[c] >= 0
	})
}
