package scope

import "slices"

// Editable returns a sorted list of the existing files in a tree that a patch may change.
// Each file is judged separately, without the limit on the number of files. Editable uses
// [Policy.Judge], so that no file is shown to an author or searched if a change to it
// would be refused.
func (p Policy) Editable(tree Tree) []string {
	if len(p.problems()) > 0 {
		return nil
	}
	other := slices.Clone(tree)
	for i := range other {
		other[i].Hash += "'" // each file counts as changed to different content of the same size
	}
	refused := map[string]bool{}
	judged := p.Judge(tree, other)
	for _, f := range judged.Refused {
		refused[f.Path] = true
	}
	return slices.DeleteFunc(judged.Changed, func(path string) bool { return refused[path] })
}
