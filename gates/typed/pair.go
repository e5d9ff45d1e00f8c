package typed

import (
	"slices"
	"strings"
)

// pair is one changed package before and after the patch; either side can be nil.
type pair struct {
	was, is *reading
	// pairs are the parts of the base that parts of the candidate continue, by the names
	// of these.
	pairs map[string]string
	// gone are the parts of the base that none continues.
	gone map[string]bool
	// moved are the parts of other packages, gone there, that parts only this side has
	// continue.
	moved map[string]home
}

// home is where a part of the base was.
type home struct {
	in   *reading
	name string
}

// newPair pairs the parts of a base with those of a candidate that continue them: those of
// one name, and functions that are only called otherwise.
func newPair(was, is *reading) *pair {
	p := &pair{was: was, is: is, pairs: map[string]string{}, gone: map[string]bool{}, moved: map[string]home{}}
	fresh, unique := map[string]bool{}, map[string]bool{}
	if was != nil {
		was.fresh = p.gone
		for name := range was.parts {
			if is != nil && is.parts[name].node != nil {
				p.pairs[name] = name
			} else {
				p.gone[name] = true
			}
		}
	}
	if is == nil {
		return p
	}
	is.fresh, is.unique = fresh, unique
	for _, name := range is.order {
		if p.pairs[name] != "" {
			continue
		}
		unique[name] = true
		if old := is.continued(name, was, p.gone); old != "" {
			p.pairs[name] = old
			delete(p.gone, old)
		} else {
			fresh[name] = true
		}
	}
	return p
}

// continued is the part of a base, among those that are gone, that a part goes on with
// under another name; "" for none.
func (r *reading) continued(name string, was *reading, gone map[string]bool) string {
	if was == nil {
		return ""
	}
	best, share := "", 0.6
	for _, old := range was.order {
		if !gone[old] || (was.parts[old].decl == nil) != (r.parts[name].decl == nil) {
			continue
		}
		if s := common(was.lines(old), r.lines(name)); s > share {
			best, share = old, s
		}
	}
	return best
}

// introduce makes the packages of a patch known to each other, and pairs the functions
// that went from one to another. Each function that is gone moves once.
func introduce(list []*pair) {
	was, is := map[string]*reading{}, map[string]*reading{}
	for _, p := range list {
		for _, side := range []struct {
			of *reading
			to map[string]*reading
		}{{p.was, was}, {p.is, is}} {
			if side.of != nil {
				side.of.peers = side.to
				if side.of.pkg != nil {
					side.to[side.of.pkg.Path()] = side.of
				}
			}
		}
	}
	taken := map[home]bool{}
	for _, to := range list {
		if to.is == nil {
			continue
		}
		for _, name := range to.is.order {
			if !to.is.fresh[name] {
				continue
			}
			for _, from := range list {
				if from == to || from.was == nil {
					continue
				}
				h := home{from.was, to.is.continued(name, from.was, from.gone)}
				if h.name != "" && !taken[h] {
					taken[h], to.moved[name] = true, h
					break
				}
			}
		}
	}
}

// lines are those of a part, with the types of nothing.
func (r *reading) lines(name string) []string {
	p := r.parts[name]
	n := p.node
	if p.body != nil {
		n = p.body
	}
	return slices.Collect(strings.Lines(text(n)))
}

// common is the share of lines, counted on both sides, that two texts have in common.
func common(a, b []string) float64 {
	count := map[string]int{}
	for _, line := range a {
		count[strings.TrimSpace(line)]++
	}
	same := 0
	for _, line := range b {
		if line = strings.TrimSpace(line); count[line] > 0 {
			count[line]--
			same++
		}
	}
	return 2 * float64(same) / float64(max(1, len(a)+len(b)))
}
