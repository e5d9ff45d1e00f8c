package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Shown reports whether r is visible: not a control or format character, a character that
// changes the direction of text, an unusual space, a filler, a tag, a variation selector,
// or another character that is drawn as nothing.
func Shown(r rune) bool {
	switch {
	case r == 0x2800: // the empty Braille pattern
		return false
	case r > unicode.MaxLatin1 && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false // fillers, joiners, invisible marks, variation selectors
	}
	return unicode.IsPrint(r)
}

// style describes which characters of a text stay and how the others are escaped.
type style struct {
	keep, drop string // characters that are kept in addition to the shown ones, and shown characters that are not kept
	marks      int    // maximum number of consecutive combining marks; more would cover the lines above
	bare       bool   // whether a combining mark may follow a space or begin the text
	invalid    string // formats of an escaped byte and of an escaped character
	escape     func(r rune) string
}

// Visible returns s as one line without active or hidden characters: control characters,
// escape sequences, bidirectional and zero-width characters, blank letters, unusual spaces
// and invalid UTF-8 are escaped in the form \n, \x1b or \u202e. Visible characters and the
// ordinary space stay.
func Visible(s string) string {
	return visible(s, style{marks: 3, bare: true, invalid: `\x%02x`, escape: goEscape})
}

// VisibleLines is like [Visible], for text of several lines: line feeds and tabs stay.
func VisibleLines(s string) string {
	return visible(s, style{keep: "\n\t", marks: 3, bare: true, invalid: `\x%02x`, escape: goEscape})
}

// VisibleCode is like [Visible], for a line of source code, which can contain escapes of
// its own. Tabs stay, and everything else that is not shown is escaped in the form ⟦U+202E⟧
// or ⟦0xFF⟧. These brackets are themselves escaped, so no text can imitate an escape.
// Letters that resemble other letters stay.
func VisibleCode(s string) string {
	return visible(s, style{keep: "\t", drop: "⟦⟧", marks: 2, invalid: "⟦0x%02X⟧", escape: func(r rune) string { return fmt.Sprintf("⟦U+%04X⟧", r) }})
}

func visible(s string, to style) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	marks, base := 0, to.bare
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		mark := unicode.Is(unicode.M, r)
		if mark {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, to.invalid, s[i])
		case strings.ContainsRune(to.keep, r), Shown(r) && !strings.ContainsRune(to.drop, r) && (!mark || base && marks <= to.marks):
			b.WriteRune(r)
		default:
			b.WriteString(to.escape(r))
		}
		if !mark {
			base = to.bare || unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
		}
		i += n
	}
	return b.String()
}

func goEscape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// OneLine is like [Visible], but first replaces every run of white space and control
// characters with one space. It is for text that must stay on one line, such as a trailer
// of a commit.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return Visible(strings.Join(strings.Fields(s), " "))
}

// Cell returns text for a cell of a spreadsheet. It is like [VisibleLines], with an
// apostrophe before text that a spreadsheet would treat as a formula, even after white
// space.
func Cell(s string) string {
	s = VisibleLines(s)
	if t := strings.TrimLeft(s, " \t\n"); t != s && strings.ContainsAny(s[:len(s)-len(t)], "\t\n") || strings.IndexAny(t, "=+-@＝＋－＠") == 0 {
		return "'" + s
	}
	return s
}

// JSON escapes combining marks and all characters in a JSON document that are not shown.
// Such characters occur only inside strings, where parsers decode the escapes.
func JSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, r := range string(data) {
		switch {
		case r < 0x7f || Shown(r) && !unicode.Is(unicode.M, r):
			out = utf8.AppendRune(out, r)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
	}
	return out
}

// plain reports whether s is printable ASCII, which most text is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Marshal returns v as JSON on one line. Unlike encoding/json, it does not escape <, > and
// &, so text by models and people stays readable.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
