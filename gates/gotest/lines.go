package gotest

import (
	"strings"

	"evolve/gates/syntax"
)

// freshLines compares the texts old and now. For each line of now, it reports whether the
// line is not in old or directly follows a place at which lines were removed. Leading and
// trailing blanks are ignored. The lines in common are those in a longest common
// subsequence; if the texts have thousands of lines, no lines count as common.
func freshLines(old, now string) []bool { return lineMarks(old, now, true) }

// ownLines reports, for each line of a text, whether the line is missing from the other
// text.
func ownLines(text, other string) []bool { return lineMarks(other, text, false) }

func lineMarks(old, now string, gaps bool) []bool {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	fresh := make([]bool, len(b))
	kept := syntax.Align(len(a), len(b), func(i, j int) bool { return strings.TrimSpace(a[i]) == strings.TrimSpace(b[j]) })
	from, to := 0, 0 // the first lines after the last common line, in old and now
	for _, p := range append(kept, syntax.Pair{Old: len(a), New: len(b)}) {
		for j := to; j < p.New; j++ {
			fresh[j] = true
		}
		if gaps && from < p.Old && to < len(b) { // old lines are removed at this place
			fresh[to] = true
		}
		from, to = p.Old+1, p.New+1
	}
	return fresh
}
