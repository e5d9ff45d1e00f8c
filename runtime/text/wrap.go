package text

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells measures text in terminal cells. It ignores the environment, so the same text has
// the same width everywhere.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// Width returns the number of terminal cells that visible text takes. This is the sum of
// the widths of its characters, because [Visible] escapes those that join with others,
// except combining marks, which take no cell.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += cells.RuneWidth(r)
	}
	return n
}

// Wrap breaks s into lines of at most width terminal cells, at spaces; a longer word is
// broken at width. Lines have no spaces at either end; spaces within them stay. An empty
// text gives one empty line.
func Wrap(s string, width int) []string {
	var lines []string
	for s = strings.Trim(s, " "); ; {
		n := FirstCells(s, width)
		if n == len(s) {
			return append(lines, s)
		}
		if i := strings.LastIndexByte(s[:n+1], ' '); i >= 0 { // a space at n also ends the line
			n = i
		}
		lines = append(lines, strings.TrimRight(s[:n], " "))
		s = strings.TrimLeft(s[n:], " ")
	}
}

// Fill is like [Wrap], but first replaces each run of white space with one space.
func Fill(s string, width int) []string { return Wrap(strings.Join(strings.Fields(s), " "), width) }

// FirstCells returns the number of bytes at the beginning of s that fit into width terminal
// cells. It counts at least one character, even if that does not fit. Combining marks stay
// with the character before them.
func FirstCells(s string, width int) int {
	used := 0
	for i, r := range s {
		if w := cells.RuneWidth(r); w > 0 {
			if used += w; used > width && i > 0 {
				return i
			}
		}
	}
	return len(s)
}
