package diff

import (
	"bytes"
	"slices"
	"strings"
)

// Carry applies a change to a file to another version of that file, as a three-way merge
// does. The lines that the change replaces must be unchanged in that version, while the
// lines around them may differ. Carry returns false if it is not certain where a
// replacement belongs. Its position is certain if up to three lines before it, or as many
// after it, are unchanged, or if the replaced lines occur only once. New lines go where
// both neighbouring lines are still adjacent, or next to the neighbour that still exists.
func Carry(f File, have []byte) (File, bool) {
	was, is := split(f.Old), split(have)
	c := carrier{was: was, is: is, at: aligned(f.Old, have, len(was))}
	var out bytes.Buffer
	end, old := 0, 0
	lines := compareLines(f.Old, f.New)
	for i := 0; i < len(lines); {
		if lines[i].kind == ' ' {
			old, i = old+1, i+1
			continue
		}
		start, added := old, ""
		for ; i < len(lines) && lines[i].kind != ' '; i++ {
			if lines[i].kind == '-' {
				old++
			} else {
				added += lines[i].whole()
			}
		}
		place, ok := c.place(start, old)
		if !ok || place < end {
			return f, false
		}
		out.WriteString(strings.Join(is[end:place], "") + added)
		end = place + old - start
	}
	out.WriteString(strings.Join(is[end:], ""))
	return File{Path: f.Path, Old: have, New: append([]byte{}, out.Bytes()...)}, true
}

// whole returns a line with its ending.
func (l line) whole() string {
	if l.bare {
		return l.text
	}
	return l.text + "\n"
}

// aligned returns, for each line of the old content, the index of the same line in the new
// content, or -1 if there is none. The old content has the given number of lines (count).
func aligned(before, after []byte, count int) []int {
	at := make([]int, 0, count)
	now := 0
	for _, l := range compareLines(before, after) {
		switch l.kind {
		case ' ':
			at = append(at, now)
			now++
		case '-':
			at = append(at, -1)
		default:
			now++
		}
	}
	return at
}

// carrier finds the lines of one version of a file in another.
type carrier struct {
	was, is []string
	at      []int // for each line of the old version (was), its index in the new version (is), or -1
}

// place returns the index in c.is at which the lines c.was[start:end] begin. It returns
// false if this is not certain.
func (c carrier) place(start, end int) (int, bool) {
	if start == end {
		return c.between(start)
	}
	place := c.at[start]
	for i := start; i < end; i++ {
		if place < 0 || c.at[i] != place+i-start {
			return 0, false
		}
	}
	return place, c.before(start, place) || c.after(end, place+end-start) || c.once(c.was[start:end])
}

// between returns the index in c.is at which lines that are added between the lines i-1 and
// i of c.was must be inserted. It returns false if this is not certain.
func (c carrier) between(i int) (int, bool) {
	low, high := -1, len(c.is)
	if i == 0 {
		low = 0
	} else if c.at[i-1] >= 0 {
		low = c.at[i-1] + 1
	}
	if i < len(c.was) {
		high = c.at[i]
	}
	switch {
	case low >= 0 && high >= 0:
		return low, low == high
	case low >= 0:
		return low, c.before(i, low)
	case high >= 0:
		return high, c.after(i, high)
	}
	return 0, false
}

// before reports whether the lines before c.was[i] equal the lines before c.is[place], as
// far as the default context reaches.
func (c carrier) before(i, place int) bool {
	for k := range defaultContext {
		if i-k == 0 {
			return place-k == 0
		}
		if c.at[i-k-1] < 0 || c.at[i-k-1] != place-k-1 {
			return false
		}
	}
	return true
}

// after is the counterpart of before for the lines that begin with c.was[i] and
// c.is[place].
func (c carrier) after(i, place int) bool {
	for k := range defaultContext {
		if i+k == len(c.was) {
			return place+k == len(c.is)
		}
		if c.at[i+k] != place+k {
			return false
		}
	}
	return true
}

// once reports whether the given lines occur exactly once in c.is.
func (c carrier) once(lines []string) bool {
	found := 0
	for i := 0; i+len(lines) <= len(c.is); i++ {
		if slices.Equal(c.is[i:i+len(lines)], lines) {
			found++
		}
	}
	return found == 1
}
