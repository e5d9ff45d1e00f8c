package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"evolve/runtime/wholefile"
)

// layout holds the paths of a repository's folders.
type layout struct {
	// top is the root of the working tree; it is empty for a bare repository.
	top string
	// git is the private folder of this working tree, and common is the shared folder
	// with refs, objects and settings. They differ only in a linked worktree.
	git, common string
}

// locate finds the repository that contains a folder: the nearest .git in the folder or
// above it, or a bare repository. It follows no includes, runs nothing and creates nothing.
// It returns ErrNoRepository if there is none.
func locate(dir string) (layout, error) {
	for at := dir; ; at = filepath.Dir(at) {
		l, found, err := repositoryAt(at)
		if err != nil || found {
			return l, err
		}
		if filepath.Dir(at) == at {
			return layout{}, ErrNoRepository
		}
	}
}

// repositoryAt reports whether a folder is the root of a repository, and returns the
// repository's layout if it is.
func repositoryAt(dir string) (l layout, found bool, err error) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Stat(dot)
	switch {
	case err == nil && info.IsDir() && isGitFolder(dot):
		l = layout{top: dir, git: dot}
	case err == nil && info.Mode().IsRegular():
		if l.git, err = gitFile(dot); err != nil {
			return l, false, err
		}
		l.top = dir
	case isGitFolder(dir):
		l = layout{git: dir}
		if filepath.Base(dir) == ".git" {
			return l, false, fmt.Errorf("opening the repository: %s is itself a git folder", dir)
		}
	default:
		return l, false, nil
	}
	if l.git, err = filepath.EvalSymlinks(l.git); err != nil {
		return l, false, fmt.Errorf("opening the repository: %w", err)
	}
	l.common, err = commonDir(l.git)
	return l, err == nil, err
}

// isGitFolder reports whether git accepts a folder as a git folder: it has a HEAD, and
// either has objects and refs or is the private folder of a linked worktree.
func isGitFolder(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// The maximum lengths, in bytes, of files that are read: of git's own files, such as a
// ref or HEAD, and of a file in a working tree or an index.
const (
	maxGitFile  = 1 << 20
	maxTreeFile = 2 << 30
)

// gitFile returns the folder to which a .git file points, as in linked worktrees and
// submodules.
func gitFile(path string) (string, error) {
	data, err := wholefile.Read(path, maxGitFile)
	if err != nil {
		return "", fmt.Errorf("opening the repository: %w", err)
	}
	dir, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("opening the repository: %s names no git folder", path)
	}
	return against(filepath.Dir(path), dir), nil
}

// commonDir returns the folder with refs and objects, which a linked worktree shares with
// the main working tree.
func commonDir(gitDir string) (string, error) {
	data, err := wholefile.Read(filepath.Join(gitDir, "commondir"), maxGitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", fmt.Errorf("opening the repository: %w", err)
	}
	dir, err := filepath.EvalSymlinks(against(gitDir, strings.TrimSpace(string(data))))
	if err != nil {
		return "", fmt.Errorf("opening the repository: %w", err)
	}
	return dir, nil
}

// against resolves a path relative to a folder, unless the path is absolute.
func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
