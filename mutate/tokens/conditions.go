package tokens

import (
	"slices"
	"strings"
)

// header returns the tokens of a line that begins with a condition; "" for another line.
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

// lostHeaders returns the lines of the base that begin with a condition and that a text has fewer
// of, by their tokens.
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

// lost takes conditions of the base back which the text lacks: the whole statement in place of each
// new one with a condition in its hunk, and before it, and the line in place of the new line.
// It is not put before a statement that does the same on a condition with the same names: that is
// the condition, changed.
func (s *shrinking) lost(hunks []hunk) {
	lost := s.r.lostHeaders(s.base, s.text)
	for _, h := range hunks {
		for i := h.from; i < h.to; i++ {
			if !s.steps[i].was || !s.steps[i].changes() || lost[s.r.header(s.items(s.steps[i].old))] == 0 {
				continue
			}
			statement := s.lines(i, s.statement(i, true)+1, true)
			at := []int{i}
			for k := h.from; k < h.to; k++ {
				if k != i && s.steps[k].is && s.steps[k].changes() && s.r.header(s.items(s.steps[k].now)) != "" {
					at = append(at, k)
				}
			}
			for _, k := range at {
				s.restore(statement, k)
			}
		}
	}
}

// restore attempts to put a statement of the base in place of a new one, before it, and its
// condition in place of the new one's.
func (s *shrinking) restore(statement []string, at int) {
	attempt := func(from, to int, lines []string) {
		s.attempt(conditions, func() (Piece, bool) { return s.splice(from, to, lines) })
	}
	if !s.steps[at].is {
		attempt(at, at, statement)
		return
	}
	now := s.steps[at].now
	lines := indented(statement, indentation(now))
	if s.r.header(s.items(now)) == "" {
		attempt(at, at, lines)
		return
	}
	end := s.statement(at, false)
	attempt(at, end+1, lines)
	if s.sequence(lines[1:]) != s.sequence(s.lines(at+1, end+1, false)) || !subset(s.names(lines[0]), s.names(now)) {
		attempt(at, at, lines)
	}
	attempt(at, at+1, lines[:1])
}

// names returns the names of values in a line.
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

// distance is how much differs between the base and a text.
type distance struct {
	// lost counts the lines of the base that begin with a condition and that the text lacks.
	lost int
	// weight is what differs otherwise; see [Rewriter.weigh].
	weight int
}

func (d distance) less(than distance) bool {
	return d.lost < than.lost || d.lost == than.lost && d.weight < than.weight
}

// distance returns the distance of a text from the base, with the steps between them.
func (r *Rewriter) distance(base, text string, steps []step) distance {
	d := distance{weight: r.weigh(steps)}
	for _, n := range r.lostHeaders(base, text) {
		d.lost += n
	}
	return d
}
