package scrub

import "strings"

// issuerTriggers returns a trigger for every issuer's prefix.
func issuerTriggers() []trigger {
	var all []trigger
	for _, f := range issuers() {
		all = append(all, trigger{strings.ToLower(f.prefix), f.match})
	}
	return all
}

// match removes a credential whose prefix is text[start:end].
func (f issuer) match(s *scan, start, end int) {
	if s.text[start:end] != f.prefix {
		return
	}
	// A distinctive prefix needs no word boundary before it.
	own := !f.loose && len(f.prefix) >= 4 && strings.ContainsAny(f.prefix, "-_.+$")
	if !own && !s.starts(start) {
		return
	}
	stop := s.runFrom(end, f.of)
	n := stop - end
	if f.loose && (f.max > 0 && n > f.max || f.of&lower != 0 && n >= f.min && !mixed(s.text[end:stop])) {
		return
	}
	if len(f.prefix) == 2 && f.prefix[1] == '.' && !strings.ContainsAny(s.text[end:stop], "0123456789") {
		return // a method call on a one-letter variable
	}
	// A literal may have been split so that it fits on a line.
	parts := []span{{start, stop}}
	for len(parts) < maxParts {
		next := s.joined(stop)
		if next < 0 {
			break
		}
		stop = s.runFrom(next, f.of)
		parts, n = append(parts, span{next, stop}), n+stop-next
	}
	if n < f.min {
		return
	}
	for _, p := range parts {
		s.remove(p.start, p.end)
	}
}

// maxParts limits the number of pieces of a split literal.
const maxParts = 8

// joined returns the position at which a literal continues after a closing and an opening
// quotation mark at i, or -1 if it does not continue. Between the two marks there may be
// only white space, backslashes and the operators + and . that join strings.
func (s *scan) joined(i int) int {
	first := s.quote(i)
	if first < 0 {
		return -1
	}
	mark := s.text[first-1]
	for j := first; j < len(s.text) && j-first < 64; j++ {
		switch s.text[j] {
		case ' ', '\t', '\n', '\r', '+', '.', '\\':
		case mark:
			return j + 1
		default:
			return -1
		}
	}
	return -1
}

// quote returns the position after the quotation mark at i, which backslashes may precede,
// or -1 if there is none.
func (s *scan) quote(i int) int {
	for i < len(s.text) && s.text[i] == '\\' {
		i++
	}
	if i < len(s.text) && (s.text[i] == '"' || s.text[i] == '\'' || s.text[i] == '`') {
		return i + 1
	}
	return -1
}

// mixed reports whether text looks random because it has both letters and digits or, if it
// has at least 16 bytes, both cases.
func mixed(text string) bool {
	text = text[:min(len(text), 64)]
	var seen alphabet
	for i := range len(text) {
		seen |= kind(text[i])
	}
	return seen&digit != 0 && seen&(lower|upper) != 0 || seen&lower != 0 && seen&upper != 0 && len(text) >= 16
}

// starts reports whether a credential may begin at i: at the start of a word, after an
// escape such as \n or %3D, or after a terminal's colour sequence.
func (s *scan) starts(i int) bool {
	if i == 0 || !word.has(s.text[i-1]) {
		return true
	}
	before := s.text[max(0, i-16):i]
	n := len(before)
	switch b := before[n-1]; {
	case strings.IndexByte("ntrbf", b) >= 0 && escapes(s.text, i-1):
		return true
	case b == 'm' || b == 'K':
		open := strings.LastIndexByte(before, '[')
		return open > 0 && strings.Trim(before[open+1:n-1], "0123456789;") == "" && escaped(before[:open])
	case n >= 3 && hexAny.has(b) && hexAny.has(before[n-2]):
		return before[n-3] == '%' || before[n-3] == 'x' && n >= 4 && before[n-4] == '\\' || n >= 6 && before[n-6:n-4] == `\u`
	}
	return false
}

// escaped reports whether text ends with the escape character, either raw or written as an
// escape.
func escaped(text string) bool {
	for _, end := range []string{"\x1b", `\u001b`, `\x1b`, `\033`, `\e`, `\u001B`, `\x1B`} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}
