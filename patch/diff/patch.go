package diff

// Patch is a parsed diff. Parse returns it and Apply applies it.
type Patch struct {
	sections []section
}

// section is the part of a patch that changes one file.
type section struct {
	path string
	// created and removed report whether the diff states that the file is created or
	// removed, with /dev/null or a mode line.
	created, removed bool
	// oldHash and newHash are the hashes on the index line, or "" if there is no index
	// line.
	oldHash, newHash string
	// crlf reports whether every line of the diff, including its headers, ended in CRLF, so
	// transit may have changed the line endings. One CR has already been removed from each
	// line.
	crlf  bool
	hunks []hunk
}

// hunk is one block of a file's lines, as they are before and after the change.
type hunk struct {
	at int // the line of the diff at which it begins
	// stated reports whether the header has line numbers. The comments in place.go describe
	// how far they are trusted.
	stated             bool
	oldStart, newStart int
	counted            bool // whether the header's counts match the lines
	lines              []line
}

// line is one line of a hunk.
type line struct {
	at   int  // line of the diff
	kind byte // ' ', '-' or '+'
	text string
	bare bool // whether the line is marked as lacking a newline at its end
}

// full returns the line as it appears in a file.
func (l line) full() string {
	if l.bare {
		return l.text
	}
	return l.text + "\n"
}

// without returns the hunk's lines that are not of the given kind: if the kind is '+',
// these are the lines that the hunk expects; if it is '-', the lines that the hunk
// produces.
func (h hunk) without(kind byte) []line {
	out := make([]line, 0, len(h.lines))
	for _, l := range h.lines {
		if l.kind != kind {
			out = append(out, l)
		}
	}
	return out
}

// count returns the numbers of the hunk's lines before and after the change.
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
