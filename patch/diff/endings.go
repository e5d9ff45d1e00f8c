package diff

import (
	"bytes"
	"strings"
)

// ending is the kind of line ending of a file.
type ending int

const (
	none ending = iota // no line ends
	lf
	crlf
	mixed
)

// endingOf returns the line ending of a text, which is mixed if the text's lines end in
// different ways, or none if no line ends.
func endingOf(content []byte) ending {
	all, cr := bytes.Count(content, []byte("\n")), bytes.Count(content, []byte("\r\n"))
	switch {
	case all == 0:
		return none
	case cr == 0:
		return lf
	case cr == all:
		return crlf
	}
	return mixed
}

// inEndings returns the hunks, with the file's line endings if the diff's endings were
// changed in transit. They count as changed if the diff's headers end in CRLF, too, or if
// every line of the file has a CR and no line of the hunks does. In all other cases the
// hunks are returned as written.
func (s section) inEndings(old []byte) ([]hunk, error) {
	has, cr, known := endingOf(old), false, false
	for _, h := range s.hunks {
		for _, l := range h.lines {
			cr = cr || strings.HasSuffix(l.text, "\r")
			known = known || l.kind != '+' && !l.bare
		}
	}
	switch {
	case s.crlf && (has == mixed || has == none):
		return nil, &RefusedError{Reason: Endings, Text: "the whole diff has CRLF line endings, but the file has mixed line endings or none", Hint: "send the diff as git writes it, with header lines that end in LF"}
	case s.crlf && !known:
		return nil, &RefusedError{Reason: Endings, Text: "the whole diff has CRLF line endings, and none of its lines shows which line endings the file has", Hint: "send the diff with LF line endings"}
	case has != crlf || cr:
		return s.hunks, nil
	case !known:
		return nil, &RefusedError{Reason: Endings, Text: "lines that end in LF would be added to a file with CRLF line endings, and no line of the diff shows whether this is intended", Hint: "include the lines around the added ones"}
	}
	out := make([]hunk, len(s.hunks))
	for i, h := range s.hunks {
		lines := make([]line, len(h.lines))
		for j, l := range h.lines {
			if !l.bare {
				l.text += "\r"
			}
			lines[j] = l
		}
		h.lines = lines
		out[i] = h
	}
	return out, nil
}
