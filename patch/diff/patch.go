package diff

// Patch is a diff as it was read. Parse makes it and Apply takes it.
type Patch struct {
	sections []section
}

// Paths lists the files that the patch names, in its order. Each is relative,
// slash-separated and printable, has no ".." and does not lead into a .git folder.
func (p Patch) Paths() []string {
	out := make([]string, len(p.sections))
	for i, s := range p.sections {
		out[i] = s.path
	}
	return out
}

// section is the part of a patch that changes one file.
type section struct {
	path string
	// created and removed say so in so many words: /dev/null or a mode line.
	created, removed bool
	// oldHash and newHash are those of the index line, "" when there is none.
	oldHash, newHash string
	// crlf says that every line of the diff ended in CRLF, its headers too, so that
	// the way may have changed the endings. One CR is already off each line.
	crlf  bool
	hunks []hunk
}

// hunk is one block of a file's lines, before and after.
type hunk struct {
	at int // line of the diff where it begins
	// stated says that the header has line numbers. They are believed only as far
	// as place.go says.
	stated             bool
	oldStart, newStart int
	counted            bool // the header's counts are those of the lines
	lines              []line
}

// line is one line of a hunk.
type line struct {
	at   int  // line of the diff
	kind byte // ' ', '-' or '+'
	text string
	bare bool // marked as having no newline at its end
}

// full is the line as it stands in a file.
func (l line) full() string {
	if l.bare {
		return l.text
	}
	return l.text + "\n"
}

// without is the hunk's lines of the other kinds: without '+' what it expects to
// find, without '-' what it makes.
func (h hunk) without(kind byte) []line {
	out := make([]line, 0, len(h.lines))
	for _, l := range h.lines {
		if l.kind != kind {
			out = append(out, l)
		}
	}
	return out
}

// count is the number of lines before and after.
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
