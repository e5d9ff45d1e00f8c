package scrub

import (
	"encoding/base64"
	"strings"
)

const (
	// minRun is the minimum length of a run of encoded text that is decoded, in characters.
	// Every run of that length contains one of the offsets minRun-1, 2*minRun-1 and so on,
	// so no other offsets need be checked.
	minRun = 20
	// minClear is the minimum length of a stretch of decoded text that is scanned, in
	// bytes.
	minClear = 12
	// minHex is the number of hexadecimal digits that encode minClear bytes. minGroups is
	// the minimum number of whole groups of four base64 digits among the digits that encode
	// minClear bytes, at any alignment.
	minHex    = 2 * minClear
	minGroups = minClear/3 - 1
	// maxDepth is the number of encoding levels that are decoded.
	maxDepth = 2
	// maxLines limits the number of lines in one encoded text.
	maxLines = 1 << 14
)

// none marks a character that is neither a base64 digit nor a hexadecimal digit.
const none = 0xff

// sixBits and fourBits hold the values of the digits of base64, in both of its alphabets,
// and of hexadecimal.
var sixBits, fourBits = digitsOf(
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
), digitsOf("0123456789abcdef", "0123456789ABCDEF")

func digitsOf(alphabets ...string) (values [256]byte) {
	for i := range values {
		values[i] = none
	}
	for _, of := range alphabets {
		for v := range len(of) {
			values[of[v]] = byte(v)
		}
	}
	return values
}

// encoded removes credentials that are encoded in base64 or hexadecimal. depth is the
// number of times that the text itself was already decoded. Spans that were already found
// are not decoded.
func (f *finder) encoded(s *scan, depth int) {
	text, found := s.text, len(s.spans)
	done := 0 // end of the last run
	for i := minRun - 1; i < len(text); {
		switch {
		case mayPair(text, i) && paired(text, i) != 0:
			done = max(done, f.spelled(s, i, done, depth))
		case sixBits[text[i]] == none:
		default:
			start, end := i, i+1
			for start > done && sixBits[text[start-1]] != none {
				start--
			}
			for end < len(text) && sixBits[text[end]] != none {
				end++
			}
			if done = end; end-start >= minRun {
				done = f.run(s, start, end, depth)
			}
		}
		if i += minRun; i < done {
			i += (done - i) / minRun * minRun
		}
	}
	if len(s.spans) > found {
		s.join()
	}
}

// coded is an encoded text: its characters, and the positions of its lines in the
// surrounding text.
type coded struct {
	digits string
	lines  []span
}

// at calls the function each once for every line that contains any of the digits [from,
// to). It passes the range of these digits in the surrounding text.
func (c *coded) at(from, to int, each func(start, end int)) {
	for _, l := range c.lines {
		n := l.end - l.start
		if from < n && to > 0 {
			each(l.start+max(from, 0), l.start+min(to, n))
		}
		from, to = from-n, to-n
	}
}

// run decodes the run at [start, end) and the lines that continue it, and returns the end
// of the last line.
func (f *finder) run(s *scan, start, end, depth int) int {
	if s.covered(start, end) {
		return end
	}
	start = s.behindEscape(start)
	c := coded{digits: s.text[start:end], lines: []span{{start, end}}}
	var joined []byte
	for width := end - start; len(c.lines) < maxLines; {
		next := s.nextLine(end)
		if next < 0 {
			break
		}
		stop := next
		for stop < len(s.text) && stop-next <= width && sixBits[s.text[stop]] != none {
			stop++
		}
		if stop == next || stop-next > width {
			break
		}
		if joined == nil {
			joined = []byte(c.digits)
		}
		joined = append(joined, s.text[next:stop]...)
		c.lines = append(c.lines, span{next, stop})
		if end = stop; stop-next < width {
			break
		}
	}
	if joined != nil {
		c.digits = string(joined)
	}
	if !f.hexadecimal(s, &c, depth) {
		f.base64(s, &c, depth)
	}
	return end
}

// nextLine returns the start of the line after the break at i, without its indentation, or
// -1 if there is none. The break may be escaped.
func (s *scan) nextLine(i int) int {
	text := s.text
	broken := false
	for _, one := range []string{"\r", `\r`, "\n", `\n`} {
		if len(text)-i >= len(one) && text[i:i+len(one)] == one {
			i += len(one)
			broken = broken || one[len(one)-1] == '\n' || one[len(one)-1] == 'n'
		}
	}
	if !broken {
		return -1
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// covered reports whether a single span covers all of [start, end). It considers only the
// spans found before this pass, and must be called with increasing positions.
func (s *scan) covered(start, end int) bool {
	for s.passed < len(s.spans) && s.spans[s.passed].end <= start {
		s.passed++
	}
	return s.passed < len(s.spans) && s.spans[s.passed].start <= start && s.spans[s.passed].end >= end
}

// base64 decodes the digits as base64 and scans the result. Characters before the encoded
// text in the same run may shift it by one to three, so a group of four may begin at any
// offset. Groups are decoded only in rows in which each group can stand for three ASCII
// characters.
func (f *finder) base64(s *scan, c *coded, depth int) {
	n := len(c.digits)
	var row [4]int // the number of consecutive groups, by offset modulo 4
	look := func(end, groups int) {
		from, to := end-4*groups, min(end+4, n)
		if from >= 4 {
			from -= 4
		}
		f.look(fromBase64(c.digits[from:to]), depth, func(a, b int) {
			c.at(from+a/3*4, min(from+(b+2)/3*4, to), s.withPadding)
		})
	}
	v := uint32(sixBits[c.digits[0]])<<16 | uint32(sixBits[c.digits[1]])<<8 | uint32(sixBits[c.digits[2]])
	for p := 0; p+4 <= n; p++ {
		v = v<<8 | uint32(sixBits[c.digits[p+3]])
		switch {
		case v&0x20080200 == 0: // the highest bits of three bytes
			row[p&3]++
			continue
		case row[p&3] >= minGroups:
			look(p, row[p&3])
		}
		row[p&3] = 0
	}
	for p := max(0, n-3); p < n+1; p++ { // the offsets at which the rows would continue
		if row[p&3] >= minGroups {
			look(p, row[p&3])
		}
		row[p&3] = 0
	}
}

// withPadding removes [start, end) and any padding that follows it.
func (s *scan) withPadding(start, end int) {
	for end < len(s.text) && s.text[end] == '=' {
		end++
	}
	s.remove(start, end)
}

// standardDigits replaces the two digits of the URL-safe base64 alphabet that the
// standard alphabet lacks with the corresponding standard digits.
var standardDigits = strings.NewReplacer("-", "+", "_", "/")

// fromBase64 decodes the digits; the last group may be short.
func fromBase64(digits string) []byte {
	clear, _ := base64.RawStdEncoding.DecodeString(standardDigits.Replace(digits)) // a last group of a single digit is dropped
	return clear
}

// hexadecimal scans the runs of hexadecimal digits among c's digits, and reports whether
// the digits consist of one such run, apart from a prefix such as 0x.
func (f *finder) hexadecimal(s *scan, c *coded, depth int) bool {
	longest, done := 0, 0
	for i := minHex - 1; i < len(c.digits); i += minHex {
		if i < done || fourBits[c.digits[i]] == none {
			continue
		}
		from, to := i, i+1
		for from > done && fourBits[c.digits[from-1]] != none {
			from--
		}
		for to < len(c.digits) && fourBits[c.digits[to]] != none {
			to++
		}
		done = to
		if n := to - from; n >= minHex {
			longest = max(longest, n)
			for odd := range 1 + n%2 {
				first := from + odd
				f.look(fromHex(c.digits[first:to], 2), depth, func(a, b int) { c.at(first+2*a, first+2*b, s.remove) })
			}
		}
	}
	return longest+2 >= len(c.digits)
}

// fromHex decodes pairs of hexadecimal digits. period is the number of characters from
// the beginning of one pair to the beginning of the next.
func fromHex(digits string, period int) []byte {
	var out []byte
	for ; len(digits) >= 2; digits = digits[min(period, len(digits)):] {
		out = append(out, fourBits[digits[0]]<<4|fourBits[digits[1]])
	}
	return out
}

// mayPair reports whether there may be separated pairs of hexadecimal digits around i. It
// is cheaper than paired.
func mayPair(text string, i int) bool {
	if i+8 >= len(text) {
		return false
	}
	if fourBits[text[i]] != none {
		return fourBits[text[i+3]] != none || fourBits[text[i+4]] != none
	}
	return text[i] == '\\' || text[i] == 'x' && text[i-1] == '\\'
}

// paired returns the distance between the starts of separated pairs of hexadecimal digits
// around i: 3 for 67:68, 4 for \x67\x68, or 0 if there are no such pairs.
func paired(text string, i int) int {
	for period := 3; period <= 4; period++ {
		if at := phase(text, i, period); at >= 0 {
			return period
		}
	}
	return 0
}

// phase returns the start of the first of two separated pairs at or shortly after i, or -1
// if there is none.
func phase(text string, i, period int) int {
	for at := i; at < i+period && at+period+2 <= len(text); at++ {
		if fourBits[text[at]] != none && fourBits[text[at+1]] != none && fourBits[text[at+period]] != none && fourBits[text[at+period+1]] != none &&
			separates(text[at+2:at+period]) {
			return at
		}
	}
	return -1
}

func separates(between string) bool {
	switch between {
	case ":", "-", " ", ",", `\x`:
		return true
	}
	return false
}

// spelled scans the pairs of hexadecimal digits around i that have equal separators, and
// returns where they end.
func (f *finder) spelled(s *scan, i, done, depth int) int {
	text, period := s.text, paired(s.text, i)
	start := phase(text, i, period)
	between := text[start+2 : start+period]
	pair := func(at int) bool { return fourBits[text[at]] != none && fourBits[text[at+1]] != none }
	for start-period >= done && pair(start-period) && text[start-period+2:start] == between {
		start -= period
	}
	end := start + 2
	for end+period <= len(text) && text[end:end+period-2] == between && pair(end+period-2) {
		end += period
	}
	if end-start >= minClear*period-1 && !s.covered(start, end) {
		f.look(fromHex(text[start:end], period), depth, func(a, b int) { s.remove(start+a*period, min(start+b*period, end)) })
	}
	return end
}

// look searches decoded text for credentials and calls remove with their positions.
func (f *finder) look(clear []byte, depth int, remove func(from, to int)) {
	from := 0
	for i := 0; i <= len(clear); i++ {
		if i < len(clear) && readable(clear[i]) {
			continue
		}
		if i-from >= minClear {
			for _, found := range f.scanAt(string(clear[from:i]), depth+1).spans {
				remove(from+found.start, from+found.end)
			}
		}
		from = i + 1
	}
}

// readable reports whether a byte occurs in ASCII text.
func readable(b byte) bool { return ' ' <= b && b <= '~' || b == '\n' || b == '\r' || b == '\t' }
