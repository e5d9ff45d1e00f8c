package scrub

import (
	"slices"
	"strings"
)

// scan is one pass over a text.
type scan struct {
	text  string
	spans []span
	// last is the span that ends last.
	last span
	runs []run
	// named is where the last name of a credential ends whose value was looked for.
	named int
	// keyEnd is the first end of a key block at or after keyFrom; -1 if there is none.
	keyFrom, keyEnd int
	// manifest is where the last manifest of secrets ends.
	manifest int
}

// span is what is removed.
type span struct{ start, end int }

// remove marks text[start:end] for removal.
func (s *scan) remove(start, end int) {
	start = s.behindEscape(start)
	if start >= end || s.text[start:end] == Mark {
		return
	}
	s.spans = append(s.spans, span{start, end})
	if end >= s.last.end {
		s.last = span{start, end}
	}
}

// behindEscape returns the end of the escape, such as \n, that i stands in, or i: an
// escape is never cut in two, because what is left of it would be no JSON.
func (s *scan) behindEscape(i int) int {
	for back := 1; back <= 5 && i-back >= 0; back++ {
		if s.text[i-back] != '\\' {
			continue
		}
		at := i - back + 1
		switch {
		case !escapes(s.text, at) || at >= len(s.text):
		case s.text[at] == 'u':
			if end := at + 5; end <= len(s.text) && hexOnly(s.text[at+1:end]) {
				return end
			}
		case back == 1 && strings.IndexByte(`"\/bfnrt`, s.text[i]) >= 0:
			return i + 1
		}
		return i
	}
	return i
}

// escapes reports whether an odd number of backslashes stands before i.
func escapes(text string, i int) bool {
	n := 0
	for i-n > 0 && text[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// removed is the text with a mark for each span; spans that touch are one.
func (s *scan) removed() string {
	if len(s.spans) == 0 {
		return s.text
	}
	slices.SortFunc(s.spans, func(a, b span) int { return a.start - b.start })
	var out strings.Builder
	out.Grow(len(s.text))
	at := 0
	for i := 0; i < len(s.spans); {
		start, end := s.spans[i].start, s.spans[i].end
		for i++; i < len(s.spans) && s.spans[i].start <= end; i++ {
			end = max(end, s.spans[i].end)
		}
		out.WriteString(s.text[at:start])
		mark := Mark
		if s.number(start, end) {
			mark = `"` + Mark + `"`
		}
		out.WriteString(mark)
		at = end
	}
	out.WriteString(s.text[at:])
	return out.String()
}

// number reports whether a span is a number where JSON has a value: its mark then
// needs quotation marks.
func (s *scan) number(start, end int) bool {
	for i := start; i < end; i++ {
		if strings.IndexByte("+-.eE0123456789", s.text[i]) < 0 {
			return false
		}
	}
	before := strings.TrimRight(s.text[max(0, start-16):start], " \t\r\n")
	after := strings.TrimLeft(s.text[end:min(len(s.text), end+16)], " \t\r\n")
	return before != "" && strings.IndexByte(":[,", before[len(before)-1]) >= 0 && after != "" && strings.IndexByte(",]}", after[0]) >= 0
}
