package reports

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells measures text in terminal cells. It ignores the environment, so that the same
// records give the same lines everywhere.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// cellWidth adds up the widths of characters. [Visible] has already escaped characters
// that join into one sign, except combining marks, which take no cell.
func cellWidth(s string) int {
	if plain(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += cells.RuneWidth(r)
	}
	return n
}

func (t text) width() int {
	n := 0
	for _, s := range t {
		n += cellWidth(s.Text)
	}
	return n
}

// token is a word or the space between words.
type token struct {
	span
	space bool
}

func tokens(t text) []token {
	var out []token
	for _, s := range t {
		rest := s.Text
		for rest != "" {
			n := strings.IndexByte(rest, ' ')
			if n == 0 {
				n = len(rest) - len(strings.TrimLeft(rest, " "))
				out = append(out, token{span{rest[:n], s.Style, s.Foreign}, true})
			} else {
				if n < 0 {
					n = len(rest)
				}
				out = append(out, token{span{rest[:n], s.Style, s.Foreign}, false})
			}
			rest = rest[n:]
		}
	}
	return out
}

// chop breaks a preformatted line at exactly width cells, not at spaces, because every
// space of it counts.
func chop(t text, width int) []text {
	var lines []text
	for t.width() > width {
		head, tail := cut(t, max(width, 1))
		lines, t = append(lines, head), tail
	}
	return append(lines, t)
}

// wrap breaks a text into lines of at most width cells, at spaces if possible. Adjacent
// words without a space stay together.
func wrap(t text, width int) []text {
	width = max(width, 1)
	var lines []text
	var line, space text
	used := 0
	flush := func() {
		lines = append(lines, line)
		line, space, used = nil, nil, 0
	}
	list := tokens(t)
	for i := 0; i < len(list); {
		if list[i].space {
			space = append(space, list[i].span)
			i++
			continue
		}
		var word text
		for ; i < len(list) && !list[i].space; i++ {
			word = append(word, list[i].span)
		}
		if used > 0 && used+space.width()+word.width() > width {
			flush()
		}
		if used > 0 {
			used += space.width()
			line = append(line, space...)
		}
		space = nil
		for word.width() > width-used {
			head, tail := cut(word, width-used)
			line = append(line, head...)
			flush()
			word = tail
		}
		line = append(line, word...)
		used += word.width()
	}
	if len(line) > 0 || len(lines) == 0 {
		flush()
	}
	return lines
}

// cut splits a text after at most width cells, but after at least one character.
func cut(t text, width int) (head, tail text) {
	used, moved := 0, false
	for i, s := range t {
		for j, r := range s.Text {
			w := cells.RuneWidth(r)
			if moved && w > 0 && used+w > width {
				if j > 0 {
					head = append(head, span{s.Text[:j], s.Style, s.Foreign})
				}
				tail = append(text{span{s.Text[j:], s.Style, s.Foreign}}, t[i+1:]...)
				return head, tail
			}
			used, moved = used+w, true
		}
		head = append(head, s)
	}
	return head, nil
}
