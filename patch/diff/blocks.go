package diff

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// blocks compares two contents line by line, byte for byte, and returns the changes. Each
// change has no more than the given number of unchanged lines (context) before it and after
// it. The starts of the hunks are line indices.
func blocks(before, after []byte, context int) []hunk {
	lines := compareLines(before, after)
	var out []hunk
	old, now := 0, 0 // lines already passed
	gap := 2*context + 1
	for i := 0; i < len(lines); {
		if lines[i].kind == ' ' {
			old, now, i = old+1, now+1, i+1
			continue
		}
		end, same := i, 0 // one past the last change of this block
		for j := i; j < len(lines) && same < gap; j++ {
			if same++; lines[j].kind != ' ' {
				end, same = j+1, 0
			}
		}
		lead := 0
		for lead < context && lead < i && lines[i-lead-1].kind == ' ' {
			lead++
		}
		out = append(out, hunk{oldStart: old - lead, newStart: now - lead, lines: lines[i-lead : min(end+context, len(lines))]})
		removed, added := hunk{lines: lines[i:end]}.count()
		old, now, i = old+removed, now+added, end
	}
	return out
}

// compareLines returns all lines of both contents, in order. Where the contents differ, the
// old lines come before the new ones.
func compareLines(before, after []byte) []line {
	lines := split(before)
	out := make([]line, 0, len(lines))
	var added []line
	at, offset := 0, 0 // numbers of lines and bytes of the old content passed so far
	keep := func(to int) {
		for ; offset < to; at++ {
			out = append(out, newLine(' ', lines[at]))
			offset += len(lines[at])
		}
	}
	for _, e := range udiff.Lines(string(before), string(after)) {
		if offset < e.Start {
			out, added = append(out, added...), added[:0]
			keep(e.Start)
		}
		for ; offset < e.End; at++ {
			out = append(out, newLine('-', lines[at]))
			offset += len(lines[at])
		}
		for _, l := range split([]byte(e.New)) {
			added = append(added, newLine('+', l))
		}
	}
	out = append(out, added...)
	keep(len(before))
	return slices.Clip(out)
}

// newLine returns the line for a text that may lack its newline.
func newLine(kind byte, whole string) line {
	text, ended := strings.CutSuffix(whole, "\n")
	return line{kind: kind, text: text, bare: !ended}
}
