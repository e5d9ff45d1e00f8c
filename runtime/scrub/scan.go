package scrub

import (
	"slices"
	"strings"
)

// scan is one pass over a text.
type scan struct {
	text  string
	spans []span
	// last is the span with the greatest end.
	last span
	runs []run
	// named is the end of the last credential name whose value was searched for.
	named int
	// keyEnd is the offset of the first end line of a key block at or after keyFrom, or the
	// end of the text if there is none.
	keyFrom, keyEnd int
	// passed is the number of spans before the current position of [finder.encoded].
	passed int
	// manifest is the end of the last manifest that holds secrets.
	manifest int
}

// span is a part of the text to remove.
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

// behindEscape returns the end of the escape, such as \n, that contains i, or i if no
// escape does. An escape is never cut in two, because the rest would be invalid JSON.
func (s *scan) behindEscape(i int) int {
	for back := 1; back <= 5 && i-back >= 0; back++ {
		if s.text[i-back] != '\\' {
			continue
		}
		at := i - back + 1
		switch {
		case !escapes(s.text, at) || at >= len(s.text):
		case s.text[at] == 'u':
			if end := at + 5; end <= len(s.text) && hexAny.all(s.text[at+1:end]) {
				return end
			}
		case back == 1 && strings.IndexByte(`"\/bfnrt`, s.text[i]) >= 0:
			return i + 1
		}
		return i
	}
	return i
}

// escapes reports whether an odd number of backslashes precedes position i.
func escapes(text string, i int) bool {
	n := 0
	for i-n > 0 && text[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// join sorts the spans and merges those that touch or overlap.
func (s *scan) join() {
	slices.SortFunc(s.spans, func(a, b span) int { return a.start - b.start })
	kept := s.spans[:0]
	for _, next := range s.spans {
		if n := len(kept); n > 0 && next.start <= kept[n-1].end {
			kept[n-1].end = max(kept[n-1].end, next.end)
			continue
		}
		kept = append(kept, next)
	}
	s.spans = kept
}

// marked returns text[from:to] with each of the spans within it replaced by a mark.
func (s *scan) marked(from, to int, spans []span) string {
	var out strings.Builder
	out.Grow(to - from)
	for _, one := range spans {
		out.WriteString(s.text[from:one.start])
		if s.number(one.start, one.end) {
			out.WriteString(`"` + Mark + `"`)
		} else {
			out.WriteString(Mark)
		}
		from = min(one.end, to)
	}
	out.WriteString(s.text[from:to])
	return out.String()
}

// number reports whether a span is a number that is a JSON value, in which case its mark
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
