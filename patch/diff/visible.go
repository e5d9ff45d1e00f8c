package diff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	foreign "evolve/runtime/text"
)

// maxMarks is the maximum number of combining marks after one letter: more of them reach
// into the lines above and below.
const maxMarks = 2

// Visible escapes a text so that all of its characters are visible and none controls a
// terminal: control characters other than the tab, direction marks, characters without a
// shape or with the shape of a space, and invalid UTF-8 are written as ⟦U+202E⟧ or
// ⟦0xFF⟧. These brackets are themselves escaped, so that no text can imitate an escape.
// Letters that resemble other letters stay.
func Visible(s string) string {
	i := 0
	for i < len(s) && (s[i] >= ' ' && s[i] <= '~' || s[i] == '\t') {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:i])
	letter, marks := i > 0 && s[i-1] > ' ', 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		mark := unicode.Is(unicode.M, r)
		if mark {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟦0x%02X⟧", s[i])
		case !shown(r), mark && (!letter || marks > maxMarks):
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		default:
			b.WriteString(s[i : i+n])
		}
		if !mark {
			letter = unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsPunct(r) || unicode.IsSymbol(r)
		}
		i += n
	}
	return b.String()
}

// shown reports whether a character has a visible form of its own.
func shown(r rune) bool {
	switch r {
	case '\t':
		return true
	case '⟦', '⟧': // the brackets of escapes
		return false
	}
	return foreign.Shown(r)
}
