package diff

// Patch is a parsed diff. Parse makes it and Apply applies it.
type Patch struct {
	sections []section
}

// section is the part of a patch that changes one file.
type section struct {
	path string
	// created and removed are set if the diff states so explicitly: /dev/null or a mode
	// line.
	created, removed bool
	// oldHash and newHash are those of the index line, "" if there is none.
	oldHash, newHash string
	// crlf reports whether every line of the diff ended in CRLF, including its headers,
	// so that transit may have changed the endings. One CR is already removed from each
	// line.
	crlf  bool
	hunks []hunk
}

// hunk is one block of a file's lines, before and after.
type hunk struct {
	at int // line of the diff where it begins
	// stated reports whether the header has line numbers. See place.go for how far they
	// are trusted.
	stated             bool
	oldStart, newStart int
	counted            bool // the header's counts equal those of the lines
	lines              []line
}

// line is one line of a hunk.
type line struct {
	at   int  // line of the diff
	kind byte // ' ', '-' or '+'
	text string
	bare bool // marked as having no newline at its end
}

// full returns the line as it stands in a file.
func (l line) full() string {
	if l.bare {
		return l.text
	}
	return l.text + "\n"
}

// without returns the hunk's lines of the other kinds: without '+' the lines that it
// expects, without '-' those that it produces.
func (h hunk) without(kind byte) []line {
	out := make([]line, 0, len(h.lines))
	for _, l := range h.lines {
		if l.kind != kind {
			out = append(out, l)
		}
	}
	return out
}

// count returns the number of lines before and after.
func (h hunk) count() (before, after int) {
	for _, l := range h.lines {
		if l.kind != '+' {
			before++
		}
		if l.kind != '-' {
			after++
		}
	}
	return before, after
}
