package reports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis marks text that was cut.
const ellipsis = "…"

// maxMarks is how many combining marks may follow one another; more would pile up
// over the lines above.
const maxMarks = 3

// Visible returns s as one line in which nothing acts and nothing hides: control
// characters, escape sequences, bidirectional and zero-width characters, blank
// letters, odd spaces and bytes that are no UTF-8 are written as \n, \x1b or
// \u202e. What is left are characters with a shape, and the ordinary space.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	marks := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			i, marks = i+1, 0
			continue
		}
		i += n
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		if shown(r) && marks <= maxMarks {
			b.WriteRune(r)
			continue
		}
		writeEscaped(&b, r)
	}
	return b.String()
}

// plain reports whether s is printable ASCII, which most text is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// shown reports whether r has a shape of its own.
func shown(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800: // Hangul fillers and the empty Braille pattern
		return false
	case 0x034f, 0x17b4, 0x17b5: // combining marks without a shape
		return false
	}
	if r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f { // variation selectors
		return false
	}
	return unicode.IsPrint(r)
}

func writeEscaped(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// clip cuts s to at most n characters, the ellipsis included. It never cuts inside
// a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count, last := 0, 0
	for i := range s {
		if count == n-1 {
			last = i
		}
		if count == n {
			return s[:last] + ellipsis
		}
		count++
	}
	return s
}
