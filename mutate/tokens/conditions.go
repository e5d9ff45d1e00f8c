package tokens

import (
	"slices"
	"strings"
)

// header returns the tokens of a line that begins with a condition, joined by spaces, or ""
// for any other line.
func (r *Rewriter) header(items []item) string {
	for i, x := range items {
		switch {
		case x.is(r.vocabulary.branching):
			return strings.Join(texts(items), " ")
		case i > 1 || x.text != "}" && x.text != "else":
			return ""
		}
	}
	return ""
}

// lostHeaders returns the lines of the base that open a conditional, keyed by their
// tokens, each with how many more times it occurs in the base than in the text.
func (r *Rewriter) lostHeaders(base, text string) map[string]int {
	out := map[string]int{}
	for line := range strings.SplitSeq(base, "\n") {
		if h := r.header(r.scan(line).items); h != "" {
			out[h]++
		}
	}
	if len(out) == 0 {
		return out
	}
	for line := range strings.SplitSeq(text, "\n") {
		if h := r.header(r.scan(line).items); out[h] > 0 {
			out[h]--
		}
	}
	return out
}

// lost attempts to restore the conditions of the base that the text lacks. For each, it
// attempts to replace the new statement on the same line, and the nearest new statements
// with a condition in the hunk, with the whole statement of the base; to put that
// statement before each of them; and to replace the first line of each of them with the
// statement's first line. The statement is not put before others if a new statement does
// the same under a condition with the same names, because that is the same condition,
// changed.
func (s *shrinking) lost(hunks []hunk) {
	lost := s.r.lostHeaders(s.base, s.text)
	for _, h := range hunks {
		var heads []int // the new statements with a condition
		for i := h.from; i < h.to; i++ {
			if s.steps[i].is && s.steps[i].changes() && s.r.header(s.items(s.steps[i].now)) != "" {
				heads = append(heads, i)
			}
		}
		for i := h.from; i < h.to; i++ {
			if !s.steps[i].was || !s.steps[i].changes() || lost[s.r.header(s.items(s.steps[i].old))] == 0 {
				continue
			}
			statement := s.lines(i, s.statement(i, true)+1, true)
			became := slices.ContainsFunc(heads, func(k int) bool { return s.became(statement, k) })
			next, replaced := slices.BinarySearch(heads, i)
			near := heads[max(0, next-1):next]
			if replaced {
				s.restore(statement, i, !became)
				next++
			} else if !became {
				s.attempt(conditions, func() (Piece, bool) { return s.splice(i, i, s.fitted(statement, i)) })
			}
			for _, k := range slices.Concat(near, heads[next:min(len(heads), next+1)]) {
				s.restore(statement, k, !became)
			}
		}
	}
}

// fitted returns a statement with the indentation of a step's new line, or unchanged if the
// step has no new line.
func (s *shrinking) fitted(statement []string, at int) []string {
	if !s.steps[at].is {
		return statement
	}
	return indented(statement, indentation(s.steps[at].now))
}

// became reports whether the new statement at a step does the same as the given statement
// of the base, under a condition that contains every name in that statement's condition.
func (s *shrinking) became(statement []string, at int) bool {
	now := s.lines(at, s.statement(at, false)+1, false)
	return s.sequence(statement[1:]) == s.sequence(now[1:]) && subset(s.names(statement[0]), s.names(now[0]))
}

// restore attempts to replace a new statement with a statement of the base. If before is
// true, it also attempts to put the base's statement before the new one. Finally it
// attempts to replace the condition of the new statement with that of the base's statement.
func (s *shrinking) restore(statement []string, at int, before bool) {
	attempt := func(from, to int, lines []string) {
		s.attempt(conditions, func() (Piece, bool) { return s.splice(from, to, lines) })
	}
	lines, end := s.fitted(statement, at), s.statement(at, false)
	attempt(at, end+1, lines)
	if before {
		attempt(at, at, lines)
	}
	attempt(at, at+1, lines[:1])
}

// names returns the names in a line that may be names of values.
func (s *shrinking) names(line string) []string {
	var out []string
	for _, x := range s.items(line) {
		if x.kind == name && !x.is(s.r.vocabulary.reserved) {
			out = append(out, x.text)
		}
	}
	return out
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}

// distance is the size of the difference between the base and a text.
type distance struct {
	// lost counts the lines of the base that begin with a condition and that the text lacks.
	lost int
	// weight is the size of all other differences; see [Rewriter.weigh].
	weight int
}

func (d distance) less(than distance) bool {
	return d.lost < than.lost || d.lost == than.lost && d.weight < than.weight
}

// distance returns the distance of a text from the base, given the steps from the base to
// the text.
func (r *Rewriter) distance(base, text string, steps []step) distance {
	d := distance{weight: r.weigh(steps)}
	for _, n := range r.lostHeaders(base, text) {
		d.lost += n
	}
	return d
}
