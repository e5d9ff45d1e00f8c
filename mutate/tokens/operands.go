package tokens

import (
	"slices"
	"strings"
)

// The levels of the signs between operands, from the loosest to the tightest binding.
const (
	disjunctions = iota
	conjunctions
	sums
	products
)

// levelOf returns the level of an operator between operands, or -1 for any other token.
func levelOf(x item) int {
	return slices.IndexFunc(levels[1:], func(signs []string) bool { return slices.Contains(signs, strings.ToLower(x.text)) })
}

// operands attempts to revert the operands on a line one by one, including those in
// brackets, each together with the sign before or after it.
func (s *shrinking) operands(at int) {
	now := s.steps[at].now
	if s.r.language.shell && !strings.Contains(now, "((") {
		return
	}
	items := s.items(now)
	for k := 1; k+1 < len(items); k++ {
		x := items[k]
		level := levelOf(x)
		if level < 0 || !s.ends(items[k-1], x) {
			continue
		}
		if to := s.reach(items, k, level, 1); to > k+1 {
			s.operand(at, level, items[k+1:to], Span{items[k-1].to, items[to-1].to})
		}
		if from := s.reach(items, k, level, -1) + 1; from < k && x.text != "-" && x.text != "/" {
			s.operand(at, level, items[from:k], Span{items[from].from, items[k+1].from})
		}
	}
}

// operand attempts to revert an operand; span is the part of the line that the operand and
// its sign occupy.
func (s *shrinking) operand(at, level int, items []item, span Span) {
	order := operands
	if idle(level, items) {
		order = idles
	}
	line := s.steps[at].now
	taken := strings.TrimSpace(line[span.From:span.To])
	s.attempt(order, func() (Piece, bool) {
		var lines []string
		for i, step := range s.steps {
			switch {
			case i == at:
				lines = append(lines, line[:span.From]+line[span.To:])
			case step.is:
				lines = append(lines, step.now)
			}
		}
		return s.offer(lines, nil, []string{taken})
	})
}

// idle reports whether an operand has no effect: 1 in a product, 0 or a product with 0 in a
// sum, true in a conjunction, or false in a disjunction.
func idle(level int, items []item) bool {
	has := func(words string) bool {
		return len(items) == 1 && slices.Contains(strings.Fields(words), strings.ToLower(items[0].text))
	}
	switch level {
	case products:
		return has("1 1.0")
	case conjunctions:
		return has("true 1")
	case disjunctions:
		return has("false 0")
	}
	first, last := items[0], items[len(items)-1]
	zero := func(x item, beside int) bool {
		return (x.text == "0" || x.text == "0.0") && (len(items) == 1 || items[beside].text == "*")
	}
	return zero(first, min(1, len(items)-1)) || zero(last, max(0, len(items)-2))
}

// ends reports whether a token ends an operand, given the next token, which may be a sign
// between operands.
func (s *shrinking) ends(x, next item) bool {
	v := s.r.vocabulary
	switch x.kind {
	case number, closes, str:
		return true
	case name:
		value := !v.reserved[x.text] || strings.Contains(" true false none null nil undefined ", " "+strings.ToLower(x.text)+" ")
		return value || next.text != "*" && next.text != "&&" && !v.opening[x.text] && !v.joining[x.text]
	}
	return false
}

// reach returns the item that bounds the operand of the sign at k: the operand to its
// right or, if step is -1, to its left. The bound is a sign that does not bind more
// tightly, a bracket that encloses the sign and the operand, or a token that is not part
// of an expression.
func (s *shrinking) reach(items []item, k, level, step int) int {
	j := k + step
	for ; j >= 0 && j < len(items); j += step {
		x := items[j]
		switch {
		case x.kind == opens || x.kind == closes:
			if x.match < 0 || (x.match > j) != (step > 0) {
				return j
			}
			j = x.match
		case x.kind == sign:
			if s.bounds(items, j, level) {
				return j
			}
		case x.is(s.r.vocabulary.joining) || x.is(s.r.vocabulary.opening) || x.is(s.r.vocabulary.fixed) || x.text == "not":
			if s.bounds(items, j, level) {
				return j
			}
		}
	}
	return j
}

// comparing contains the comparison operators that are words, and tight contains the
// operators that bind more tightly than those between operands.
var (
	comparing = words("in is not IN IS NOT LIKE")
	tight     = strings.Fields(". :: -> ?. ! ~ ** @ $ # ++ --")
	binary    = strings.Fields("== != === !== < > <= >= <=> ~= <> =~ !~ | & ^ << >> .. ...")
	divides   = strings.Fields("% // //=")
)

// bounds reports whether a sign or word bounds the operands of a sign of the given level.
func (s *shrinking) bounds(items []item, j, level int) bool {
	x := items[j]
	if at := levelOf(x); at >= 0 {
		if j == 0 || !s.ends(items[j-1], x) { // a sign before an operand, which belongs only to that operand
			return false
		}
		return at <= level
	}
	switch {
	case slices.Contains(tight, x.text):
		return false
	case slices.Contains(divides, x.text):
		return level >= products
	case slices.Contains(binary, x.text) || comparing[x.text] || s.r.language.sql && x.text == "=":
		return level >= sums
	}
	return true
}
