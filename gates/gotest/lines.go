package gotest

import (
	"strings"

	"evolve/gates/syntax"
)

// freshLines reports, for each line of a text, whether it is not in the old one, or
// follows lines that were removed. Blanks around lines are ignored. The kept lines are a
// longest common subsequence; in texts of thousands of lines, no line is kept.
func freshLines(old, now string) []bool { return lineMarks(old, now, true) }

// ownLines reports, for each line of a text, whether the line is not in another text.
func ownLines(text, other string) []bool { return lineMarks(other, text, false) }

func lineMarks(old, now string, gaps bool) []bool {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	fresh := make([]bool, len(b))
	kept := syntax.Align(len(a), len(b), func(i, j int) bool { return strings.TrimSpace(a[i]) == strings.TrimSpace(b[j]) })
	from, to := 0, 0 // the lines behind the last kept one
	for _, p := range append(kept, syntax.Pair{Old: len(a), New: len(b)}) {
		for j := to; j < p.New; j++ {
			fresh[j] = true
		}
		if gaps && from < p.Old && to < len(b) { // old lines are removed here
			fresh[to] = true
		}
		from, to = p.Old+1, p.New+1
	}
	return fresh
}
