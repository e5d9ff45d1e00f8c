package tokens

import "strings"

// end returns the last step that belongs to a line: the step with the line's closing
// bracket, or the last of the steps that are indented more deeply. The lines are those of
// the base if base is true, and otherwise those of the text. If no step belongs to the
// line, or if within returns false for one of these steps, end returns the index of the
// line's own step (at).
func (s *shrinking) end(at int, base bool, within func(int) bool) int {
	depth, last := 0, at
	begin := len(indentation(s.line(at, base)))
	for i := at; i < len(s.steps); i++ {
		if !s.has(i, base) {
			continue
		}
		line := s.line(i, base)
		if blank := strings.TrimSpace(line) == ""; blank && i > at {
			continue
		}
		for _, x := range s.items(line) {
			switch x.kind {
			case opens:
				depth++
			case closes:
				depth--
			}
		}
		if i == at && depth > 0 {
			continue
		}
		if depth == 0 && i > at && s.closing(line) && len(indentation(line)) == begin {
			if !within(i) {
				return at
			}
			return i
		}
		if i > at && depth <= 0 && len(indentation(line)) <= begin {
			return last
		}
		if i > at && !within(i) {
			return at
		}
		last = i
	}
	return last
}

// following holds the words that begin a further part of a statement, such as else.
var following = words("else elif elsif elseif except catch finally rescue ensure")

// statement returns the last step of the statement that begins with a line, including
// further parts such as else.
func (s *shrinking) statement(at int, base bool) int {
	end := s.end(at, base, func(int) bool { return true })
	for next := s.next(end, base); next > 0; next = s.next(end, base) {
		line := s.line(next, base)
		if indentation(line) != indentation(s.line(at, base)) || !s.items(line)[0].is(following) {
			break
		}
		end = s.end(next, base, func(int) bool { return true })
	}
	return end
}

// next returns the first step after the given one (at) that has a line with tokens. That
// line is the base's if base is true, and otherwise the text's. It returns 0 if there is
// none.
func (s *shrinking) next(at int, base bool) int {
	for i := at + 1; i < len(s.steps); i++ {
		if s.has(i, base) && len(s.items(s.line(i, base))) > 0 {
			return i
		}
	}
	return 0
}

// closing reports whether a line begins with a closing bracket, or with a word that ends a
// statement begun on an earlier line.
func (s *shrinking) closing(line string) bool {
	items := s.items(line)
	return len(items) > 0 && (items[0].kind == closes || items[0].is(enders))
}

// enders holds the words that end statements of several lines.
var enders = words("end fi done esac")

// has reports whether a step has a line on one side: the base if base is true, and
// otherwise the text.
func (s *shrinking) has(i int, base bool) bool {
	if base {
		return s.steps[i].was
	}
	return s.steps[i].is
}

func (s *shrinking) line(i int, base bool) string {
	if base {
		return s.steps[i].old
	}
	return s.steps[i].now
}

// lines returns the lines that some steps have in the base if base is true, and otherwise
// in the text.
func (s *shrinking) lines(from, to int, base bool) []string {
	var out []string
	for i := from; i < to; i++ {
		if s.has(i, base) {
			out = append(out, s.line(i, base))
		}
	}
	return out
}

// sequence returns the tokens of all the lines, joined by spaces.
func (s *shrinking) sequence(lines []string) string {
	var out []string
	for _, line := range lines {
		out = append(out, texts(s.items(line))...)
	}
	return strings.Join(out, " ")
}

// indentation returns the white space at the beginning of a line.
func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// indented replaces the indentation of the first line with the given indentation (to) in
// all lines that begin with the first line's indentation.
func indented(lines []string, to string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line
		if rest, ok := strings.CutPrefix(line, indentation(lines[0])); ok && strings.TrimSpace(line) != "" {
			out[i] = to + rest
		}
	}
	return out
}

// doubles attempts to revert the second of two equal statements in a row.
func (s *shrinking) doubles() {
	for i, step := range s.steps {
		if !step.is || len(s.items(step.now)) == 0 || s.closing(step.now) {
			continue
		}
		end := s.statement(i, false)
		next := s.next(end, false)
		if next == 0 || indentation(s.steps[next].now) != indentation(step.now) || s.items(s.steps[next].now)[0].text != s.items(step.now)[0].text {
			continue
		}
		last := s.statement(next, false)
		if s.sequence(s.lines(i, end+1, false)) == s.sequence(s.lines(next, last+1, false)) && s.changed(i, last) {
			s.attempt(doubles, func() (Piece, bool) { return s.splice(next, last+1, nil) })
		}
	}
}

// changed reports whether any of the given steps is a change.
func (s *shrinking) changed(from, to int) bool {
	for _, step := range s.steps[from : to+1] {
		if step.changes() {
			return true
		}
	}
	return false
}
