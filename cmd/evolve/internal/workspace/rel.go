package workspace

import "path/filepath"

// Rel returns the path of a folder relative to the workspace's folder, slash-separated, as
// a command that runs in the workspace's folder would name it; "" for the workspace's
// folder itself.
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
