package tokens

import (
	"cmp"
	"slices"
	"strings"
)

// Piece is a text in which a part of a change was reverted.
type Piece struct {
	Text string
	// Takes describes the part that was reverted, as "− removed + added".
	Takes string
}

// Attempt makes a piece.
type Attempt struct {
	// Order ranks attempts. A lower value means that the part that an attempt reverts is
	// more likely to have no effect, or that restoring it matters more.
	Order int
	// Make returns the piece, or false if there is none or if an earlier attempt made the
	// same piece. It must be called only once.
	Make func() (Piece, bool)
}

// The order of attempts.
const (
	doubles    = iota // text that directly repeats the text before it
	idles             // operands that have no effect, such as *1
	conditions        // conditions of the base
	statements        // whole statements
	surrounds         // text around lines that do not change
	runs              // runs of changed lines
	parts             // parts of lines that replaced other lines
	operands          // other operands
)

// Smaller returns attempts to make texts that are nearer to base than text is, in the order
// in which they should be tried. In each of these texts, one part of the change is
// reverted: a direct repetition; operands; conditions of the base that were replaced or
// removed; statements with the lines that belong to them; a condition that was added around
// lines of the base or removed from around lines that stay; ever shorter runs of changed
// lines; or parts of a line. Parts that differ only in comments or layout are left out, and
// so are texts whose brackets do not match. A text may still be invalid in its language.
func (r *Rewriter) Smaller(base, text string) []Attempt {
	if max(len(base), len(text)) > mostText {
		return nil
	}
	s := &shrinking{r: r, base: base, text: text, steps: r.align(base, text), had: map[string]bool{text: true, base: true}, views: map[string]*view{}}
	s.normal, s.open, s.distance = r.Normal(text), []string{r.scan(base).open, r.scan(text).open}, r.distance(base, text, s.steps)
	hunks := s.hunks()
	s.doubles()
	s.lost(hunks)
	for _, h := range hunks {
		for i := h.from; i < h.to; i++ {
			s.attempt(statements, func() (Piece, bool) { return s.group(h, i) })
			s.attempt(statements, func() (Piece, bool) { return s.whole(i) })
		}
	}
	for i := range s.steps {
		s.attempt(surrounds, func() (Piece, bool) { return s.around(i) })
	}
	for _, h := range hunks {
		for size := h.to - h.from; size > 0; size /= 2 {
			for from := h.from; from < h.to; from += size {
				s.attempt(runs, func() (Piece, bool) { return s.run(h, from, min(from+size, h.to)) })
			}
		}
	}
	for i, step := range s.steps {
		if step.was && step.is && step.old != step.now {
			s.within(i)
			s.attempt(parts, func() (Piece, bool) { return s.splice(i, i+1, nil) })
		}
		if step.is && step.changes() {
			s.operands(i)
		}
	}
	slices.SortStableFunc(s.out, func(a, b Attempt) int { return cmp.Compare(a.Order, b.Order) })
	return s.out
}

// shrinking is the state of one call to Smaller.
type shrinking struct {
	r          *Rewriter
	base, text string
	steps      []step
	normal     string
	open       []string
	distance   distance
	had        map[string]bool
	views      map[string]*view // of lines
	out        []Attempt
}

func (s *shrinking) attempt(order int, make func() (Piece, bool)) {
	s.out = append(s.out, Attempt{order, make})
}

// items returns the tokens of a line.
func (s *shrinking) items(line string) []item {
	v := s.views[line]
	if v == nil {
		v = s.r.scan(line)
		s.views[line] = v
	}
	return v.items
}

// hunk is a run of changed lines: the half-open range [from, to) of the steps.
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

// offer returns a text, and describes the part of the change that this text reverts. It
// returns false unless the text is nearer to the base than the present text is.
func (s *shrinking) offer(lines []string, removed, added []string) (Piece, bool) {
	text := strings.Join(lines, "\n")
	if s.had[text] {
		return Piece{}, false
	}
	s.had[text] = true
	if !slices.Contains(s.open, s.r.scan(text).open) || s.r.Normal(text) == s.normal || strings.TrimSpace(text) == "" {
		return Piece{}, false
	}
	if steps := s.r.align(s.base, text); steps == nil || !s.r.distance(s.base, text, steps).less(s.distance) {
		return Piece{}, false
	}
	var parts []string
	if len(removed) > 0 {
		parts = append(parts, "− "+strings.Join(removed, "; "))
	}
	if len(added) > 0 {
		parts = append(parts, "+ "+strings.Join(added, "; "))
	}
	return Piece{text, strings.Join(parts, " ")}, true
}

// splice offers the text in which some steps are replaced by the given lines.
func (s *shrinking) splice(from, to int, insert []string) (Piece, bool) {
	var lines, removed, added []string
	for i := 0; i <= len(s.steps); i++ {
		if i == from {
			lines = append(lines, insert...)
		}
		if i == len(s.steps) || !s.steps[i].is {
			continue
		}
		line := s.steps[i].now
		if i < from || i >= to {
			lines = append(lines, line)
		} else if line = strings.TrimSpace(line); line != "" {
			added = append(added, line)
		}
	}
	for _, line := range insert {
		if line = strings.TrimSpace(line); line != "" {
			removed = append(removed, line)
		}
	}
	return s.offer(lines, removed, added)
}

// back reverts the steps for which gone returns true, and offers the resulting text. If
// indent is not nil, it changes the indentation of the lines that stay.
func (s *shrinking) back(gone func(int) bool, indent func(i int, line string) string) (Piece, bool) {
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
	return s.offer(lines, removed, added)
}

// run reverts a run of steps, together with the comments before it.
func (s *shrinking) run(h hunk, from, to int) (Piece, bool) {
	for from > h.from && len(s.items(s.steps[from-1].old))+len(s.items(s.steps[from-1].now)) == 0 {
		from--
	}
	if s.bares(from, to) {
		return Piece{}, false
	}
	return s.back(func(i int) bool { return i >= from && i < to }, nil)
}

// bares reports whether reverting a run of changed lines would remove the head of an
// added statement but leave some of the statement's new lines.
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

// group reverts a line that was added or removed, together with the lines of the same kind
// that belong to it.
func (s *shrinking) group(h hunk, at int) (Piece, bool) {
	first := s.steps[at]
	if first.was && first.is {
		return Piece{}, false
	}
	end := s.end(at, first.was, func(i int) bool { return i < h.to && s.steps[i].was == first.was && s.steps[i].is == first.is })
	if end == at {
		return Piece{}, false
	}
	return s.run(h, at, end+1)
}

// whole reverts all changes in a statement of several lines that begins at a line. If the
// statement ends at different steps in the two texts, whole reverts the steps up to the
// later end.
func (s *shrinking) whole(at int) (Piece, bool) {
	end := at
	if s.steps[at].was {
		end = s.statement(at, true)
	}
	if s.steps[at].is {
		end = max(end, s.statement(at, false))
	}
	if end == at || s.bares(at, end+1) {
		return Piece{}, false
	}
	return s.back(func(i int) bool { return i >= at && i <= end }, nil)
}

// around reverts a change around lines that stay: a condition or loop that was removed
// from around them, or one that was added around lines of the base. A condition or loop
// that was added around new lines is kept, because without it these lines would run in
// cases in which neither text runs them.
func (s *shrinking) around(at int) (Piece, bool) {
	first := s.steps[at]
	if first.was == first.is {
		return Piece{}, false
	}
	end := s.end(at, first.was, func(int) bool { return true })
	if end == at {
		return Piece{}, false
	}
	closes := s.closing(s.line(end, first.was))
	if last := s.steps[end]; closes && (last.was != first.was || last.is != first.is) {
		return Piece{}, false
	}
	if first.is {
		return s.unwrap(at, end, closes)
	}
	return s.wrap(at, end, closes)
}

// unwrap removes a statement that was added around lines of the base. The statement's
// first step has the index at, and its last step has the index end.
func (s *shrinking) unwrap(at, end int, closes bool) (Piece, bool) {
	for i := at + 1; i < end || i == end && !closes; i++ {
		if step := s.steps[i]; !step.was || !step.is || strings.TrimSpace(step.old) != strings.TrimSpace(step.now) {
			return Piece{}, false
		}
	}
	return s.back(func(i int) bool { return i >= at && i <= end }, nil)
}

// wrap restores the statement that was removed from around lines that stay, and indents
// these lines.
func (s *shrinking) wrap(at, end int, closes bool) (Piece, bool) {
	inner, outer := "", indentation(s.steps[at].old)
	for i := at + 1; i <= end && inner == ""; i++ {
		if line := s.steps[i].old; strings.TrimSpace(line) != "" {
			inner = indentation(line)
		}
	}
	if !strings.HasPrefix(inner, outer) || len(inner) == len(outer) {
		return Piece{}, false
	}
	return s.back(func(i int) bool { return i == at || closes && i == end }, func(i int, line string) string {
		if i <= at || i > end || strings.TrimSpace(line) == "" {
			return line
		}
		return inner + strings.TrimPrefix(line, outer)
	})
}
