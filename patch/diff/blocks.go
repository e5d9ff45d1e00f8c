package diff

import (
	"slices"

	"github.com/aymanbagabas/go-udiff"
)

// block is a run of changed lines of a file with the unchanged ones around it.
type block struct {
	oldStart, newStart int // indices of its first lines
	pieces             []piece
}

// piece is one line of a block, with its ending.
type piece struct {
	kind byte // ' ', '-' or '+'
	text string
}

// count returns the number of lines before and after.
func (b block) count() (before, after int) {
	for _, p := range b.pieces {
		if p.kind != '+' {
			before++
		}
		if p.kind != '-' {
			after++
		}
	}
	return before, after
}

// blocks compares two contents line by line, byte for byte, with at most context
// unchanged lines before and after each change.
func blocks(before, after []byte, context int) []block {
	pieces := compareLines(before, after)
	var out []block
	old, now := 0, 0 // lines already passed
	gap := 2*context + 1
	for i := 0; i < len(pieces); {
		if pieces[i].kind == ' ' {
			old, now, i = old+1, now+1, i+1
			continue
		}
		end, same := i, 0 // one after the last change of this block
		for j := i; j < len(pieces) && same < gap; j++ {
			if same++; pieces[j].kind != ' ' {
				end, same = j+1, 0
			}
		}
		lead := 0
		for lead < context && lead < i && pieces[i-lead-1].kind == ' ' {
			lead++
		}
		b := block{oldStart: old - lead, newStart: now - lead, pieces: pieces[i-lead : min(end+context, len(pieces))]}
		out = append(out, b)
		removed, added := block{pieces: pieces[i:end]}.count()
		old, now, i = old+removed, now+added, end
	}
	return out
}

// compareLines returns all lines of both contents, in order; where they differ, the old lines
// come before the new.
func compareLines(before, after []byte) []piece {
	lines := split(before)
	out := make([]piece, 0, len(lines))
	var added []piece
	at, offset := 0, 0 // lines and bytes already passed
	keep := func(to int) {
		for ; offset < to; at++ {
			out = append(out, piece{kind: ' ', text: lines[at]})
			offset += len(lines[at])
		}
	}
	for _, e := range udiff.Lines(string(before), string(after)) {
		if offset < e.Start {
			out, added = append(out, added...), added[:0]
			keep(e.Start)
		}
		for ; offset < e.End; at++ {
			out = append(out, piece{kind: '-', text: lines[at]})
			offset += len(lines[at])
		}
		for _, l := range split([]byte(e.New)) {
			added = append(added, piece{kind: '+', text: l})
		}
	}
	out = append(out, added...)
	keep(len(before))
	return slices.Clip(out)
}
