package patch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Changed lists the paths that differ between two commits or trees in content or mode,
// sorted, from the root of the repository. It does not open equal folders, so its cost
// grows with the difference only.
func (r *Repository) Changed(from, to string) ([]string, error) {
	var out []string
	err := r.with(func(s *store) error {
		out = nil
		return s.compare(from, to, func(path string, _, _ *entry) error {
			out = append(out, path)
			return nil
		})
	})
	slices.Sort(out)
	return out, err
}

// Diff returns the difference between two commits or trees as whole files, in the order
// of their paths, which are relative to the root of the repository. It refuses links,
// submodules and changed modes, which a file's content cannot express.
func (r *Repository) Diff(from, to string) ([]File, error) {
	var out []File
	err := r.with(func(s *store) error {
		out = nil
		return s.compare(from, to, func(path string, a, b *entry) (err error) {
			f := File{Path: path}
			if a != nil && b != nil && a.executable() != b.executable() {
				return fmt.Errorf("%q changes its mode", path)
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
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return out, err
}

// side returns a file's content on one side of a difference, or nil if there is no file.
func (s *store) side(e *entry) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	if !e.isFile() {
		return nil, errors.New("it is no regular file")
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

// compareFolders visits what differs between two folders, either of which may be
// absent (the zero hash). A file on one side and a folder on the other are two
// differences.
func (s *store) compareFolders(a, b plumbing.Hash, below string, depth int, visit func(path string, a, b *entry) error) error {
	if a == b {
		return nil
	}
	if depth > maxDepth {
		return errors.New("the tree is too deep")
	}
	olds, err := s.folder(a)
	if err != nil {
		return err
	}
	news, err := s.folder(b)
	if err != nil {
		return err
	}
	after := make(map[string]entry, len(news))
	for _, e := range news {
		after[e.order()] = e
	}
	pair := func(one, two *entry, name string, isFolder bool) error {
		if !isFolder {
			return visit(below+name, one, two)
		}
		var x, y plumbing.Hash
		if one != nil {
			x = one.hash
		}
		if two != nil {
			y = two.hash
		}
		return s.compareFolders(x, y, below+name+"/", depth+1, visit)
	}
	for _, e := range olds {
		var other *entry
		if n, both := after[e.order()]; both {
			delete(after, e.order())
			if n == e {
				continue
			}
			other = &n
		}
		if err := pair(&e, other, e.name, e.isFolder()); err != nil {
			return err
		}
	}
	for _, e := range news {
		if _, left := after[e.order()]; left {
			if err := pair(nil, &e, e.name, e.isFolder()); err != nil {
				return err
			}
		}
	}
	return nil
}
