package scope

import "slices"

// Editable lists the existing files of a tree that a patch may change, sorted, each
// judged alone, without the bound on their number. It uses [Policy.Judge], so that no
// file is shown to an author or searched that would be refused afterwards.
func (p Policy) Editable(tree Tree) []string {
	if len(p.problems()) > 0 {
		return nil
	}
	other := slices.Clone(tree)
	for i := range other {
		other[i].Hash += "'" // as if each had other content of the same size
	}
	refused := map[string]bool{}
	judged := p.Judge(tree, other)
	for _, f := range judged.Refused {
		refused[f.Path] = true
	}
	return slices.DeleteFunc(judged.Changed, func(path string) bool { return refused[path] })
}
