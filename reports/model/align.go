package model

import "strings"

// alignLimit is the maximum length of a sequence that is aligned. In longer sequences
// everything between the common head and tail counts as changed.
const alignLimit = 600

// edit is one position of an alignment: the element of either side, and whether it
// exists.
type edit struct {
	before, after string
	hasA, hasB    bool
}

func (e edit) same() bool { return e.hasA && e.hasB && e.before == e.after }

// align aligns two sequences along a longest common subsequence, with removals before
// insertions.
func align(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{a[0], b[0], true, true})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{a[len(a)-1], b[len(b)-1], true, true})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	out := append(head, middle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

func middle(a, b []string) []edit {
	var out []edit
	if len(a) > alignLimit || len(b) > alignLimit {
		return append(only(a, true), only(b, false)...)
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, edit{a[i], b[j], true, true})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			out = append(out, edit{before: a[i], hasA: true})
			i++
		default:
			out = append(out, edit{after: b[j], hasB: true})
			j++
		}
	}
	return append(append(out, only(a[i:], true)...), only(b[j:], false)...)
}

func only(list []string, before bool) []edit {
	out := make([]edit, len(list))
	for i, s := range list {
		if before {
			out[i] = edit{before: s, hasA: true}
		} else {
			out[i] = edit{after: s, hasB: true}
		}
	}
	return out
}

// steps aligns two sequences of tool calls. Between two calls that both sides made, it
// pairs the n-th call of one side with the n-th of the other, which reads as "this
// instead of that". diverge is the index of the first pair that differs, or -1.
func steps(before, after []string) (list []Step, diverge int) {
	diverge = -1
	var a, b []string
	flush := func() {
		if diverge < 0 && len(a)+len(b) > 0 {
			diverge = len(list)
		}
		for i := range max(len(a), len(b)) {
			list = append(list, Step{Before: at(a, i), After: at(b, i)})
		}
		a, b = nil, nil
	}
	for _, e := range align(before, after) {
		switch {
		case e.same():
			flush()
			list = append(list, Step{Before: e.before, After: e.after})
		case e.hasA:
			a = append(a, e.before)
		default:
			b = append(b, e.after)
		}
	}
	flush()
	return list, diverge
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// around is the number of unchanged lines that a diff shows around a changed one.
const around = 2

// textDiff compares two texts line by line and omits lines far from any change.
func textDiff(before, after string) []Line {
	edits := align(lines(before), lines(after))
	near := make([]bool, len(edits))
	for i, e := range edits {
		if !e.same() {
			for j := max(0, i-around); j <= min(len(edits)-1, i+around); j++ {
				near[j] = true
			}
		}
	}
	var out []Line
	for i, e := range edits {
		switch {
		case !near[i]:
			if n := len(out); n == 0 || out[n-1].Op != ellipsis {
				out = append(out, Line{Op: ellipsis})
			}
		case e.same():
			out = append(out, Line{" ", e.after})
		case e.hasA:
			out = append(out, Line{"-", e.before})
		default:
			out = append(out, Line{"+", e.after})
		}
	}
	return out
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
