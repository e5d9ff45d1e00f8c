package tokens

import (
	"slices"
	"strings"
)

// mostPieces bounds the texts that Smaller returns.
const mostPieces = 200

// Piece is a text from which a part of a change was taken back.
type Piece struct {
	Text string
	// Takes names what was taken back, "− removed + added".
	Takes string
}

// Smaller returns texts that are nearer to base than text is. In each of them one part of the
// change is taken back: a statement with the lines that belong to it, a condition that was
// added around lines of the base or removed around others, ever shorter runs of changed lines, and parts of a line. Parts that differ
// in comments or layout alone are left out, and so are texts whose brackets do not match. A
// text may be invalid in its language all the same.
func (r *Rewriter) Smaller(base, text string) []Piece {
	if max(len(base), len(text)) > mostText {
		return nil
	}
	s := &shrinking{r: r, base: base, text: text, steps: r.align(base, text), had: map[string]bool{text: true, base: true}}
	s.normal, s.open, s.weight = r.Normal(text), []string{r.read(base).open, r.read(text).open}, r.weigh(s.steps)
	hunks := s.hunks()
	for _, h := range hunks {
		for i := h.from; i < h.to; i++ {
			s.group(h, i)
		}
	}
	for i := range s.steps {
		s.around(i)
	}
	for _, h := range hunks {
		for size := h.to - h.from; size > 0; size /= 2 {
			for from := h.from; from < h.to; from += size {
				s.run(h, from, min(from+size, h.to))
			}
		}
	}
	for i, step := range s.steps {
		if step.was && step.is && step.old != step.now {
			s.within(i)
			s.leave(i)
		}
	}
	return s.out
}

// shrinking is the state of Smaller.
type shrinking struct {
	r          *Rewriter
	base, text string
	steps      []step
	normal     string
	open       []string
	weight     int
	had        map[string]bool
	out        []Piece
}

// hunk is a run of changed lines, from the first step to the one after the last.
type hunk struct{ from, to int }

func (s *shrinking) hunks() []hunk {
	var out []hunk
	for i, step := range s.steps {
		switch n := len(out); {
		case !step.changes():
		case n > 0 && out[n-1].to == i:
			out[n-1].to++
		default:
			out = append(out, hunk{i, i + 1})
		}
	}
	return out
}

// offer adds a text if it is nearer to the base.
func (s *shrinking) offer(lines []string, removed, added []string) {
	text := strings.Join(lines, "\n")
	if s.had[text] || len(s.out) >= mostPieces {
		return
	}
	s.had[text] = true
	if !slices.Contains(s.open, s.r.read(text).open) || s.r.Normal(text) == s.normal || strings.TrimSpace(text) == "" {
		return
	}
	if steps := s.r.align(s.base, text); steps == nil || s.r.weigh(steps) >= s.weight {
		return
	}
	var parts []string
	if len(removed) > 0 {
		parts = append(parts, "− "+strings.Join(removed, "; "))
	}
	if len(added) > 0 {
		parts = append(parts, "+ "+strings.Join(added, "; "))
	}
	s.out = append(s.out, Piece{text, strings.Join(parts, " ")})
}

// back offers the text with some steps taken back. indent changes the lines that stay; nil
// leaves them.
func (s *shrinking) back(gone func(int) bool, indent func(i int, line string) string) {
	var lines, removed, added []string
	for i, step := range s.steps {
		taken := step.changes() && gone(i)
		switch {
		case taken && step.was:
			lines = append(lines, step.old)
		case !taken && step.is && indent != nil:
			lines = append(lines, indent(i, step.now))
		case !taken && step.is:
			lines = append(lines, step.now)
		}
		if taken && step.was {
			removed = append(removed, strings.TrimSpace(step.old))
		}
		if taken && step.is {
			added = append(added, strings.TrimSpace(step.now))
		}
	}
	s.offer(lines, removed, added)
}

// run takes back a run of steps, with the comments before it.
func (s *shrinking) run(h hunk, from, to int) {
	for from > h.from && len(s.r.read(s.steps[from-1].old).items)+len(s.r.read(s.steps[from-1].now).items) == 0 {
		from--
	}
	if s.bares(from, to) {
		return
	}
	s.back(func(i int) bool { return i >= from && i < to }, nil)
}

// bares reports whether a run has the head of an added statement, and new lines of that
// statement would stay.
func (s *shrinking) bares(from, to int) bool {
	for i := from; i < to; i++ {
		if s.steps[i].was || !s.steps[i].is {
			continue
		}
		for end := s.end(i, false, func(int) bool { return true }); end >= to; end-- {
			if s.steps[end].changes() && s.steps[end].is {
				return true
			}
		}
	}
	return false
}

// group takes back a line that was added or removed, with the lines of the same kind that
// belong to it.
func (s *shrinking) group(h hunk, at int) {
	first := s.steps[at]
	if first.was && first.is {
		return
	}
	if end := s.end(at, first.was, func(i int) bool { return i < h.to && s.steps[i].was == first.was && s.steps[i].is == first.is }); end > at {
		s.run(h, at, end+1)
	}
}

// leave takes back a line that replaced another one, without the other: what it computed may
// have no use any more.
func (s *shrinking) leave(at int) {
	var lines []string
	for i, step := range s.steps {
		if i != at && step.is {
			lines = append(lines, step.now)
		}
	}
	s.offer(lines, nil, []string{strings.TrimSpace(s.steps[at].now)})
}

// end returns the last step that belongs to a line: the one with its closing bracket, or the
// last one of those that are indented deeper. The lines are those of the base, or else of the
// text. It returns at if there is none, or a step that within does not cover.
func (s *shrinking) end(at int, base bool, within func(int) bool) int {
	depth, last := 0, at
	begin := len(indentation(s.line(at, base)))
	for i := at; i < len(s.steps); i++ {
		step := s.steps[i]
		if base && !step.was || !base && !step.is {
			continue
		}
		line := s.line(i, base)
		if blank := strings.TrimSpace(line) == ""; blank && i > at {
			continue
		}
		for _, x := range s.r.read(line).items {
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

// closing reports whether a line begins with a closing bracket or a word that ends what an
// earlier line began.
func (s *shrinking) closing(line string) bool {
	items := s.r.read(line).items
	return len(items) > 0 && (items[0].kind == closes || items[0].is(enders))
}

// enders are the words that end statements of several lines.
var enders = words("end fi done esac")

func (s *shrinking) line(i int, base bool) string {
	if base {
		return s.steps[i].old
	}
	return s.steps[i].now
}

// indentation returns the white space that a line begins with.
func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// around takes back what surrounds lines that stay: a condition or loop that was removed around
// them, or one that was added around lines of the base. One that was added around new lines
// stays: without it they would run where neither text runs them.
func (s *shrinking) around(at int) {
	first := s.steps[at]
	if first.was == first.is {
		return
	}
	end := s.end(at, first.was, func(int) bool { return true })
	if end == at {
		return
	}
	closes := s.closing(s.line(end, first.was))
	if last := s.steps[end]; closes && (last.was != first.was || last.is != first.is) {
		return
	}
	if first.is {
		s.unwrap(at, end, closes)
	} else {
		s.wrap(at, end, closes)
	}
}

// unwrap takes back what was added around lines of the base, from its first to its last line.
func (s *shrinking) unwrap(at, end int, closes bool) {
	for i := at + 1; i < end || i == end && !closes; i++ {
		if step := s.steps[i]; !step.was || !step.is || strings.TrimSpace(step.old) != strings.TrimSpace(step.now) {
			return
		}
	}
	s.back(func(i int) bool { return i >= at && i <= end }, nil)
}

// wrap puts lines that stay into what was removed around them, and indents them.
func (s *shrinking) wrap(at, end int, closes bool) {
	inner, outer := "", indentation(s.steps[at].old)
	for i := at + 1; i <= end && inner == ""; i++ {
		if line := s.steps[i].old; strings.TrimSpace(line) != "" {
			inner = indentation(line)
		}
	}
	if !strings.HasPrefix(inner, outer) || len(inner) == len(outer) {
		return
	}
	s.back(func(i int) bool { return i == at || closes && i == end }, func(i int, line string) string {
		if i <= at || i > end || strings.TrimSpace(line) == "" {
			return line
		}
		return inner + strings.TrimPrefix(line, outer)
	})
}
