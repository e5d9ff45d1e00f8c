package diff

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Replacement is a pair of old and new text in one file.
type Replacement struct {
	Path string `json:"path"`
	// Old must occur exactly once in the file. If it is empty, the file must not exist or
	// must be empty, and its content becomes New.
	Old string `json:"old"`
	New string `json:"new"`
}

// Replace applies pairs of old and new text and returns the complete contents of the
// files that they change, in the order in which the pairs first name them. All old texts
// are searched for in the original file, before any of them is replaced; they must not
// overlap. If all lines of a pair have one kind of line ending and all lines of the file
// have the other, the pair is read with the file's line ending. Everything else is
// refused with a *RefusedError. An error from base is returned unchanged.
func Replace(list []Replacement, base Base) ([]File, error) {
	if err := checkLimits(list); err != nil {
		return nil, err
	}
	var out []File
	spans := map[string][]span{}
	for i, r := range list {
		if bad := checkPath(r.Path); bad != "" {
			return nil, &RefusedError{Path: r.Path, Hunk: i + 1, Reason: UnsafePath, Text: bad, Hint: "name files relative to the root of the target, with slashes"}
		}
		at := slices.IndexFunc(out, func(f File) bool { return f.Path == r.Path })
		if at < 0 {
			old, err := read(base, r.Path)
			if err != nil {
				return nil, err
			}
			at = len(out)
			out = append(out, File{Path: r.Path, Old: old})
		}
		s, err := r.find(out[at].Old)
		if err == nil {
			spans[r.Path], err = insertSpan(spans[r.Path], s)
		}
		if err != nil {
			var refused *RefusedError
			if errors.As(err, &refused) {
				refused.Path, refused.Hunk = r.Path, i+1
			}
			return nil, err
		}
	}
	for i, f := range out {
		var b bytes.Buffer
		end := 0
		for _, s := range spans[f.Path] {
			b.Write(f.Old[end:s.start])
			b.WriteString(s.text)
			end = s.end
		}
		b.Write(f.Old[end:])
		if f.Old != nil && bytes.Equal(b.Bytes(), f.Old) {
			return nil, &RefusedError{Path: f.Path, Reason: Empty, Text: "the file would not change", Hint: "leave the file out"}
		}
		out[i].New = append([]byte{}, b.Bytes()...) // empty is not nil
	}
	return out, nil
}

// checkLimits returns an error if the list is empty or exceeds the limits.
func checkLimits(list []Replacement) error {
	size := 0
	for _, r := range list {
		size += len(r.Old) + len(r.New)
	}
	switch {
	case len(list) == 0:
		return &RefusedError{Reason: Empty, Text: "there is no pair of old and new text", Hint: "propose a change"}
	case len(list) > MaxFiles:
		return &RefusedError{Reason: TooLarge, Text: fmt.Sprintf("%d pairs were given; the maximum is %d", len(list), MaxFiles), Hint: "propose smaller changes, one at a time"}
	case size > MaxText:
		return &RefusedError{Reason: TooLarge, Text: fmt.Sprintf("the old and new texts have %d bytes in total; the maximum is %d", size, MaxText), Hint: "propose smaller changes, one at a time"}
	}
	return nil
}

// span is a part of a file, and the text that replaces it.
type span struct {
	start, end int
	text       string
}

// insertSpan inserts a span into the list of a file's spans, which are sorted and do not
// overlap.
func insertSpan(list []span, s span) ([]span, error) {
	at, _ := slices.BinarySearchFunc(list, s, func(a, b span) int { return a.start - b.start })
	if at > 0 && list[at-1].end > s.start || at < len(list) && (list[at].start < s.end || list[at].start == s.start) {
		return nil, &RefusedError{Reason: Overlapping, Text: "the old text overlaps that of another pair", Hint: "merge the two pairs"}
	}
	return slices.Insert(list, at, s), nil
}

// find returns the span of the only occurrence of the old text.
func (r Replacement) find(content []byte) (span, error) {
	switch {
	case r.Old == "" && len(content) > 0:
		return span{}, &RefusedError{Reason: Ambiguous, Text: "the old text is empty and the file is not", Hint: "give the text to replace; to insert text, give an adjacent line in both texts"}
	case r.Old == "":
		return span{text: r.New}, nil
	case content == nil:
		return span{}, &RefusedError{Reason: Absent, Text: "the file to change does not exist", Hint: "check the path, which is relative to the root of the target; for a new file, leave the old text empty"}
	}
	before, after := r.inEndings(endingOf(content))
	start := bytes.Index(content, []byte(before))
	if start < 0 {
		return span{}, &RefusedError{Reason: Missing, Text: "the old text is not in the file: " + quote(r.Old), Hint: "copy it from the current file, character by character"}
	}
	// The next occurrence may begin inside the first one.
	if bytes.Contains(content[start+1:], []byte(before)) {
		return span{}, &RefusedError{Reason: Ambiguous, Text: "the old text occurs more than once in the file: " + quote(r.Old), Hint: "give more of the surrounding text, so that the old text occurs only once"}
	}
	return span{start: start, end: start + len(before), text: after}, nil
}

// inEndings returns the old and the new text of the pair. They are converted to the file's
// kind of line ending (has) if all their lines have the other kind.
func (r Replacement) inEndings(has ending) (before, after string) {
	switch kind := endingOf([]byte(r.Old + "\x00" + r.New)); {
	case has == crlf && kind == lf:
		return strings.ReplaceAll(r.Old, "\n", "\r\n"), strings.ReplaceAll(r.New, "\n", "\r\n")
	case has == lf && kind == crlf:
		return strings.ReplaceAll(r.Old, "\r\n", "\n"), strings.ReplaceAll(r.New, "\r\n", "\n")
	}
	return r.Old, r.New
}
