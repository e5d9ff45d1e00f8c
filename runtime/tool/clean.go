package tool

import "strings"

// clean is the text of a file without credentials, scrubbed once: before it is
// searched, because a pattern that matches or not would tell a credential character by
// character, and before its lines are taken apart or cut, because a piece of one is
// recognised by nobody.
func (e *Env) clean(name, text string) string {
	if e.Scrub == nil {
		return text
	}
	return remembered(&e.cleaned, name, func() string { return e.Scrub(text) })
}

// maxLost bounds how far a line is looked for behind a removed block, in lines.
const maxLost = 1000

// numbered calls look with each line of a cleaned text and the number that it has in
// the text itself, until look returns false.
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
	lost := strings.Count(text, "\n") - strings.Count(clean, "\n") // with blocks that were removed
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
