package scrub

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// minBroken is the minimum length, in bytes, of a form of a known value that is searched
// for across breaks. The pieces of a shorter form could follow each other in ordinary text
// by chance.
const minBroken = 12

// broken finds known values split by line breaks, indentation or invisible characters,
// whether base64 wrapping, a terminal or intent put them there.
type broken struct {
	words *automaton
	forms []string
}

// newBroken returns nil if no known value is long enough.
func newBroken(known []string) *broken {
	b := &broken{}
	var words []string
	for _, v := range knownForms(known) {
		if len(v) >= minBroken && !strings.ContainsAny(v, "\r\n\t \\") {
			b.forms = append(b.forms, v)
			words = append(words, lowered(v[:min(probe, len(v))]))
		}
	}
	if len(words) == 0 {
		return nil
	}
	b.words = newAutomaton(words)
	return b
}

// seam is a position at which something was removed from a text: at is the offset of that
// position in the mended text, and after is the offset in the original text just after what
// was removed.
type seam struct{ at, after int }

// find looks for known values that are split by a break, and marks them for removal.
func (b *broken) find(s *scan) {
	text, seams := mended(s.text)
	if len(seams) == 0 {
		return
	}
	b.words.each(text, func(word int32, end int) {
		v := b.forms[word]
		start := end - min(probe, len(v))
		if !strings.HasPrefix(text[start:], v) {
			return
		}
		end = start + len(v)
		// seams[first:last] are the seams that lie inside the value.
		first := sort.Search(len(seams), func(i int) bool { return seams[i].at > start })
		last := sort.Search(len(seams), func(i int) bool { return seams[i].at >= end })
		if first == last {
			return // the value is unbroken, so its own rule finds it
		}
		s.remove(original(seams[:first], start), original(seams[:last], end))
	})
}

// original converts an offset in the mended text to one in the original text, given the
// seams up to there.
func original(seams []seam, at int) int {
	if n := len(seams); n > 0 {
		return seams[n-1].after + at - seams[n-1].at
	}
	return at
}

// mended returns a text without its line breaks and invisible characters, and the seams at
// which they were removed.
func mended(text string) (string, []seam) {
	var out strings.Builder
	var seams []seam
	from := 0
	for i := 0; i < len(text); {
		n := 0
		switch text[i] {
		case '\r', '\n', ' ', '\t', '\\':
			if n = lineBreak(text[i:]); n == 0 {
				n = unseenEscape(text[i:])
			}
		default:
			if text[i] >= utf8.RuneSelf {
				n = unseen(text[i:])
			}
		}
		if n == 0 {
			i++
			continue
		}
		if seams == nil {
			out.Grow(len(text))
		}
		out.WriteString(text[from:i])
		i += n
		from = i
		seams = append(seams, seam{out.Len(), i})
	}
	out.WriteString(text[from:])
	return out.String(), seams
}

// lineBreak returns the length of the break at the beginning of text, including surrounding
// blanks, or 0 if there is none. A break may be escaped one or more times, as inside a JSON
// string, or be a shell's line continuation.
func lineBreak(text string) int {
	i := 0
	for i < len(text) && i < maxIndent && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	ends := 0
	for i < len(text) && i-ends < maxIndent {
		n := 0
		for n < maxIndent && i+n < len(text) && text[i+n] == '\\' {
			n++
		}
		switch {
		case i+n >= len(text):
			return ends
		case text[i+n] == '\n' || text[i+n] == '\r', n > 0 && (text[i+n] == 'n' || text[i+n] == 'r'):
			i += n + 1
			ends = i
		case n == 0 && ends > 0 && (text[i] == ' ' || text[i] == '\t'):
			i++
			ends = i
		case n > 0 && ends > 0 && text[i+n] == 't':
			i += n + 1
			ends = i
		default:
			return ends
		}
	}
	return ends
}

// maxIndent limits the number of blanks and backslashes that are skipped in search of a
// break, so a text made of them takes linear time.
const maxIndent = 64
