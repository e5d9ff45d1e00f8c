package model

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// edit is one position in an alignment of two sequences. It contains, for each sequence,
// the element at that position and whether there is one.
type edit struct {
	before, after string
	hasA, hasB    bool
}

func (e edit) same() bool { return e.hasA && e.hasB }

// align aligns two sequences along a common subsequence, with removals before insertions.
// The subsequence is the longest one, unless the sequences differ in very many places.
func align(a, b []string) []edit {
	var out []edit
	i := 0
	keep := func(to int) {
		for ; i < to; i++ {
			out = append(out, edit{a[i], a[i], true, true})
		}
	}
	for _, d := range lcs.DiffLines(a, b) {
		keep(d.Start)
		for ; i < d.End; i++ {
			out = append(out, edit{before: a[i], hasA: true})
		}
		for _, s := range b[d.ReplStart:d.ReplEnd] {
			out = append(out, edit{after: s, hasB: true})
		}
	}
	keep(len(a))
	return out
}

// steps aligns two sequences of tool calls. Between two successive calls that are common to
// both sides, it pairs the n-th call on one side with the n-th call on the other, to show
// which call replaced which. diverge is the index of the first pair that differs, or -1.
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

// around is the number of unchanged lines that a diff shows before and after a changed
// line.
const around = 2

// textDiff compares two texts line by line and leaves out lines far from any change.
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
