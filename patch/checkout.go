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

// Checkout is a working tree in which a branch is in use.
type Checkout struct {
	// Folder is the root of the working tree; it is empty if unknown.
	Folder string
	// Busy names an operation on the branch in progress, such as "rebase"; it is empty if
	// the branch is only checked out.
	Busy string
}

// Checkouts lists the working trees in which a branch is in use: the main one and the
// linked ones. The list includes working trees that no longer exist but are not pruned, and
// those in which a rebase or bisection will return to the branch.
func (r *Repository) Checkouts(branch string) ([]Checkout, error) {
	settings, err := r.local()
	if err != nil {
		return nil, err
	}
	var out []Checkout
	look := func(gitDir, folder string) error {
		here, busy, err := uses(gitDir, branch)
		if err != nil {
			return fmt.Errorf("finding where %s is checked out: %w", branch, err)
		}
		if here || busy != "" {
			out = append(out, Checkout{Folder: folder, Busy: busy})
		}
		return nil
	}
	if bare, _ := settings[:1].get("core", "bare"); bare == "" || !parseBool(bare) {
		if err := look(r.common, r.mainFolder()); err != nil {
			return nil, err
		}
	}
	linked, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("finding where %s is checked out: %w", branch, err)
	}
	for _, w := range linked {
		gitDir := filepath.Join(r.common, "worktrees", w.Name())
		data, err := wholefile.Read(filepath.Join(gitDir, "gitdir"), maxGitFile)
		if err != nil {
			continue // being made or pruned
		}
		if err := look(gitDir, filepath.Dir(against(gitDir, strings.TrimSpace(string(data))))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mainFolder returns the root of the main working tree, or "" if it cannot be derived
// from the paths of the git folders.
func (r *Repository) mainFolder() string {
	switch {
	case r.git == r.common && r.top != "":
		return r.top
	case filepath.Base(r.common) == ".git":
		return filepath.Dir(r.common)
	}
	return ""
}

// uses reports whether a branch is checked out in the working tree that belongs to a
// private git folder, and names the operation on the branch that is in progress there.
func uses(gitDir, branch string) (here bool, busy string, err error) {
	short := strings.TrimPrefix(branch, "refs/heads/")
	read := func(name string) (string, error) {
		data, err := wholefile.Read(filepath.Join(gitDir, filepath.FromSlash(name)), maxGitFile)
		if noFile(err) {
			return "", nil
		}
		return string(data), err
	}
	head, err := read("HEAD")
	if err != nil {
		return false, "", err
	}
	here = strings.TrimSpace(head) == "ref: "+branch
	for _, w := range []struct{ file, what string }{
		{"rebase-merge/head-name", "rebase"},
		{"rebase-apply/head-name", "rebase"},
		{"rebase-merge/update-refs", "rebase"},
		{"BISECT_START", "bisection"},
	} {
		text, err := read(w.file)
		if err != nil {
			return false, "", err
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == branch || line == short {
				return here, w.what, nil
			}
		}
	}
	if here {
		for _, w := range []struct{ file, what string }{
			{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
		} {
			if text, err := read(w.file); err != nil || text != "" {
				return here, w.what, err
			}
		}
	}
	return here, "", nil
}
