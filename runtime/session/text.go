package session

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/memory"
)

// maxRead limits how much of one text is read, in bytes.
const maxRead = 16 << 10

// clean returns foreign text on one line. Runs of white space become a single space, and
// invisible characters (control characters, direction marks, joiners, invalid UTF-8) are
// removed, so a text shows all its contents and cannot imitate two lines of a prompt.
func clean(text string) string {
	var b strings.Builder
	b.Grow(min(len(text), 1<<12))
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError, !unicode.IsGraphic(r), unicode.Is(unicode.Cf, r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// bounded cleans a text of several lines and limits its length.
func bounded(text string, most int) string {
	if len(text) > 8*most {
		text = text[:8*most]
	}
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		if l = clean(l); l != "" {
			lines = append(lines, l)
		}
	}
	return memory.Cut(strings.Join(lines, "\n"), most)
}

// head returns the beginning of a text, at most maxRead bytes.
func head(text string) string {
	return text[:min(len(text), maxRead)]
}
