package patch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Changed returns a sorted list of the paths that differ between two commits or trees in
// content or mode. The paths are relative to the root of the repository. Changed does not
// open folders that are equal on both sides, so its cost grows only with the size of the
// difference.
func (r *Repository) Changed(from, to string) ([]string, error) {
	var out []string
	err := r.with(func(s *store) error {
		return s.compare(from, to, func(path string, _, _ *entry) error {
			out = append(out, path)
			return nil
		})
	})
	return out, err
}

// Diff returns the difference between two commits or trees as whole files. The files are in
// the order of their paths, which are relative to the root of the repository. Diff returns
// an error for links, submodules and changed modes, because a file's content cannot express
// them.
func (r *Repository) Diff(from, to string) ([]File, error) {
	var out []File
	err := r.with(func(s *store) error {
		return s.compare(from, to, func(path string, a, b *entry) (err error) {
			f := File{Path: path}
			if a != nil && b != nil && a.executable() != b.executable() {
				return fmt.Errorf("the mode of %q changed; only changes of content are supported", path)
			}
			if f.Old, err = s.side(a); err == nil {
				f.New, err = s.side(b)
			}
			if err != nil {
				return fmt.Errorf("%q: %w", path, err)
			}
			out = append(out, f)
			return nil
		})
	})
	return out, err
}

// side returns a file's content on one side of a difference, or nil if the file does not
// exist on that side.
func (s *store) side(e *entry) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	if !e.isFile() {
		return nil, errors.New("it is not a regular file")
	}
	return s.read(e.hash, plumbing.BlobObject)
}

func (s *store) compare(from, to string, visit func(path string, a, b *entry) error) error {
	a, err := s.treeish(from)
	if err != nil {
		return err
	}
	b, err := s.treeish(to)
	if err != nil {
		return err
	}
	return s.compareFolders(a, b, "", 0, visit)
}

// compareFolders visits the paths that differ between two folders, in the order of the
// paths. Either folder may be absent, which the zero hash indicates. A file on one side and
// a folder of the same name on the other are two differences.
func (s *store) compareFolders(a, b plumbing.Hash, below string, depth int, visit func(path string, a, b *entry) error) error {
	if a == b {
		return nil
	}
	if depth > maxDepth {
		return errors.New("the tree is too deep")
	}
	sides := map[string]*[2]*entry{} // the entries on both sides, keyed by name; the names of folders end in a slash
	for side, tree := range []plumbing.Hash{a, b} {
		entries, err := s.folder(tree)
		if err != nil {
			return err
		}
		for _, e := range entries {
			pair := sides[e.order()]
			if pair == nil {
				pair = &[2]*entry{}
				sides[e.order()] = pair
			}
			if pair[side] != nil {
				return fmt.Errorf("two entries of a tree have the name %q", e.name)
			}
			pair[side] = &e
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sides)) {
		one, two := sides[name][0], sides[name][1]
		var err error
		switch {
		case one != nil && two != nil && *one == *two:
		case one != nil && one.isFolder() || two != nil && two.isFolder():
			err = s.compareFolders(one.folderHash(), two.folderHash(), below+name, depth+1, visit)
		default:
			err = visit(below+name, one, two)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folderHash returns the hash of a folder, or the zero hash if there is no folder.
func (e *entry) folderHash() plumbing.Hash {
	if e == nil {
		return plumbing.ZeroHash
	}
	return e.hash
}

// ChangeOf returns the changes that a commit makes to its first parent; see
// [Repository.Diff].
func (r *Repository) ChangeOf(commit string) ([]File, error) {
	parent := ""
	err := r.with(func(s *store) error {
		c, err := s.commit(commit)
		if err == nil && len(c.ParentHashes) == 0 {
			err = fmt.Errorf("the commit %s has no parent", commit)
		}
		if err == nil {
			parent = c.ParentHashes[0].String()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.Diff(parent, commit)
}
