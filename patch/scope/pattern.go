package scope

import "path"

// matches returns the first pattern in a table that matches a folded segment. The
// patterns are in the syntax of path.Match, in lower case.
func matches(table []string, segment string) (pattern string, ok bool) {
	for _, pattern := range table {
		if hit, err := path.Match(pattern, segment); hit && err == nil {
			return pattern, true
		}
	}
	return "", false
}

// anywhere returns the first pattern in a table that any of the segments matches.
func anywhere(table, segments []string) (pattern string, ok bool) {
	for _, s := range segments {
		if pattern, ok := matches(table, s); ok {
			return pattern, true
		}
	}
	return "", false
}
