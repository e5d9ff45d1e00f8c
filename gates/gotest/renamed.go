package gotest

import (
	"cmp"
	"slices"
	"strings"

	"evolve/gates/syntax"
	gosource "evolve/runtime/source"
)

// alike is the minimum share of lines in common for a function to count as a removed
// function under a new name.
const alike = 0.6

// renames matches each function that a folder gains with a function that the folder
// loses, by the similarity of their bodies, so that a renamed function is compared with
// its old version. Each function is in at most one pair. The result maps new names to old
// ones.
func renames(was, is source) map[string]string {
	lost, gained := was.bodies(), is.bodies()
	for name := range was.bodies() {
		if _, ok := gained[name]; ok {
			delete(lost, name)
			delete(gained, name)
		}
	}
	type pair struct {
		from, to string
		share    float64
	}
	var pairs []pair
	for from, old := range lost {
		for to, now := range gained {
			if share := syntax.Share(old, now); share >= alike {
				pairs = append(pairs, pair{from, to, share})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	out := map[string]string{}
	taken := map[string]bool{}
	for _, p := range pairs {
		if out[p.to] == "" && !taken[p.from] {
			out[p.to], taken[p.from] = p.from, true
		}
	}
	return out
}

// bodies returns the lines of the functions in a folder, without layout, keyed by the
// function's name.
func (s source) bodies() map[string][]string {
	out := map[string][]string{}
	for _, fn := range s.each() {
		if fn.Body == nil || fn.Name.Name == "init" {
			continue
		}
		var lines []string
		for line := range strings.Lines(syntax.Text(fn.Body)) {
			if line = strings.TrimSpace(line); line != "" && line != "{" && line != "}" {
				lines = append(lines, line)
			}
		}
		out[gosource.FuncName(fn)] = lines
	}
	return out
}
