package scrub

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// hidden marks credentials that are found only in the visible text, because invisible
// characters interrupt them or the words that name them.
func (f *finder) hidden(s *scan, depth int) {
	text, seams := bared(s.text)
	if len(seams) == 0 {
		return
	}
	for _, one := range f.visible(text, depth).spans {
		s.remove(within(seams, one.start, one.end))
	}
}

// Bare returns the visible characters of a text, and a function that converts a range of
// the result to the corresponding range of the text.
func Bare(text string) (seen string, place func(start, end int) (int, int)) {
	seen, seams := bared(text)
	return seen, func(start, end int) (int, int) { return within(seams, start, end) }
}

// within takes a range of a text from which the invisible characters were removed, and
// returns the corresponding range of the whole text. The seams are the positions from
// which these characters were removed.
func within(seams []seam, start, end int) (from, to int) {
	at := func(n int, from bool) int {
		last := sort.Search(len(seams), func(i int) bool { return seams[i].at > n || !from && seams[i].at == n })
		return original(seams[:last], n)
	}
	return at(start, true), at(end, false)
}

// bared returns a text without its invisible characters, and the positions at which they
// were removed.
func bared(text string) (string, []seam) {
	if !strings.Contains(text, `\u`) && strings.IndexFunc(text, invisible) < 0 {
		return text, nil
	}
	var out strings.Builder
	var seams []seam
	from := 0
	for i := 0; i < len(text); {
		n := 0
		switch {
		case text[i] == '\\':
			n = unseenEscape(text[i:])
		case text[i] >= utf8.RuneSelf:
			n = unseen(text[i:])
		}
		if n == 0 {
			i++
			continue
		}
		out.WriteString(text[from:i])
		i += n
		from = i
		seams = append(seams, seam{out.Len(), i})
	}
	out.WriteString(text[from:])
	return out.String(), seams
}

// unseenEscape returns the length of an escaped invisible character at the beginning of
// text, as in a JSON string, or 0.
func unseenEscape(text string) int {
	n := 0
	for n < maxIndent && n < len(text) && text[n] == '\\' {
		n++
	}
	r, size := escapedRune(text[n:])
	if n == 0 || size == 0 {
		return 0
	}
	if 0xdb40 <= r && r <= 0xdb43 { // the high surrogate of a tag character
		rest := text[n+size:]
		m := 0
		for m < n && m < len(rest) && rest[m] == '\\' {
			m++
		}
		low, more := escapedRune(rest[m:])
		if m != n || more == 0 || low < 0xdc00 || low > 0xdfff {
			return 0
		}
		r, size = 0x10000+(r-0xd800)<<10+(low-0xdc00), size+m+more
	}
	if !invisible(r) {
		return 0
	}
	return n + size
}

// escapedRune returns the UTF-16 code unit that an escape of the form uXXXX at the
// beginning of text stands for, and the length of that escape.
func escapedRune(text string) (r rune, size int) {
	const size4 = len("u200b")
	if len(text) < size4 || text[0] != 'u' && text[0] != 'U' || !hexAny.all(text[1:size4]) {
		return 0, 0
	}
	n, err := strconv.ParseUint(text[1:size4], 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(n), size4
}

// unseen returns the length of the invisible character at the beginning of text, or 0.
func unseen(text string) int {
	if r, n := utf8.DecodeRuneInString(text); invisible(r) {
		return n
	}
	return 0
}

// invisible reports whether a character has no width: soft hyphens, joiners, direction
// marks, fillers, variation selectors, tags and the byte order mark.
func invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	}
	return 0x180b <= r && r <= 0x180f || 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f ||
		0xfe00 <= r && r <= 0xfe0f || 0x1d173 <= r && r <= 0x1d17a || 0xe0000 <= r && r <= 0xe0fff
}
