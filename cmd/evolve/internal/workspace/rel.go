package workspace

import "path/filepath"

// Rel returns a folder as a command names it that runs in the workspace's folder, slash-separated;
// "" for that folder itself.
func (w *Workspace) Rel(folder string) string {
	rel, err := filepath.Rel(w.Root, folder)
	switch {
	case err != nil:
		return filepath.ToSlash(folder)
	case rel == ".":
		return ""
	}
	return filepath.ToSlash(rel)
}
