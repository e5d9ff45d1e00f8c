package text

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the candidate that a person who wrote word most likely meant, or "" if
// none is close. A close candidate has at most one error for every three characters of the
// word, ignoring case. Of equally close candidates, Nearest returns the first.
func Nearest(word string, candidates []string) string {
	best, fewest := "", max(1, (len(word)+1)/3)+1
	for _, c := range candidates {
		if n := errorsBetween(strings.ToLower(word), strings.ToLower(c)); n < fewest && n < max(len(c), 2) {
			best, fewest = c, n
		}
	}
	return best
}

// errorsBetween returns the number of insertions, deletions and replacements of characters.
// Two words that differ only by the transposition of two neighbouring characters have one
// error.
func errorsBetween(a, b string) int {
	const longest = 100 // computing the distance takes quadratic time
	if len(a) > longest || len(b) > longest {
		return longest
	}
	for i := 0; len(a) == len(b) && i+1 < len(a); i++ {
		if a[i] != b[i] {
			if a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
				return 1
			}
			break
		}
	}
	return levenshtein.ComputeDistance(a, b)
}
