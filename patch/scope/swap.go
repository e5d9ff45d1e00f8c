package scope

import "fmt"

// replacedFolders returns the paths that a patch adds and that are folders in the base.
// Such a path is a file that replaces a folder.
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

// swapped refuses a file that replaces a folder, and a folder that replaces a file, because
// git, a reviewer and a rollback each interpret such a change differently.
func swapped(c *change, was map[string]Entry, folders map[string]bool) (rule, why string) {
	if c.now == nil || c.old != nil {
		return "", ""
	}
	if folders[c.path] {
		return "swap", "a file would replace a folder"
	}
	for prefix := range prefixes(c.path) {
		if _, ok := was[prefix]; ok {
			return "swap", fmt.Sprintf("a folder would replace the file %s", prefix)
		}
	}
	return "", ""
}
