package tool

import "strings"

// clean returns the text of a file without credentials. The file is scrubbed as a whole
// before it is searched, because matches of a pattern could reveal a credential character
// by character, and before lines are split or cut, because part of a credential is not
// recognised.
func (e *Env) clean(name, text string) string {
	if e.Scrub == nil {
		return text
	}
	return remembered(&e.cleaned, name, func() string { return e.Scrub(text) })
}

// maxLost is the maximum number of lines that are searched for the line after a removed
// block.
const maxLost = 1000

// numbered passes each line of a cleaned text, with the line's number in the original
// text, to the function look until look returns false.
func numbered(text, clean string, look func(n int, line string) bool) {
	if text == clean {
		n := 0
		for line := range strings.Lines(text) {
			if n++; !look(n, line) {
				return
			}
		}
		return
	}
	var was []string
	for line := range strings.Lines(text) {
		was = append(was, line)
	}
	lost := strings.Count(text, "\n") - strings.Count(clean, "\n") // of removed blocks
	n := 0
	for line := range strings.Lines(clean) {
		for ahead := range min(lost, maxLost, len(was)-n-1) + 1 {
			if n+ahead < len(was) && was[n+ahead] == line {
				n, lost = n+ahead, lost-ahead
				break
			}
		}
		if n++; !look(n, line) {
			return
		}
	}
}
