package archive

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkFiles returns an error if a proposal has a file outside the workspace or in a .git
// folder, or the same file twice. Records can also come from imports and agents, and their
// files are written to disk.
func checkFiles(files []FileChange) error {
	seen := map[string]bool{}
	for _, f := range files {
		if !localPath(f.Path) {
			return fmt.Errorf("%q is not the path of a file inside the workspace", f.Path)
		}
		if seen[f.Path] {
			return fmt.Errorf("the file %q is listed twice", f.Path)
		}
		seen[f.Path] = true
	}
	return nil
}

// localPath reports whether name is a clean, slash-separated path that stays below the
// folder to which it is relative, and outside of any .git folder.
func localPath(name string) bool {
	if !filepath.IsLocal(name) || path.Clean(name) != name || name == "." || !utf8.ValidString(name) ||
		strings.Contains(name, `\`) || strings.ContainsFunc(name, unicode.IsControl) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}
