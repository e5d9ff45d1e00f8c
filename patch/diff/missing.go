package diff

import "fmt"

// maxTries is the maximum number of positions at which a block is compared with the file to
// find the nearest match.
const maxTries = 64

// missing returns the error for a hunk whose expected text is not in the file. The error
// gives the place where the hunk nearly matches, and the difference.
func (f *finder) missing(i int, h hunk) error {
	e := &RefusedError{
		Hunk: i + 1, Line: h.at, Reason: Missing,
		Text: "the hunk's context and removed lines are not in the file",
		Hint: "copy them from the current file, character by character",
	}
	made := h.without('-')
	if now, _ := f.find(made); now >= 0 && f.at(now, made) {
		e.Text += fmt.Sprintf("; the hunk's new lines are already at line %d", now+1)
		e.Hint = "leave the hunk out if the change has already been made"
		return e
	}
	old := h.without('+')
	best, right := f.nearest(old, h.line())
	if best < 0 {
		return e
	}
	l := old[right]
	e.Line = l.at
	if best+right >= len(f.lines) {
		e.Text += fmt.Sprintf("; they match from line %d on, but the file ends before they do", best+1)
		return e
	}
	have := f.lines[best+right]
	switch {
	case trimEnd(have) != trimEnd(l.text):
		e.Text += fmt.Sprintf("; line %d of the file is %s, not %s", best+right+1, quote(trimEnd(have)), quote(trimEnd(l.text)))
	case have+"\n" == l.full() || have == l.full()+"\n":
		e.Reason = FinalNewline
		e.Text = fmt.Sprintf("line %d of the file, %s, matches except for its end: ", best+right+1, quote(trimEnd(have)))
		if have+"\n" == l.full() {
			e.Text += "it is the last line and has no newline"
			e.Hint = "put `\\ No newline at end of file` after it, and also after the new last line if that has no newline"
		} else {
			e.Text += "it has a newline"
			e.Hint = "leave out `\\ No newline at end of file`"
		}
	default:
		e.Text += fmt.Sprintf("; line %d of the file, %s, differs in trailing white space", best+right+1, quote(trimEnd(have)))
	}
	return e
}

// nearest looks for the position in the file at which the most lines of a block match
// before a line differs. It returns that position (best) and the index in the block of
// the first line that differs (right). best is -1 if not even the block's first line is
// found. The stated position is compared first.
func (f *finder) nearest(block []line, stated int) (best, right int) {
	best = -1
	if len(block) == 0 {
		return best, 0
	}
	try := func(place int) {
		n := 0
		for n < len(block) && place+n < len(f.lines) && f.same(place+n, block[n], n == len(block)-1) {
			n++
		}
		if n < len(block) && (best < 0 && (n > 0 || trimEnd(f.lines[place]) == trimEnd(block[0].text)) || n > right) {
			best, right = place, n
		}
	}
	if stated >= 0 && stated < len(f.lines) {
		try(stated)
	}
	first := trimEnd(block[0].text)
	tries := 0
	for i := 0; i < len(f.lines) && tries < maxTries; i++ {
		if trimEnd(f.lines[i]) == first {
			try(i)
			tries++
		}
	}
	return best, right
}

func (f *finder) ambiguous(i int, h hunk) error {
	e := &RefusedError{
		Hunk: i + 1, Line: h.at, Reason: Ambiguous,
		Text: "the hunk's context and removed lines occur more than once in the file",
		Hint: "give more lines of context, so that the hunk matches in only one place",
	}
	if stated := h.line(); stated >= 0 && f.at(stated, h.without('+')) {
		e.Text += fmt.Sprintf(", and it is not certain that line %d is meant: the line numbers are inconsistent, or the change has no context", stated+1)
	} else {
		e.Text += ", but not at the stated line"
	}
	return e
}

func errNoContext(i int, h hunk) error {
	return &RefusedError{
		Hunk: i + 1, Line: h.at, Reason: Ambiguous,
		Text: "the hunk adds lines without context",
		Hint: "include the lines before and after the added ones as context",
	}
}
