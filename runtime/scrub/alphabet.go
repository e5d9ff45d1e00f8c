package scrub

// alphabet is a set of characters that a credential may consist of.
type alphabet uint32

// The parts of alphabets.
const (
	digit alphabet = 1 << iota
	hexLower
	restLower
	hexUpper
	restUpper
	dash
	under
	dot
	plus
	slash
	equals
	tilde
	percent
	colon
	dollar
	other // other characters of an unquoted value

	lower    = hexLower | restLower
	upper    = hexUpper | restUpper
	alnum    = digit | lower | upper
	smallHex = digit | hexLower
	hexAny   = smallHex | hexUpper
	word     = alnum | under
	url64    = word | dash
	std64    = alnum | plus | slash | equals
	any64    = std64 | under | dash
	dotted   = url64 | dot
	bare     = any64 | dot | tilde | percent | colon | dollar | other
)

// kind returns the character class of a byte, or 0 for white space, quotation marks and
// other bytes that end a value.
func kind(b byte) alphabet {
	switch {
	case '0' <= b && b <= '9':
		return digit
	case 'a' <= b && b <= 'f':
		return hexLower
	case 'g' <= b && b <= 'z':
		return restLower
	case 'A' <= b && b <= 'F':
		return hexUpper
	case 'G' <= b && b <= 'Z':
		return restUpper
	case b >= 0x80:
		return other
	}
	switch b {
	case '-':
		return dash
	case '_':
		return under
	case '.':
		return dot
	case '+':
		return plus
	case '/':
		return slash
	case '=':
		return equals
	case '~':
		return tilde
	case '%':
		return percent
	case ':':
		return colon
	case '$':
		return dollar
	case '!', '#', '(', ')', '*', '?', '@', '[', ']', '^', '{', '}', '|':
		return other
	}
	return 0
}

// has reports whether the byte belongs to the alphabet.
func (a alphabet) has(b byte) bool { return kind(b)&a != 0 }

// all reports whether every byte of a text belongs to the alphabet.
func (a alphabet) all(text string) bool {
	for i := range len(text) {
		if !a.has(text[i]) {
			return false
		}
	}
	return true
}

// run is a stretch of text whose characters all belong to one alphabet.
type run struct {
	of         alphabet
	start, end int
}

// runFrom returns the end of the run of the alphabet that starts at i. The last run of each
// alphabet is cached, so even a text in which a credential seems to begin everywhere is not
// read again for each beginning.
func (s *scan) runFrom(i int, of alphabet) int {
	var r *run
	for k := range s.runs {
		if s.runs[k].of == of {
			r = &s.runs[k]
			if r.start <= i && i < r.end {
				return r.end
			}
			break
		}
	}
	end := i
	for end < len(s.text) && of.has(s.text[end]) {
		end++
	}
	if r == nil {
		s.runs = append(s.runs, run{of, i, end})
	} else {
		*r = run{of, i, end}
	}
	return end
}

// back returns the start of the run of bytes in the alphabet that ends at i, but goes
// back at most n bytes.
func (s *scan) back(i, n int, of alphabet) int {
	start := i
	for start > 0 && i-start < n && of.has(s.text[start-1]) {
		start--
	}
	return start
}
