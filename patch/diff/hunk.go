package diff

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// hunkForm matches a hunk header with line numbers; omitted counts mean 1.
var hunkForm = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// hunk reads a hunk: its header and its lines.
func (p *parser) hunk() error {
	if p.cur == nil {
		return p.refuse(p.i, Malformed, "a hunk comes before any `--- a/FILE` and `+++ b/FILE`", "put the --- and +++ lines before the first hunk of each file, in the same fence")
	}
	if p.hunks++; p.hunks > MaxHunks {
		return p.refuse(p.i, TooLarge, fmt.Sprintf("more than %d hunks in one diff", MaxHunks), "propose smaller changes, one at a time")
	}
	p.cur.reading = len(p.cur.hunks) + 1
	h := hunk{at: p.i + 1}
	wantOld, wantNew := -1, -1
	if m := hunkForm.FindStringSubmatch(p.line(p.i)); m != nil {
		h.stated = true
		h.oldStart, wantOld = number(m[1], m[2])
		h.newStart, wantNew = number(m[3], m[4])
	}
	p.ending()
	p.i++
	blanks, err := p.body(&h, wantOld, wantNew)
	if err != nil {
		return err
	}
	before, after := h.count()
	// If the header counts empty lines at the end, they are context lines whose leading
	// space was stripped; otherwise they separate the diff from prose.
	if n := wantOld - before; n > 0 && n == wantNew-after && n <= blanks {
		p.empty(&h, p.i-blanks, n)
		before, after = before+n, after+n
	}
	h.counted = h.stated && before == wantOld && after == wantNew
	p.short = before < wantOld || after < wantNew
	if p.short && p.cut && p.i == len(p.lines) {
		return p.refuse(p.i-1, Malformed, "the diff seems to be cut off: its last line has no newline and its last hunk has fewer lines than its header states", "send the whole diff")
	}
	p.cur.hunks = append(p.cur.hunks, h)
	p.cur.end = p.i
	if blanks > 0 {
		p.cur.end = -1 // the lines that follow do not belong to the hunk
	}
	if len(h.lines) == 0 {
		return p.refuse(h.at-1, Malformed, "the hunk has no lines", "leave the hunk out")
	}
	return nil
}

// number parses a start and a count; an omitted count is 1.
func number(start, count string) (n, of int) {
	n, _ = strconv.Atoi(start) // at most nine digits
	of = 1
	if count != "" {
		of, _ = strconv.Atoi(count)
	}
	return n, of
}

// body reads a hunk's lines up to the first line that cannot be part of the hunk, even if
// the header gives a different count. It returns the number of empty lines skipped at the
// end.
func (p *parser) body(h *hunk, wantOld, wantNew int) (blanks int, err error) {
	before, after := 0, 0
	for ; p.i < len(p.lines); p.i++ {
		raw := p.lines[p.i]
		if raw == "" || raw == "\r" { // "\r" is an empty line in a file with CRLF
			blanks++
			continue
		}
		switch raw[0] {
		case '\\':
			if blanks > 0 || len(h.lines) == 0 {
				return blanks, p.refuse(p.i, Malformed, "a marker for a missing newline does not follow a line", "put `\\ No newline at end of file` right after the line without a newline")
			}
			h.lines[len(h.lines)-1].bare = true
			continue
		case ' ', '+', '-':
		default:
			return blanks, nil
		}
		satisfied := before == wantOld && after == wantNew
		if raw[0] == '-' && (p.signature() || p.named(p.i) && (satisfied || p.starts(wantOld-before, wantNew-after))) {
			return blanks, nil
		}
		p.empty(h, p.i-blanks, blanks)
		before, after, blanks = before+blanks, after+blanks, 0
		h.lines = append(h.lines, line{at: p.i + 1, kind: raw[0], text: raw[1:]})
		p.countEnding(p.i)
		if raw[0] != '+' {
			before++
		}
		if raw[0] != '-' {
			after++
		}
	}
	return blanks, nil
}

// empty adds n empty lines of context to the hunk. They are the lines of the diff that
// begin at the index from.
func (p *parser) empty(h *hunk, from, n int) {
	for i := from; i < from+n; i++ {
		h.lines = append(h.lines, line{at: i + 1, kind: ' ', text: p.lines[i]})
		p.countEnding(i)
	}
}

// countEnding counts the line ending of a line in a hunk as one with or without CR.
func (p *parser) countEnding(i int) {
	switch {
	case strings.HasSuffix(p.lines[i], "\r"):
		p.cur.bodyCR++
	case p.cut && i == len(p.lines)-1: // its ending was lost
		p.cur.lost = p.lines[i][0] == '+'
	default:
		p.cur.bodyLF++
	}
}
