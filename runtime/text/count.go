package text

import "cmp"

// Count formats a number with thousands separators and its noun. The plural of the noun
// is formed by adding an s unless the plural is given.
func Count(n int, noun string, plural ...string) string {
	if n != 1 {
		noun = cmp.Or(append(plural, noun+"s")...)
	}
	return Whole(n) + " " + noun
}

// Times describes how often something was done: once, twice, 3 times.
func Times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return Count(n, "time")
}
