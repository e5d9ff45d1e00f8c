package tokens

import (
	"slices"
	"strings"

	texttool "evolve/mutate/operator"
)

// part is a difference between a line and the line of the base that it replaced: the
// tokens [a0, a1) of the base's line were replaced with the tokens [b0, b1). Either run
// of tokens may be empty.
type part struct{ a0, a1, b0, b1 int }

// within tries out reverting the parts in which a line differs from the line that it
// replaced.
func (s *shrinking) within(at int) {
	a, b := s.items(s.steps[at].old), s.items(s.steps[at].now)
	list := differing(a, b)
	for _, set := range joined(list, a, b) {
		s.attempt(parts, func() (Piece, bool) { return s.tokens(at, list, set) })
	}
	for i, p := range list {
		for _, piece := range terms(p, a, b) {
			s.attempt(parts, func() (Piece, bool) { return s.tokens(at, slices.Concat(list[:i], piece, list[i+1:]), nil) })
		}
	}
}

// differing returns the parts in which two lines differ, in order.
func differing(a, b []item) []part {
	x, y := texts(a), texts(b)
	common := texttool.CommonLengths(x, y)
	var out []part
	for i, j := 0, 0; i < len(x) || j < len(y); {
		if i < len(x) && j < len(y) && x[i] == y[j] {
			i, j = i+1, j+1
			continue
		}
		p := part{i, i, j, j}
		for (i < len(x) || j < len(y)) && (i == len(x) || j == len(y) || x[i] != y[j]) {
			if j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		p.a1, p.b1 = i, j
		out = append(out, p)
	}
	return out
}

// joined returns, for each part, the indices of the parts that must be reverted together:
// the part itself, and every part with a bracket that matches a bracket of another part
// in the set.
func joined(parts []part, a, b []item) [][]int {
	find := func(at int, of func(part) (int, int)) int {
		return slices.IndexFunc(parts, func(p part) bool { from, to := of(p); return at >= from && at < to })
	}
	old, now := func(p part) (int, int) { return p.a0, p.a1 }, func(p part) (int, int) { return p.b0, p.b1 }
	var out [][]int
	for k := range parts {
		set := []int{k}
		for n := 0; n < len(set); n++ {
			p := parts[set[n]]
			add := func(items []item, from, to int, of func(part) (int, int)) {
				for _, x := range items[from:to] {
					if other := find(x.match, of); x.match >= 0 && other >= 0 && !slices.Contains(set, other) {
						set = append(set, other)
					}
				}
			}
			add(a, p.a0, p.a1, old)
			add(b, p.b0, p.b1, now)
		}
		slices.Sort(set)
		out = append(out, set)
	}
	return out
}

// terms divides a part into its terms. For each term, it returns the parts that remain
// without that term. Terms are the operands of a sum or a condition, or the elements of a
// list, each with the sign before or after it. The removed tokens belong to the first of
// the terms that replaced them.
func terms(p part, a, b []item) [][]part {
	items, from, to := b, p.b0, p.b1
	if from == to {
		items, from, to = a, p.a0, p.a1
	}
	cuts := cutsOf(items, from, to, p.a0 < p.a1 && p.b0 < p.b1)
	if len(cuts) < 3 {
		return nil
	}
	var all []part
	for k := range len(cuts) - 1 {
		switch {
		case p.b0 == p.b1:
			all = append(all, part{cuts[k], cuts[k+1], p.b0, p.b0})
		case k == 0:
			all = append(all, part{p.a0, p.a1, cuts[0], cuts[1]})
		default:
			all = append(all, part{p.a1, p.a1, cuts[k], cuts[k+1]})
		}
	}
	var out [][]part
	for k := range all {
		out = append(out, slices.Concat(all[:k], all[k+1:]))
	}
	return out
}

// levels contains the operators between terms, from the loosest to the tightest binding.
var levels = [][]string{{","}, {"||", "or"}, {"&&", "and"}, {"+", "-"}, {"*", "/"}}

// joins reports whether a token is an operator between terms.
func joins(x item) bool {
	return slices.ContainsFunc(levels, func(signs []string) bool { return slices.Contains(signs, x.text) })
}

// cutsOf returns the indices at which the terms in a range of tokens begin, followed by the
// end of the last term. lead reports whether the first term has no sign before it.
func cutsOf(items []item, from, to int, lead bool) []int {
	for _, signs := range levels {
		splits := func(i int) bool { return slices.Contains(signs, items[i].text) }
		after := !lead && from < to && !joins(items[from]) // the operator follows each term
		cuts, depth := []int{from}, 0
		for i := from; i < to; i++ {
			switch items[i].kind {
			case opens:
				depth++
			case closes:
				depth--
			}
			switch {
			case depth != 0 || !splits(i):
			case !after && i > from:
				cuts = append(cuts, i)
			case after && i+1 < to:
				cuts = append(cuts, i+1)
			}
		}
		if len(cuts) > 1 {
			return append(cuts, to)
		}
	}
	return nil
}

// tokens offers the text in which a line consists of the tokens of the base's line,
// except that the given parts keep their new tokens. The parts whose indices are in back
// get the base's tokens all the same.
func (s *shrinking) tokens(at int, parts []part, back []int) (Piece, bool) {
	old, now := s.steps[at].old, s.steps[at].now
	a, b := s.items(old), s.items(now)
	m := merged{old: old, now: now, a: a, b: b, stays: map[int]int{}}
	i, j := 0, 0
	for _, p := range append(differing(a, b), part{len(a), len(a), len(b), len(b)}) {
		for ; i < p.a0; i, j = i+1, j+1 {
			m.stays[i] = j
		}
		i, j = p.a1, p.b1
	}
	next := 0 // next token of the base's line
	for k, p := range parts {
		if !slices.Contains(back, k) {
			m.olds(next, p.a0)
			m.nows(p.b0, p.b1)
			next = p.a1
		}
	}
	m.olds(next, len(a))
	line := m.line.String()
	if len(b) > 0 {
		line += now[b[len(b)-1].to:] // a comment
	}
	lines := make([]string, 0, len(s.steps))
	for k, other := range s.steps {
		switch {
		case k == at:
			lines = append(lines, line)
		case other.is:
			lines = append(lines, other.now)
		}
	}
	c := s.items(line)
	var removed, added []string
	for _, p := range differing(c, b) {
		if p.a0 < p.a1 {
			removed = append(removed, strings.Join(texts(c[p.a0:p.a1]), " "))
		}
		if p.b0 < p.b1 {
			added = append(added, strings.Join(texts(b[p.b0:p.b1]), " "))
		}
	}
	return s.offer(lines, removed, added)
}

// merged is a line made of the tokens of two lines.
type merged struct {
	old, now string
	a, b     []item
	// stays maps each token of the old line that is kept to its index in the new line.
	stays map[int]int
	line  strings.Builder
	// lastOld and lastNow are one more than the index of the last added token in the old
	// line and in the new line; 0 means that the token is not in that line.
	lastOld, lastNow int
}

// olds adds tokens of the old line; for tokens that stay, it uses the white space of the
// new line.
func (m *merged) olds(from, to int) {
	for k := from; k < to; k++ {
		was, is := gap(m.old, m.a, k), ""
		j, stays := m.stays[k]
		if stays {
			is = gap(m.now, m.b, j)
		}
		switch {
		case stays && m.lastNow == j:
			m.add(is, m.a[k].text)
		case m.lastOld == k:
			m.add(was, m.a[k].text)
		default:
			m.add(max(was, is), m.a[k].text)
		}
		if m.lastOld, m.lastNow = k+1, 0; stays {
			m.lastNow = j + 1
		}
	}
}

// nows adds tokens of the new line.
func (m *merged) nows(from, to int) {
	for k := from; k < to; k++ {
		m.add(gap(m.now, m.b, k), m.b[k].text)
		m.lastOld, m.lastNow = 0, k+1
	}
}

func (m *merged) add(gap, text string) {
	if m.line.Len() == 0 {
		gap = indentation(m.now)
	}
	m.line.WriteString(gap + text)
}

// gap returns the text between token k and the token before it, or "" for the first token.
func gap(line string, items []item, k int) string {
	if k == 0 {
		return ""
	}
	return line[items[k-1].to:items[k].from]
}
