package blocks

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/mutate/tokens"
	foreign "evolve/runtime/text"
)

// These limits apply to untrusted source. Files without a mark are not read and do not
// count towards them.
const (
	mostBytes    = 1 << 20 // of one file
	mostText     = 1 << 16 // of one block, in bytes
	mostBlocks   = 64
	mostProblems = 100
)

// Find returns the blocks in files, sorted by path and line, and a problem for every
// marker that cannot be used. The keys of files are paths. If several blocks have the
// same name, none of them is returned, and each block after the first is a problem.
// Blocks in generated files are problems. A mark in a string or in a longer comment is
// not a marker; see [Quoted].
func Find(files map[string][]byte) ([]Block, []Problem) {
	f := search(files)
	f.refuseTwins()
	if len(f.found) > mostBlocks {
		b := f.found[mostBlocks]
		f.refuse(b.File, b.Line, fmt.Sprintf("more than %d blocks are marked", mostBlocks), "keep only the marks that matter most")
		f.found = f.found[:mostBlocks]
	}
	slices.SortStableFunc(f.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	if len(f.problems) > mostProblems {
		f.problems = f.problems[:mostProblems]
	}
	return f.found, f.problems
}

// Quoted returns a problem for each evolve:begin mark that is in a string or in a longer
// comment of its language and therefore begins no block. [tokens.Enclosed] finds these
// marks.
func Quoted(files map[string][]byte) []Problem { return search(files).quoted }

// Marked reports whether a file contains an evolve:begin mark, whether or not the mark can
// be used.
func Marked(path string, data []byte) bool {
	f := search(map[string][]byte{path: data})
	return len(f.found)+len(f.problems) > 0
}

// search reads all files that contain a mark and collects what it finds in them.
func search(files map[string][]byte) *finding {
	f := &finding{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if bytes.Contains(files[path], []byte(opening)) || bytes.Contains(files[path], []byte(closing)) {
			f.read(path, files[path])
		}
	}
	return f
}

// finding collects the results from all files.
type finding struct {
	found            []Block
	problems, quoted []Problem
}

func (f *finding) refuse(file string, line int, text, hint string) {
	f.problems = append(f.problems, Problem{file, line, text, hint})
}

// read finds the blocks in one file.
func (f *finding) read(path string, data []byte) {
	switch {
	case len(data) > mostBytes:
		f.refuse(path, 1, fmt.Sprintf("the file has %d bytes; files of more than %d are not read", len(data), mostBytes), "")
		return
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		f.refuse(path, 1, "the file is not UTF-8 text", "")
		return
	}
	crlf, uniform := lineEnds(data)
	if !uniform {
		f.refuse(path, 1, `some lines end in "\r\n" and others in "\n"`, "end all lines of the file in the same way")
		return
	}
	if line := generated(path, data); line > 0 {
		f.refuse(path, line, "the mark is in a generated file", "mark a block in a file that is written by hand")
		return
	}
	var open *Block
	number, enclosed := 0, tokens.Enclosed(path, string(data))
	for at := 0; at < len(data); {
		end := at + len(data[at:])
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		number++
		m, marked := readMark(withoutBOM(at, string(data[at:end])))
		quoted := marked && within(enclosed, at+bytes.IndexFunc(data[at:end], func(r rune) bool { return !unicode.IsSpace(r) }))
		switch {
		case !marked, quoted && !m.opens:
		case quoted:
			f.quoted = append(f.quoted, Problem{File: path, Line: number, Text: "the mark is in a string or in a longer comment, so it does not begin a block"})
		case m.opens && open != nil:
			f.refuse(path, number, fmt.Sprintf("block %s begins inside block %s", foreign.Quote(m.name), foreign.Quote(open.Name)), "blocks cannot be nested: end the first one before this one begins")
			open = nil
		case m.opens && !validName(m.name):
			f.refuse(path, number, "the name "+foreign.Quote(m.name)+" cannot be used", "a mark is evolve:begin NAME; the name has up to 64 letters, digits, dots, dashes and underscores and begins with a letter")
		case m.opens:
			open = &Block{Name: m.name, File: path, Line: number, start: end, crlf: crlf}
		case open == nil:
			f.refuse(path, number, "evolve:end has no evolve:begin before it", "")
		case m.name != "" && m.name != open.Name:
			f.refuse(path, number, fmt.Sprintf("evolve:end names %s, but the open block is %s", foreign.Quote(m.name), foreign.Quote(open.Name)), "")
			open = nil
		default:
			open.end = at
			f.close(*open, data)
			open = nil
		}
		at = end
	}
	if open != nil {
		f.refuse(path, open.Line, "block "+foreign.Quote(open.Name)+" has no end", "write evolve:end on a separate comment line after the block")
	}
}

// withoutBOM returns a line without the byte order mark that may begin a file. The
// parameter at is the offset of the line; only the line at offset 0 can begin with the
// mark.
func withoutBOM(at int, line string) string {
	if at > 0 {
		return line
	}
	return strings.TrimPrefix(line, "\ufeff")
}

// within reports whether an offset is inside a span, after the beginning of the span.
func within(spans []tokens.Span, at int) bool {
	i, _ := slices.BinarySearchFunc(spans, at, func(s tokens.Span, at int) int { return cmp.Compare(s.To, at+1) })
	return i < len(spans) && spans[i].From < at
}

// close adds a block whose end has been found.
func (f *finding) close(b Block, data []byte) {
	text := data[b.start:b.end]
	if b.crlf {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	b.Text = string(text)
	switch {
	case strings.TrimSpace(b.Text) == "":
		f.refuse(b.File, b.Line, "block "+foreign.Quote(b.Name)+" is empty", "write text in the block: the search starts from its current text")
	case len(b.Text) > mostText:
		f.refuse(b.File, b.Line, fmt.Sprintf("block %s has %d bytes, but at most %d can be searched", foreign.Quote(b.Name), len(b.Text), mostText), "mark the part that matters")
	default:
		f.found = append(f.found, b)
	}
}

// refuseTwins removes all blocks that share a name with another block, and adds a problem
// for each of them after the first.
func (f *finding) refuseTwins() {
	first, twice := map[string]Block{}, map[string]bool{}
	for _, b := range f.found {
		if was, there := first[b.Name]; there {
			twice[b.Name] = true
			f.refuse(b.File, b.Line, fmt.Sprintf("the name %s is used twice, first at %s:%d", foreign.Quote(b.Name), foreign.Visible(was.File), was.Line), "give each block of a target its own name")
			continue
		}
		first[b.Name] = b
	}
	f.found = slices.DeleteFunc(f.found, func(b Block) bool { return twice[b.Name] })
}

// lineEnds reports whether lines of a file end in "\r\n", and whether all lines end in the
// same way.
func lineEnds(data []byte) (crlf, uniform bool) {
	all, returns := bytes.Count(data, []byte("\n")), bytes.Count(data, []byte("\r\n"))
	return returns > 0, returns == 0 || returns == all
}
