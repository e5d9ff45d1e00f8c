package scan

import (
	"context"
	"fmt"
	"go/token"
	"sync"

	"evolve/gates"
	"evolve/runtime/text"
)

// families lists the gates in the order in which a person reads them, each with the
// evidence that it gives if nothing was found.
var families = []struct{ name, clean string }{
	{familyParse, "every file parses"},
	{familyText, "no hidden characters and no look-alike names"},
	{familyExits, "no code ends the tests early, replaces them or runs after them"},
	{familyAware, "no code checks whether it is being tested"},
	{familyOutput, "no write to arguments, standard streams or test files"},
	{familyReach, "no bypass of the type system, and no access to other packages' state or to anything outside the process"},
	{familyBuild, "no directive, constraint or file name that decides what is built"},
	{familyTables, "no table of literal inputs and outputs"},
}

// Gates returns the gates for a patch's source, one for each family of detectors. Any
// finding flags the patch for a person, and a fatal finding fails it. The source files are
// scanned only once for all gates. Every gate depends on the first one, because a file that
// does not parse cannot be scanned.
func Gates(sources []Source) []gates.Gate {
	read := sync.OnceValue(func() *reading { return newReading(sources) })
	var out []gates.Gate
	for _, family := range families {
		g := gates.Gate{Name: family.name, Check: func(context.Context) (gates.Verdict, string) {
			return read().verdict(family.name, family.clean)
		}}
		if family.name != familyParse {
			g.Needs = []string{familyParse}
		}
		out = append(out, g)
	}
	return out
}

// Deceives reports whether a gate that failed found code that hardly any legitimate patch
// contains, such as code that ends the tests. A file that does not parse does not count.
func Deceives(gate string) bool {
	return gate == familyText || gate == familyExits || gate == familyAware || gate == familyOutput
}

// reading holds the findings of a scan, keyed by family.
type reading struct {
	files int
	found map[string][]Finding
}

func newReading(list []Source) *reading {
	family := map[string]string{parseRule: familyParse}
	for _, d := range detectors() {
		family[d.rule] = d.family
	}
	r := &reading{found: map[string][]Finding{}}
	for _, s := range list {
		if s.New != nil && isGo(s.Path) {
			r.files++
		}
	}
	for _, f := range Go(list) {
		r.found[family[f.Rule]] = append(r.found[family[f.Rule]], f)
	}
	return r
}

// verdict returns the verdict for a family, with the family's findings as evidence.
func (r *reading) verdict(family, clean string) (gates.Verdict, string) {
	list := r.found[family]
	if len(list) == 0 {
		if r.files == 0 {
			return gates.Passed, "no Go file changed"
		}
		return gates.Passed, text.Count(r.files, "changed Go file") + ": " + clean
	}
	verdict := gates.Flagged
	var lines []string
	for _, f := range list {
		if f.Fatal {
			verdict = gates.Failed
		}
		lines = append(lines, f.String())
	}
	return verdict, gates.Listed(lines)
}

// String returns a finding on one line, escaped for a terminal.
func (f Finding) String() string {
	path := fmt.Sprintf("%+q", f.Path)
	if plain := path[1 : len(path)-1]; plain == f.Path {
		path = plain
	}
	return fmt.Sprintf("%s %s: %s", token.Position{Filename: path, Line: f.Line}, f.Rule, f.Why)
}
