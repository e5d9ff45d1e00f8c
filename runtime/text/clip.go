package text

import (
	"strings"
	"unicode/utf8"
)

// Option changes how [Clip] measures and marks text.
type Option uint8

const (
	// Runes makes the limit count characters instead of bytes.
	Runes Option = 1 << iota
	// Ellipsis ends a clipped text with "…", which counts towards the limit.
	Ellipsis
	// Mark appends "…" to a clipped text; the "…" does not count towards the limit.
	Mark
	// Words clips at the end of a sentence, or else of a word, if there is one in the
	// second half of the clipped text.
	Words
)

const ellipsis = "…"

// Clip returns s, or its beginning if it is longer than n bytes. It never cuts inside a
// character.
func Clip(s string, n int, options ...Option) string {
	if len(s) <= n {
		return s
	}
	var o Option
	for _, option := range options {
		o |= option
	}
	n = max(n, 0)
	keep, unit := n, len(ellipsis)
	if o&Runes != 0 {
		if len(prefix(s, n, o)) == len(s) {
			return s
		}
		unit = 1
	}
	if o&Ellipsis != 0 {
		if keep -= unit; keep < 0 {
			return ""
		}
	}
	s = prefix(s, keep, o)
	if o&Words != 0 {
		if i := strings.LastIndex(s, ". "); i >= len(s)/2 {
			s = s[:i+1]
		} else if i := strings.LastIndexByte(s, ' '); i >= len(s)/2 {
			s = s[:i]
		}
	}
	if o&(Ellipsis|Mark) != 0 {
		s += ellipsis
	}
	return s
}

// prefix returns the first n bytes or characters of s.
func prefix(s string, n int, o Option) string {
	if o&Runes != 0 {
		for i := range s {
			if n--; n < 0 {
				return s[:i]
			}
		}
		return s
	}
	// The search goes back only a few bytes, because invalid text can contain any number of
	// bytes that do not start a character.
	for end := n; end > 0 && end > n-utf8.UTFMax; end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:n]
}

// ClipMiddle returns s or, if s is longer than n bytes, its beginning and its end with " …
// " between them, because a program often prints its error last. It never cuts inside a
// character.
func ClipMiddle(s string, n int) string {
	const gap = " " + ellipsis + " "
	if len(s) <= n {
		return s
	}
	keep := max(0, n-len(gap))
	head, from := prefix(s, keep/3, 0), len(s)-(keep-keep/3)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return head + gap + s[from:]
}
