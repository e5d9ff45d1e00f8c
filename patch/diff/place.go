package diff

import (
	"fmt"
	"strings"
)

// place finds the position of each hunk in a file's lines, as the index of the hunk's first
// line. The lines that a hunk expects (its context and the lines that it removes) must
// match exactly there. A hunk goes
//
//   - where these lines match, if they match nowhere else, not even when white space at the
//     ends of lines (which mail and models strip) is ignored;
//   - otherwise to the line that it states, if its lines match there, it has context on
//     both sides (except at the file's edges), and the line numbers of the whole file are
//     consistent: all counts are right, every hunk is at its line, and the new line
//     numbers follow from the old ones;
//   - into an empty file, if it expects no lines.
//
// Places must be in order and must not overlap. The stated line may be the only evidence
// for a place, because the hunk expects no lines or one of the conditions on context and
// numbers is not met. In that case the line is tried, and unsure is the error to return
// unless the diff's index line proves the result.
func place(lines []string, hunks []hunk) (places []int, unsure, err error) {
	f := newFinder(lines)
	places = make([]int, len(hunks))
	var doubtful error
	for i, h := range hunks {
		old := h.without('+')
		stated := h.line()
		found, many := f.find(old)
		switch {
		case len(old) == 0 && len(lines) == 0:
			places[i] = 0
		case len(old) == 0:
			if stated < 0 || stated > len(lines) {
				return nil, nil, errNoContext(i, h)
			}
			places[i] = stated
			doubtful = errNoContext(i, h)
		case found < 0:
			return nil, nil, f.missing(i, h)
		case many:
			if stated < 0 || !f.at(stated, old) {
				return nil, nil, f.ambiguous(i, h)
			}
			places[i] = stated
			if unsure == nil {
				unsure = f.ambiguous(i, h)
			}
			if doubtful == nil && !f.hasContext(stated, h, len(old)) {
				doubtful = f.ambiguous(i, h)
			}
		default:
			if !f.at(found, old) {
				return nil, nil, f.missing(i, h)
			}
			places[i] = found
		}
	}
	if err := ordered(hunks, places); err != nil {
		return nil, nil, err
	}
	if unsure != nil && coherent(hunks, places) {
		unsure = nil
	}
	if doubtful != nil {
		unsure = doubtful
	}
	return places, unsure, nil
}

// hasContext reports whether a hunk with the given number of old lines has context on both
// sides of its change; the edge of the file also counts as context.
func (f *finder) hasContext(place int, h hunk, old int) bool {
	return (place == 0 || h.lines[0].kind == ' ') && (place+old == len(f.lines) || h.lines[len(h.lines)-1].kind == ' ')
}

// line returns the index of the line that the hunk's header states, or -1 if the header
// states none. If a hunk expects no lines, its header states the line that the hunk
// follows.
func (h hunk) line() int {
	before, _ := h.count()
	switch {
	case !h.stated:
		return -1
	case before == 0 && h.counted:
		return h.oldStart
	case before == 0:
		return -1
	}
	return h.oldStart - 1
}

// coherent reports whether the line numbers of all hunks are consistent with their places.
func coherent(hunks []hunk, places []int) bool {
	shift := 0
	for i, h := range hunks {
		before, after := h.count()
		now := h.oldStart + shift
		// A side without lines is numbered by the line that precedes it.
		if before == 0 {
			now++
		}
		if after == 0 {
			now--
		}
		if !h.stated || !h.counted || h.line() != places[i] || h.newStart != now {
			return false
		}
		shift += after - before
	}
	return true
}

// ordered returns an error if hunks overlap or are out of order.
func ordered(hunks []hunk, places []int) error {
	end := 0
	for i, h := range hunks {
		before, _ := h.count()
		switch {
		// If two hunks only add lines at the same place, their order is unknown.
		case i == 0 || places[i] >= end && (before > 0 || places[i] > places[i-1]):
		case places[i] < places[i-1]:
			return &RefusedError{Hunk: i + 1, Line: h.at, Reason: OutOfOrder, Text: fmt.Sprintf("its lines come before those of hunk %d", i), Hint: "put the hunks in the order of their lines in the file"}
		default:
			return &RefusedError{Hunk: i + 1, Line: h.at, Reason: Overlapping, Text: fmt.Sprintf("its lines overlap those of hunk %d", i), Hint: "merge the two hunks"}
		}
		end = places[i] + before
	}
	return nil
}

// finder searches for blocks of lines in a file.
type finder struct {
	lines []string
	loose []int32          // for each line, a number that identifies its text without trailing white space
	ids   map[string]int32 // ids of such texts
}

func newFinder(lines []string) *finder {
	f := &finder{lines: lines, loose: make([]int32, len(lines)), ids: make(map[string]int32, len(lines))}
	for i, l := range lines {
		key := trimEnd(l)
		id, seen := f.ids[key]
		if !seen {
			id = int32(len(f.ids))
			f.ids[key] = id
		}
		f.loose[i] = id
	}
	return f
}

// trimEnd returns a line without trailing white space.
func trimEnd(l string) string { return strings.TrimRight(l, " \t\r\n\v\f") }

// find returns the first place at which a block matches if white space at the ends of
// lines is ignored, or -1 if there is none. The result many is true if the block also
// matches at another place. find takes time linear in the number of lines in block and
// file.
func (f *finder) find(block []line) (first int, many bool) {
	first = -1
	if len(block) == 0 || len(block) > len(f.lines) {
		return first, false
	}
	want := make([]int32, len(block))
	for i, l := range block {
		id, seen := f.ids[trimEnd(l.text)]
		if !seen {
			return first, false
		}
		want[i] = id
	}
	// Knuth–Morris–Pratt: back[i] is the length of the longest proper prefix of the block
	// that also ends at line i of the block.
	back := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = back[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		back[i] = k
	}
	for i, k := 0, 0; i < len(f.loose); i++ {
		for k > 0 && f.loose[i] != want[k] {
			k = back[k-1]
		}
		if f.loose[i] == want[k] {
			k++
		}
		if k == len(want) {
			if first >= 0 {
				return first, true
			}
			first = i - k + 1
			k = back[k-1]
		}
	}
	return first, false
}

// at reports whether a block matches exactly at a place.
func (f *finder) at(place int, block []line) bool {
	if place < 0 || place+len(block) > len(f.lines) {
		return false
	}
	for i, l := range block {
		if !f.same(place+i, l, i == len(block)-1) {
			return false
		}
	}
	return true
}

// same reports whether a line of a block equals line i of the file. A context line at the
// very end of a file may lack the mark for a missing newline, because context is not
// changed.
func (f *finder) same(i int, l line, last bool) bool {
	have, want := f.lines[i], l.full()
	return have == want || last && l.kind == ' ' && i == len(f.lines)-1 && have+"\n" == want
}
