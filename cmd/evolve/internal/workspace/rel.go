package workspace

import "path/filepath"

// Rel returns the slash-separated path of a folder, relative to the workspace's folder. A
// command that runs in the workspace's folder names the folder by this path. For the
// workspace's folder itself, Rel returns "".
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
