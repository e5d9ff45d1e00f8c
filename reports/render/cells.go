package render

import (
	"slices"
	"strings"

	"evolve/runtime/text"
)

// width returns the number of terminal cells that a text takes. For a text of several
// lines, that is the number for its longest line.
func (t spans) width() int {
	widest, n := 0, 0
	for _, s := range t {
		for i, line := range strings.Split(s.Text, "\n") {
			if i > 0 {
				widest, n = max(widest, n), 0
			}
			n += text.Width(line)
		}
	}
	return max(widest, n)
}

// cut splits a text after the first n bytes.
func (t spans) cut(n int) (head, tail spans) {
	for i, s := range t {
		if n < len(s.Text) {
			tail = slices.Clone(t[i:])
			tail[0].Text = s.Text[n:]
			if s.Text = s.Text[:n]; n > 0 {
				head = append(head, s)
			}
			return head, tail
		}
		head = append(head, s)
		n -= len(s.Text)
	}
	return head, nil
}

// chop breaks a preformatted line after exactly width cells instead of at spaces, because
// every space in such a line matters.
func chop(t spans, width int) []spans {
	var lines []spans
	for t.width() > width {
		head, tail := t.cut(text.FirstCells(t.raw(), max(width, 1)))
		lines, t = append(lines, head), tail
	}
	return append(lines, t)
}

// wrap breaks a text at its line breaks, and into lines of at most width cells; see
// [text.Wrap].
func wrap(t spans, width int) []spans {
	var lines []spans
	for {
		at := strings.IndexByte(t.raw(), '\n')
		if at < 0 {
			return append(lines, wrapLine(t, width)...)
		}
		head, tail := t.cut(at)
		lines = append(lines, wrapLine(head, width)...)
		_, t = tail.cut(1)
	}
}

func wrapLine(t spans, width int) []spans {
	var lines []spans
	for _, line := range text.Wrap(t.raw(), max(width, 1)) {
		raw := t.raw()
		_, t = t.cut(len(raw) - len(strings.TrimLeft(raw, " ")))
		var head spans
		head, t = t.cut(len(line))
		lines = append(lines, head)
	}
	return lines
}
