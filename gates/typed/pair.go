package typed

import (
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// pair is one changed package before and after the patch; either side can be nil.
type pair struct {
	was, is *reading
	// pairs maps names of parts of the candidate to names of parts of the base: each key
	// names a part that continues the part that the value names.
	pairs map[string]string
	// gone holds the parts of the base that no part of the candidate continues.
	gone map[string]bool
	// moved maps each new part to the part that it continues, which was removed from
	// another package.
	moved map[string]origin
}

// origin is a part of the base and the package that contains it.
type origin struct {
	in   *reading
	name string
}

// newPair pairs the parts of the base with the parts of the candidate that continue them:
// parts with the same name, and renamed parts with similar source.
func newPair(was, is *reading) *pair {
	p := &pair{was: was, is: is, pairs: map[string]string{}, gone: map[string]bool{}, moved: map[string]origin{}}
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

// continued returns the removed part of a base that the named part continues under
// another name; "" if there is none.
func (r *reading) continued(name string, was *reading, gone map[string]bool) string {
	if was == nil {
		return ""
	}
	best, share := "", 0.6
	for _, old := range was.order {
		if !gone[old] || (was.parts[old].decl == nil) != (r.parts[name].decl == nil) {
			continue
		}
		if s := syntax.Share(was.lines(old), r.lines(name)); s > share {
			best, share = old, s
		}
	}
	return best
}

// linkPairs links the packages of a patch to each other and finds the parts that moved from
// one package to another. Each removed part can move only once.
func linkPairs(list []*pair) {
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
	taken := map[origin]bool{}
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
				h := origin{from.was, to.is.continued(name, from.was, from.gone)}
				if h.name != "" && !taken[h] {
					taken[h], to.moved[name] = true, h
					break
				}
			}
		}
	}
}

// lines returns the source lines of a part.
func (r *reading) lines(name string) []string {
	p := r.parts[name]
	n := p.node
	if p.body != nil {
		n = p.body
	}
	return slices.Collect(strings.Lines(syntax.Text(n)))
}
