package typed

import (
	"path"
	"regexp/syntax"
	"strings"
)

// algorithm returns the digest that a function computes, whether in one call or piece
// by piece.
func algorithm(name string) string {
	dot := strings.LastIndex(name, ".")
	if dot < 0 {
		return name
	}
	in, function := name[:dot], name[dot+1:]
	for _, way := range []string{"New", "Sum"} {
		if size, ok := strings.CutPrefix(function, way); ok {
			if size == strings.TrimPrefix(path.Base(in), "sha") {
				size = "" // the size of New
			}
			return in + " " + size
		}
	}
	return name
}

// bound reports whether all matches of a pattern begin where the text begins, and end
// where it ends.
func bound(pattern string) (begin, end bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false, false
	}
	return at(re, 0, syntax.OpBeginText), at(re, -1, syntax.OpEndText)
}

// at reports whether a pattern has an anchor at one end, 0 or -1, in every alternative.
func at(re *syntax.Regexp, end int, anchor syntax.Op) bool {
	switch re.Op {
	case anchor:
		return true
	case syntax.OpCapture:
		return at(re.Sub[0], end, anchor)
	case syntax.OpConcat:
		i := 0
		if end < 0 {
			i = len(re.Sub) - 1
		}
		return at(re.Sub[i], end, anchor)
	case syntax.OpAlternate:
		for _, s := range re.Sub {
			if !at(s, end, anchor) {
				return false
			}
		}
		return true
	case syntax.OpPlus:
		return at(re.Sub[0], end, anchor)
	}
	return false
}
