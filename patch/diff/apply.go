package diff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"evolve/runtime/text"
)

// Apply applies a patch and returns, whole and in the patch's order, the files that it
// changes. The bytes are exactly those that the patch describes; if that is not possible,
// Apply returns a *RefusedError and no files. The comment on the function place describes
// where hunks may go. An error from base is returned unchanged.
func Apply(p Patch, base Base) ([]File, error) {
	out := make([]File, 0, len(p.sections))
	for _, s := range p.sections {
		old, err := read(base, s.path)
		if err != nil {
			return nil, err
		}
		f := File{Path: s.path, Old: old}
		if f.New, err = s.apply(old); err != nil {
			var refused *RefusedError
			if errors.As(err, &refused) {
				refused.Path = s.path
			}
			return nil, err
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, &RefusedError{Reason: Empty, Text: "the patch changes no file", Hint: "propose a change"}
	}
	return out, nil
}

// read returns the content that base returns for a file, or a *RefusedError if the content
// is longer than MaxFile.
func read(base Base, path string) ([]byte, error) {
	old, err := base(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", text.VisibleCode(path), err)
	}
	if len(old) > MaxFile {
		return nil, &RefusedError{Path: path, Reason: TooLarge, Text: fmt.Sprintf("the file has %d bytes; the maximum is %d", len(old), MaxFile), Hint: "larger files are not patched"}
	}
	return old, nil
}

// apply returns the file's content after the change, or nil if it is removed.
func (s section) apply(old []byte) ([]byte, error) {
	created := s.created || old == nil && s.creates()
	switch {
	case created && old != nil:
		return nil, &RefusedError{Reason: Exists, Text: "the file to create already exists", Hint: "write the diff against the file's current content"}
	case !created && old == nil:
		return nil, &RefusedError{Reason: Absent, Text: "the file to change does not exist", Hint: "check the path, which is relative to the root of the target; for a new file, write `--- /dev/null`"}
	case created:
		return s.create()
	}
	result, err := s.change(old)
	if err != nil {
		return nil, err
	}
	if s.removed {
		if len(result) > 0 {
			return nil, &RefusedError{Reason: Contradiction, Text: "the diff removes the file, but its hunks do not remove all of the lines", Hint: "remove every line of the file"}
		}
		return nil, nil
	}
	if bytes.Equal(result, old) {
		return nil, &RefusedError{Reason: Empty, Text: "the file would not change", Hint: "leave the file out"}
	}
	return result, nil
}

// creates reports whether the hunks are those of a new file: a single hunk that starts at
// line 0 and only adds lines.
func (s section) creates() bool {
	if s.removed || len(s.hunks) != 1 || !s.hunks[0].stated || s.hunks[0].oldStart != 0 {
		return false
	}
	before, _ := s.hunks[0].count()
	return before == 0
}

// create returns the content of a new file.
func (s section) create() ([]byte, error) {
	if len(s.hunks) > 1 {
		return nil, &RefusedError{Hunk: 2, Reason: Malformed, Text: "a new file has several hunks", Hint: "write the new file as one hunk"}
	}
	var w lineWriter
	for _, h := range s.hunks {
		for _, l := range h.lines {
			if l.kind != '+' {
				return nil, &RefusedError{Hunk: 1, Line: l.at, Reason: Malformed, Text: "the hunk of a new file contains lines that do not begin with +", Hint: "begin every line with +"}
			}
			if !w.add(l.full()) {
				return nil, errUnended(0, l)
			}
		}
	}
	result := append([]byte{}, w.String()...) // empty is not nil
	if !s.crlf || len(s.hunks) == 0 {
		return result, s.prove(nil, result)
	}
	for _, content := range [][]byte{result, bytes.ReplaceAll(result, []byte("\n"), []byte("\r\n"))} {
		if s.proven(nil, content) {
			return content, nil
		}
	}
	return nil, &RefusedError{Reason: Endings, Text: "the whole diff has CRLF line endings, so the line endings of the new file are unknown", Hint: "send the diff with LF line endings"}
}

// change returns the file's content after applying the hunks.
func (s section) change(old []byte) ([]byte, error) {
	if len(s.hunks) == 0 { // an empty file that is removed
		return old, nil
	}
	hunks, err := s.inEndings(old)
	if err != nil {
		return nil, err
	}
	lines := split(old)
	if len(hunks)*len(lines) > maxSearch {
		return nil, &RefusedError{Reason: TooLarge, Text: fmt.Sprintf("%d hunks are too many for a file of %d lines", len(hunks), len(lines)), Hint: "propose smaller changes, one at a time"}
	}
	places, unsure, err := place(lines, hunks)
	if err != nil {
		return nil, err
	}
	result, err := assemble(lines, hunks, places)
	if err != nil {
		return nil, err
	}
	if unsure != nil && !s.proven(old, result) {
		return nil, unsure
	}
	return result, s.prove(old, result)
}

// assemble applies each hunk to the lines at its position (places) and returns the
// resulting content.
func assemble(lines []string, hunks []hunk, places []int) ([]byte, error) {
	var w lineWriter
	at := 0
	for i, h := range hunks {
		for ; at < places[i]; at++ {
			w.add(lines[at])
		}
		for _, l := range h.lines {
			whole := l.full()
			if l.kind != '+' {
				// A context line is copied from the file, because the ending of the file's
				// last line may differ from that of the hunk's line.
				whole = lines[at]
				at++
			}
			if l.kind != '-' && !w.add(whole) {
				return nil, errUnended(i, l)
			}
		}
	}
	for ; at < len(lines); at++ {
		if !w.add(lines[at]) {
			last := hunks[len(hunks)-1]
			return nil, errUnended(len(hunks)-1, last.lines[len(last.lines)-1])
		}
	}
	return []byte(w.String()), nil
}

// lineWriter builds a file's content line by line.
type lineWriter struct {
	strings.Builder
	ended bool // whether the last added line has no newline
}

// add adds a line. It returns false if the previous line had no newline.
func (w *lineWriter) add(line string) bool {
	if w.ended {
		return false
	}
	w.ended = !strings.HasSuffix(line, "\n")
	w.WriteString(line)
	return true
}

func errUnended(hunk int, l line) error {
	return &RefusedError{
		Hunk: hunk + 1, Line: l.at, Reason: FinalNewline,
		Text: "a line without a newline would be in the middle of the file",
		Hint: "`\\ No newline at end of file` marks a file's last line; to add lines after a line without a newline, remove that line and add it again",
	}
}

// split splits a file into lines, each with its line ending.
func split(content []byte) []string {
	if len(content) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(content), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
