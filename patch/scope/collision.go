package scope

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold maps a path to a form that is equal for all spellings that a file system may treat
// as the same file because it ignores case or composes accents. This form is the one that
// Unicode's canonical caseless matching uses (Unicode Standard 3.13, D145).
func fold(path string) string {
	for i := range len(path) {
		if path[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(path)))
		}
	}
	return strings.ToLower(path)
}

// collisions contains the spellings in the candidate tree of every path that a change
// adds or edits, and of the folders above that path.
type collisions struct {
	// spelled maps a folded path to its spellings; files is the set of spellings that are
	// files.
	spelled map[string][]string
	files   map[string]bool
}

func newCollisions(candidate Tree, changes []*change) collisions {
	c := collisions{spelled: map[string][]string{}, files: map[string]bool{}}
	for _, ch := range changes {
		if ch.now != nil {
			for prefix := range prefixes(strings.Join(ch.folded, "/")) {
				c.spelled[prefix] = nil
			}
		}
	}
	for _, e := range candidate {
		folded := fold(e.Path)
		for prefix := range prefixes(folded) {
			have, asked := c.spelled[prefix]
			if !asked {
				break // the change has no path below this one either
			}
			// Folding preserves the number of segments, so the spelling has as many as the
			// folded path.
			spelling := firstSegments(e.Path, strings.Count(prefix, "/")+1)
			if !slices.Contains(have, spelling) {
				c.spelled[prefix] = append(have, spelling)
			}
			if prefix == folded {
				c.files[spelling] = true
			}
		}
	}
	return c
}

// with returns the violated rule and an explanation if a change causes a collision.
func (c collisions) with(ch *change) (rule, why string) {
	if ch.now == nil {
		return "", ""
	}
	for prefix := range prefixes(strings.Join(ch.folded, "/")) {
		spelling := firstSegments(ch.path, strings.Count(prefix, "/")+1)
		if spelling != ch.path && c.files[spelling] {
			return "collision", fmt.Sprintf("%q is both a file and a folder", spelling)
		}
		others := slices.DeleteFunc(slices.Clone(c.spelled[prefix]), func(s string) bool { return s == spelling })
		if len(others) > 0 {
			slices.Sort(others)
			return "collision", fmt.Sprintf("the tree has both %q and %q, which some file systems treat as the same name", others[0], spelling)
		}
	}
	return "", ""
}

// prefixes yields the folders of a path from the root down, and then the path itself.
func prefixes(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
		yield(path)
	}
}

// firstSegments returns the first n segments of a path.
func firstSegments(path string, n int) string {
	for i := range len(path) {
		if path[i] == '/' {
			if n--; n == 0 {
				return path[:i]
			}
		}
	}
	return path
}
