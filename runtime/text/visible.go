package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks bounds consecutive combining marks; more would cover the lines above.
const maxMarks = 3

// Shown reports whether r is visible: not a control or format character, not one that
// changes the direction of text, no unusual space, filler, tag, variation selector or
// other character that is drawn as nothing.
func Shown(r rune) bool {
	switch {
	case r == 0x2800: // the empty Braille pattern
		return false
	case r > unicode.MaxLatin1 && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false // fillers, joiners, invisible marks, variation selectors
	}
	return unicode.IsPrint(r)
}

// Visible returns s as one line without active or hidden characters: control
// characters, escape sequences, bidirectional and zero-width characters, blank letters,
// unusual spaces and invalid UTF-8 are escaped as \n, \x1b or \u202e. Visible
// characters and the ordinary space stay.
func Visible(s string) string { return visible(s, false) }

// VisibleLines is [Visible] for text of several lines: line feeds and tabs stay.
func VisibleLines(s string) string { return visible(s, true) }

func visible(s string, lines bool) string {
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
		if Shown(r) && marks <= maxMarks || lines && (r == '\n' || r == '\t') {
			b.WriteRune(r)
			continue
		}
		writeEscaped(&b, r)
	}
	return b.String()
}

// OneLine is [Visible] after replacing every run of white space and control characters
// by one space, for text that must stay on one line, such as a trailer of a commit.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return Visible(strings.Join(strings.Fields(s), " "))
}

// Cell returns text for a cell of a spreadsheet: [VisibleLines], with an apostrophe
// before text that a spreadsheet would take for a formula, even after white space.
func Cell(s string) string {
	s = VisibleLines(s)
	if t := strings.TrimLeft(s, " \t\n"); t != s && strings.ContainsAny(s[:len(s)-len(t)], "\t\n") || strings.IndexAny(t, "=+-@＝＋－＠") == 0 {
		return "'" + s
	}
	return s
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
