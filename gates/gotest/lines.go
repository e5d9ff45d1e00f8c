package gotest

import "strings"

// freshLines reports, for each line of a text, whether it is not in the old one, or
// follows lines that were removed. Trailing spaces are ignored. The kept lines are a
// longest common subsequence.
func freshLines(old, now string) []bool { return lineMarks(old, now, true) }

// ownLines reports, for each line of a text, whether it is not in another one.
func ownLines(text, other string) []bool { return lineMarks(other, text, false) }

func lineMarks(old, now string, gaps bool) []bool {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	fresh := make([]bool, len(b))
	same := func(i, j int) bool { return strings.TrimSpace(a[i]) == strings.TrimSpace(b[j]) }
	if len(a)*len(b) > 4<<20 { // thousands of lines: all of them count
		for j := range fresh {
			fresh[j] = true
		}
		return fresh
	}
	// longest[i][j] is the length for a[i:] and b[j:].
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same(i, j) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for j < len(b) {
		switch {
		case i < len(a) && same(i, j):
			i, j = i+1, j+1
		case i == len(a) || longest[i][j+1] > longest[i+1][j]:
			fresh[j] = true
			j++
		default:
			i++
			fresh[j] = fresh[j] || gaps // the old lines here are removed
		}
	}
	return fresh
}
