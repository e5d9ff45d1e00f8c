package scrub

import "strings"

// keyTriggers returns triggers for the words that mark blocks of private keys.
func keyTriggers() []trigger {
	return []trigger{
		{"private key", block},
		{"private+key", block}, // in a URL
		{"private%20key", block},
		{"static key", block},
		{"private-lines:", putty},
	}
}

const (
	blockEnd = "-----END"
	// maxBlock is the maximum length of a block, in bytes.
	maxBlock = 64 << 10
	// minPiece is the minimum length of a piece of a block that is removed by itself.
	minPiece = 8
)

// block removes a private key between its begin and end lines or, if there is no end line,
// up to the first line that cannot belong to the key.
func block(s *scan, start, end int) {
	from := strings.LastIndex(s.text[max(0, start-50):start], "-----BEGIN")
	if from < 0 {
		return
	}
	from += max(0, start-50)
	head := strings.Index(s.text[end:min(len(s.text), end+24)], "-----")
	if head < 0 || strings.ContainsAny(s.text[from:end+head], "\n\"") {
		return
	}
	body := end + head + len("-----")
	stop := s.blockEnd(body)
	if stop < 0 {
		s.remove(from, s.pieces(body, len(s.text), false))
		return
	}
	tail := strings.Index(s.text[stop+len(blockEnd):min(len(s.text), stop+80)], "-----")
	if tail < 0 {
		s.remove(from, s.pieces(body, len(s.text), false))
		return
	}
	last := stop + len(blockEnd) + tail + len("-----")
	if !strings.Contains(s.text[from:last], `"`) {
		s.remove(from, last)
		return
	}
	// The lines of the key are string literals in a program or items of a list, so each is
	// removed separately.
	s.pieces(body, stop, true)
}

// blockEnd returns the start of the next end line of a block at or after i, or -1 if there
// is none within maxBlock.
func (s *scan) blockEnd(i int) int {
	if s.keyFrom > i || i > s.keyEnd || s.keyFrom == 0 {
		s.keyFrom, s.keyEnd = i, len(s.text)
		if n := strings.Index(s.text[i:], blockEnd); n >= 0 {
			s.keyEnd = i + n
		}
	}
	if s.keyEnd == len(s.text) || s.keyEnd-i > maxBlock {
		return -1
	}
	return s.keyEnd
}

// pieces skips lines of base64 from i on until it reaches something else, and returns their
// end. If the lines are literals, it removes each of them separately.
func (s *scan) pieces(i, limit int, literals bool) int {
	for i < limit {
		if skip := s.lineEnds(i); skip > i {
			i = skip
			continue
		}
		end := min(s.runFrom(i, std64|dash|under), limit)
		switch {
		case literals:
			if end-i >= minPiece && !strings.Contains(s.text[i:end], "redacted") {
				s.remove(i, end)
			}
			i = max(end, i+1)
		case end == i:
			return i
		case end < limit && s.text[end] == ':': // a header such as Proc-Type: 4,ENCRYPTED
			for end < limit && strings.IndexByte("\r\n\\\"", s.text[end]) < 0 {
				end++
			}
			i = end
		case end < limit && s.text[end] == ' ' && end-i < 16: // a word in a sentence
			return i
		default:
			i = end
		}
	}
	return i
}

// lineEnds returns the end of the white space at i, which may include escaped line breaks.
func (s *scan) lineEnds(i int) int {
	for i < len(s.text) {
		switch s.text[i] {
		case ' ', '\t', '\r', '\n':
			i++
			continue
		case '\\':
			end := i
			for end < len(s.text) && s.text[end] == '\\' {
				end++
			}
			if end < len(s.text) && (s.text[end] == 'n' || s.text[end] == 'r') && (end-i)%2 == 1 {
				i = end + 1
				continue
			}
		}
		return i
	}
	return i
}

// putty removes the private part of a PuTTY key file.
func putty(s *scan, _, end int) {
	at := s.runFrom(s.gap(end), digit)
	if stop := s.pieces(at, len(s.text), false); stop-at > 40 {
		s.remove(at, stop)
	}
}
