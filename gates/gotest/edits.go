package gotest

import (
	"cmp"
	"slices"
)

// edits are non-overlapping replacements of parts of a source file. They add no lines, so
// positions in messages remain correct.
type edits []edit

type edit struct {
	at, remove int
	text       string
}

func (e *edits) insert(at int, text string)          { *e = append(*e, edit{at, 0, text}) }
func (e *edits) replace(at, remove int, text string) { *e = append(*e, edit{at, remove, text}) }

// apply applies the edits. Edits at the same position are applied in the order in which
// they were added.
func (e edits) apply(src []byte) []byte {
	slices.SortStableFunc(e, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, x := range e {
		out = append(append(out, src[last:x.at]...), x.text...)
		last = x.at + x.remove
	}
	return append(out, src[last:]...)
}
