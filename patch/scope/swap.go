package scope

import "fmt"

// replacedFolders returns the paths that a patch adds and that are folders of the base.
func replacedFolders(base Tree, changes []*change) map[string]bool {
	asked := map[string]bool{}
	for _, c := range changes {
		if c.old == nil {
			asked[c.path] = true
		}
	}
	out := map[string]bool{}
	for _, e := range base {
		for prefix := range prefixes(e.Path) {
			if prefix != e.Path && asked[prefix] {
				out[prefix] = true
			}
		}
	}
	return out
}

// swapped refuses a file in place of a folder and vice versa: git, a reviewer and a
// rollback each interpret it differently.
func swapped(c *change, was map[string]Entry, folders map[string]bool) (rule, why string) {
	if c.now == nil || c.old != nil {
		return "", ""
	}
	if folders[c.path] {
		return "swap", "a file would take the place of a folder"
	}
	for prefix := range prefixes(c.path) {
		if _, ok := was[prefix]; ok {
			return "swap", fmt.Sprintf("a folder would take the place of the file %s", prefix)
		}
	}
	return "", ""
}
