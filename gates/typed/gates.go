package typed

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"evolve/gates"
	"evolve/runtime/text"
)

// The names of the gates.
const (
	Guards   = "source: guards"
	Outside  = "source: world outside"
	Insecure = "source: known weaknesses"
	// Credentials is the name of [CredentialGate], whose check is also part of Insecure.
	Credentials = "source: credentials"
)

// notJudged is the evidence of [Insecure] if there is no finding. It states that a person
// must still judge whether the change is safe, because the absence of known weaknesses does
// not prove that.
const notJudged = "no weakness of a known kind; whether the change is safe is for a person to judge"

// Change is the input to these gates.
type Change struct {
	// Base and Candidate are the folders with the trees before and after the patch.
	Base, Candidate string
	// Changed are the paths that differ, slash-separated and relative to the root of the
	// trees.
	Changed []string
	// Root is the folder of the Go installation. Modules is the folder for downloaded
	// modules.
	Root, Modules string
}

// Gates returns the gates that compare the packages of a patch with type information. Any
// finding flags the patch, unless it is only for information. The packages are read only
// once, when the first gate runs.
func Gates(c Change) []gates.Gate {
	var once sync.Once
	var found Findings
	var failed error
	gate := func(name string, of func(Findings) ([]Finding, string)) gates.Gate {
		return gates.Gate{Name: name, Check: func(ctx context.Context) (gates.Verdict, string) {
			once.Do(func() { found, failed = Read(ctx, c) })
			if failed != nil {
				return gates.NotRun, "the packages could not be read: " + failed.Error()
			}
			list, clean := of(found)
			return verdict(list, text.Count(found.Packages, "changed package")+": "+clean)
		}}
	}
	return []gates.Gate{
		gate(Guards, func(f Findings) ([]Finding, string) {
			return slices.Concat(f.Guards, f.Exits, f.plain.lost), comparedGuards() + f.plain.scope()
		}),
		gate(Outside, func(f Findings) ([]Finding, string) {
			return f.Outside, "no new use of the environment outside the program"
		}),
		gate(Insecure, func(f Findings) ([]Finding, string) { return f.Insecure, notJudged }),
	}
}

// ExitGate returns the gate [Guards] for a target without Go. It compares only early exits.
func ExitGate(c Change) gates.Gate {
	return gates.Gate{Name: Guards, Check: func(context.Context) (gates.Verdict, string) {
		p := readPlain(c, nil)
		return verdict(p.lost, "in code that is not Go, early exits are the only guards that are compared"+p.scope())
	}}
}

// CredentialGate returns a gate that looks for credentials in text that a patch adds to
// files in any language. It does not need Go.
func CredentialGate(c Change) gates.Gate {
	return gates.Gate{Name: Credentials, Check: func(context.Context) (gates.Verdict, string) {
		if list := credentials(c); len(list) > 0 {
			return verdict(list, "")
		}
		return gates.Passed, text.Count(len(c.Changed), "changed file") + ": no credential of a known kind in what the patch adds"
	}}
}

// verdict returns the verdict on a list of findings, with its evidence. clean is the
// evidence if there is no finding that flags the patch.
func verdict(list []Finding, clean string) (gates.Verdict, string) {
	if len(list) == 0 {
		return gates.Passed, clean
	}
	var lines []string
	for _, f := range list {
		lines = append(lines, f.String())
	}
	if !slices.ContainsFunc(list, func(f Finding) bool { return !f.Told }) {
		return gates.Passed, gates.Listed(lines) + "; " + clean
	}
	return gates.Flagged, gates.Listed(lines)
}

// Findings holds the findings in the changed packages.
type Findings struct {
	Guards, Outside, Insecure []Finding
	// Exits are the early exits that are missing or changed.
	Exits []Finding
	// plain is the comparison of early exits in the files that are not read with type
	// information.
	plain plainExits
	// Packages is the number of packages that were read.
	Packages int
}

// Read compares the two versions of every package whose source changed. A deleted package
// has no second version and is not compared.
func Read(ctx context.Context, c Change) (Findings, error) {
	return newLoader(c.Root, c.Modules).compare(ctx, c)
}

// compare is like Read, but with a loader that may already have loaded packages.
func (w *loader) compare(ctx context.Context, c Change) (Findings, error) {
	out := Findings{Insecure: credentials(c)}
	var dirs []string
	for _, p := range c.Changed {
		if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") && !slices.Contains(strings.Split(p, "/"), "testdata") {
			dirs = append(dirs, path.Dir(p))
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if len(dirs) == 0 {
		out.plain = readPlain(c, nil)
		return out, nil
	}
	was, errWas := w.openTree(c.Base)
	is, errIs := w.openTree(c.Candidate)
	if err := errors.Join(errWas, errIs); err != nil {
		return out, err
	}
	var list []*pair
	for _, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		list = append(list, newPair(was.read(dir), is.read(dir)))
	}
	linkPairs(list)
	out.plain = readPlain(c, typedFiles(list))
	for _, p := range list {
		if p.is == nil {
			continue
		}
		out.Packages++
		out.Guards = append(out.Guards, p.guards()...)
		out.Exits = append(out.Exits, p.exits()...)
		out.Outside = append(out.Outside, p.outside()...)
		out.Insecure = append(out.Insecure, p.insecure()...)
	}
	for _, list := range []*[]Finding{&out.Guards, &out.Exits, &out.Outside, &out.Insecure} {
		slices.SortFunc(*list, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Why, b.Why))
		})
		*list = slices.Compact(*list)
	}
	return out, nil
}
