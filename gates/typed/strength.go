package typed

import (
	"path"
	"regexp/syntax"
	"strings"
)

// algorithm returns the digest algorithm that a function implements, so that functions that
// compute the same digest in one call or piece by piece are treated alike.
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

// bound reports whether every match of a pattern starts at the beginning of the text, and
// whether every match ends at the end of the text.
func bound(pattern string) (begin, end bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false, false
	}
	return at(re, 0, syntax.OpBeginText), at(re, -1, syntax.OpEndText)
}

// at reports whether every alternative of a pattern is anchored at one end of the pattern:
// 0 stands for its beginning and -1 for its end.
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
