package gotest

import (
	"regexp"
	"slices"
	"strings"
)

// places matches the lines and columns in the output of go vet, which any change of a file
// moves.
var places = regexp.MustCompile(`:[0-9]+(:[0-9]+)?`)

// complaints lists the messages of go vet, or of a compiler under it, about files, without
// positions, sorted. Lines that only name packages are left out.
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

// newComplaints lists the messages that are not among old ones; each old one excuses
// one.
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
