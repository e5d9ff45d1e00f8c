package patch

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"

	"evolve/patch/scope"
)

// The limits on the number of entries and the depth of one tree. A tree that exceeds them
// is refused, not truncated.
const (
	maxEntries = 1_000_000
	maxDepth   = 256
)

// Tree lists all files of a commit or tree, including links and submodules, in the order of
// git's trees. Names and modes are in their stored form, so that checks see what a checkout
// would use; a submodule has no length.
func (r *Repository) Tree(commit string) (scope.Tree, error) {
	var out scope.Tree
	err := r.with(func(s *store) error {
		tree, err := s.treeish(commit)
		if err != nil {
			return err
		}
		return s.walk(tree, "", 0, func(path string, e entry) error {
			if len(out) == maxEntries {
				return fmt.Errorf("the tree has more than %d files", maxEntries)
			}
			mode, err := strconv.ParseUint(e.mode, 8, 32)
			if err != nil {
				return fmt.Errorf("the mode of %q is not an octal number: %q", path, e.mode)
			}
			item := scope.Entry{Path: path, Mode: scope.Mode(mode), Hash: e.hash.String()}
			if e.mode != modeSubmodule {
				if item.Size, err = s.size(e.hash); err != nil {
					return fmt.Errorf("measuring %q: %w", path, err)
				}
			}
			out = append(out, item)
			return nil
		})
	})
	return out, err
}

// walk calls visit for everything below a tree except folders.
func (s *store) walk(tree plumbing.Hash, below string, depth int, visit func(path string, e entry) error) error {
	if depth > maxDepth {
		return errors.New("the tree is too deep")
	}
	entries, err := s.folder(tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.isFolder() {
			err = s.walk(e.hash, below+e.name+"/", depth+1, visit)
		} else {
			err = visit(below+e.name, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
