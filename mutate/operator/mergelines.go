package operator

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// mergeTexts merges two texts by lines. A line of the old text is kept if both texts kept
// it. Added lines remain at the positions where they were added. If both added lines at the
// same position, the parent's come last, because the last of two directives about the same
// thing takes precedence. If both replaced the same lines, only the parent's replacement is
// used.
func mergeTexts(p agent.Param, mine, theirs, old string) (merged, conflict string) {
	was := SplitLines(old)
	a, fitsA := editOf(was, SplitLines(mine))
	b, fitsB := editOf(was, SplitLines(theirs))
	if !fitsA || !fitsB {
		return mine, parentHasIt + ", because the texts are too long to compare"
	}
	var out, conflicts []string
	for i := range len(was) + 1 {
		lines, clash := join(a, b, i)
		out = append(out, lines...)
		if clash != "" && !slices.Contains(conflicts, clash) {
			conflicts = append(conflicts, clash)
		}
		if i < len(was) && a.kept[i] && b.kept[i] {
			out = append(out, was[i])
		}
	}
	merged = strings.Join(out, "\n")
	if !fits(p, merged) {
		return mine, parentHasIt + ", because together they are too long"
	}
	return merged, strings.Join(conflicts, "; ")
}

// join returns the lines that two edits add before line i of the old text.
func join(a, b edit, i int) (lines []string, conflict string) {
	mine, theirs := a.came[i], b.came[i]
	if slices.Equal(mine, theirs) {
		return mine, ""
	}
	// If both add the same line at different positions, only the first one is used.
	mine, theirs = a.notBefore(b, i), b.notBefore(a, i)
	switch {
	case len(theirs) == 0:
		return mine, ""
	case len(mine) == 0:
		return theirs, ""
	case i < len(a.kept) && !a.kept[i] && !b.kept[i]:
		return mine, parentHasIt
	}
	first := without(theirs, mine)
	return append(slices.Clone(first), mine...), "with the parent's lines last"
}

// edit describes the difference between two texts: which lines of the old text were kept,
// and which lines were added before each of them and at the end.
type edit struct {
	kept []bool
	came [][]string
}

// notBefore returns the lines that e adds before line i, except those that the other edit
// adds before an earlier line.
func (e edit) notBefore(other edit, i int) []string {
	var out []string
	for _, l := range e.came[i] {
		if !slices.ContainsFunc(other.came[:i], func(lines []string) bool { return l != "" && slices.Contains(lines, l) }) {
			out = append(out, l)
		}
	}
	return out
}

// comparableLines is the maximum product of the numbers of lines of two texts that are
// compared.
const comparableLines = 1 << 20

// editOf returns the edit that keeps the most lines (the longest common subsequence), or
// false if the texts are too long.
func editOf(old, now []string) (edit, bool) {
	n, m := len(old), len(now)
	e := edit{make([]bool, n), make([][]string, n+1)}
	if (n+1)*(m+1) > comparableLines {
		return e, false
	}
	longest := CommonLengths(old, now)
	// Added lines precede lines removed at the same position.
	i, j, at := 0, 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && old[i] == now[j]:
			e.kept[i] = true
			i, j, at = i+1, j+1, i+1
		case j < m && (i == n || longest[i][j+1] >= longest[i+1][j]):
			e.came[at] = append(e.came[at], now[j])
			j++
		default:
			i++
		}
	}
	return e, true
}

// CommonLengths returns a table whose entry [i][j] is the length of the longest common
// subsequence of x[i:] and y[j:].
func CommonLengths(x, y []string) [][]int32 {
	out := make([][]int32, len(x)+1)
	for i := range out {
		out[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				out[i][j] = out[i+1][j+1] + 1
			} else {
				out[i][j] = max(out[i+1][j], out[i][j+1])
			}
		}
	}
	return out
}
