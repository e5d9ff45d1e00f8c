package tokens

import (
	"slices"
	"strings"

	texttool "evolve/mutate/operator"
)

const (
	// mostAligned is the maximum number of lines that align compares in either text: those
	// from the first to the last change.
	mostAligned = 1000
	// mostPaired is the maximum number of pairs of lines that are compared in a hunk.
	mostPaired = 3600
	// alike is the minimum likeness between a line and the line that replaced it.
	alike = .4
)

// step is a line that both texts have, a removed line, an added line, or a line that
// replaced another.
type step struct {
	old, now string
	was, is  bool
}

func (s step) changes() bool { return !s.was || !s.is || s.old != s.now }

// align returns the steps from one text to another, or nil if too many lines differ. A
// removed line is paired with the added line that has the most in common with it.
func (r *Rewriter) align(base, text string) []step {
	x, y := strings.Split(base, "\n"), strings.Split(text, "\n")
	var head, tail []step
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		head, x, y = append(head, step{x[0], y[0], true, true}), x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		tail = append(tail, step{x[len(x)-1], y[len(y)-1], true, true})
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if max(len(x), len(y)) > mostAligned {
		return nil
	}
	slices.Reverse(tail)
	common := texttool.CommonLengths(x, y)
	out := head
	for len(x) > 0 || len(y) > 0 {
		i, j := 0, 0
		for i < len(x) || j < len(y) {
			at := common[len(common)-1-len(x)+i:]
			if i < len(x) && j < len(y) && x[i] == y[j] {
				break
			}
			if width := len(at[0]) - 1 - len(y) + j; j == len(y) || i < len(x) && at[1][width] >= at[0][width+1] {
				i++
			} else {
				j++
			}
		}
		out = append(out, r.paired(x[:i], y[:j])...)
		for x, y = x[i:], y[j:]; len(x) > 0 && len(y) > 0 && x[0] == y[0]; x, y = x[1:], y[1:] {
			out = append(out, step{x[0], y[0], true, true})
		}
	}
	return append(out, tail...)
}

// paired returns the steps that lead from removed to added lines.
func (r *Rewriter) paired(removed, added []string) []step {
	best := make([][]float64, len(removed)+1)
	for i := range best {
		best[i] = make([]float64, len(added)+1)
	}
	pairs := make([][]bool, len(removed))
	if len(removed)*len(added) <= mostPaired {
		a, b := r.wordsOf(removed), r.wordsOf(added)
		for i := len(removed) - 1; i >= 0; i-- {
			pairs[i] = make([]bool, len(added))
			for j := len(added) - 1; j >= 0; j-- {
				best[i][j] = max(best[i+1][j], best[i][j+1])
				if v := likeness(a[i], b[j]); v >= alike && best[i+1][j+1]+v > best[i][j] {
					best[i][j], pairs[i][j] = best[i+1][j+1]+v, true
				}
			}
		}
	}
	var out []step
	for i, j := 0, 0; i < len(removed) || j < len(added); {
		switch {
		case i < len(removed) && j < len(added) && pairs[i] != nil && pairs[i][j]:
			out = append(out, step{removed[i], added[j], true, true})
			i, j = i+1, j+1
		case i < len(removed) && (j == len(added) || best[i+1][j] >= best[i][j+1]):
			out = append(out, step{old: removed[i], was: true})
			i++
		default:
			out = append(out, step{now: added[j], is: true})
			j++
		}
	}
	return out
}

// wordsOf returns the tokens of each line.
func (r *Rewriter) wordsOf(lines []string) [][]string {
	out := make([][]string, len(lines))
	for i, l := range lines {
		out[i] = texts(r.scan(l).items)
	}
	return out
}

func texts(items []item) []string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = x.text
	}
	return out
}

// likeness returns the share of tokens that two lines have in common. The result is at
// least one half if the shorter line has more than one token and the longer line has all of
// these tokens.
func likeness(a, b []string) float64 {
	short := min(len(a), len(b))
	if short == 0 {
		return 0
	}
	common := int(texttool.CommonLengths(a, b)[0][0])
	share := 2 * float64(common) / float64(len(a)+len(b))
	if common == short && short > 1 {
		share = max(share, .5)
	}
	return share
}

// weigh returns the size of the difference between two texts: the number of tokens in the
// lines that differ, plus the number of these lines.
func (r *Rewriter) weigh(steps []step) int {
	n := 0
	for _, s := range steps {
		if s.changes() {
			a, b := texts(r.scan(s.old).items), texts(r.scan(s.now).items)
			n += 1 + len(a) + len(b) - 2*int(texttool.CommonLengths(a, b)[0][0])
		}
	}
	return n
}

// Nearer reports whether text is nearer to base than the other given text (than) is: text
// lacks fewer of base's conditions, or it lacks as many but otherwise differs less from
// base.
func (r *Rewriter) Nearer(base, text, than string) bool {
	steps := r.align(base, text)
	return steps != nil && r.distance(base, text, steps).less(r.distance(base, than, r.align(base, than)))
}
