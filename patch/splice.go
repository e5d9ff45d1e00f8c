package patch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// applyTo stores the tree that results from applying a change to the tree of a commit. It
// returns the hash of the commit's own tree and that of the new tree.
func (r *Repository) applyTo(s *store, base string, files []File) (before, after plumbing.Hash, err error) {
	parent, err := s.commit(base)
	if err != nil {
		return before, after, err
	}
	after, err = r.apply(s, parent.TreeHash, files)
	return parent.TreeHash, after, err
}

// apply stores the tree that results from applying a change to a tree, and returns its
// hash. Existing files keep their modes, and new files are regular; links and submodules
// are refused. It fails with a *ConflictError if the tree does not have the old contents.
func (r *Repository) apply(s *store, tree plumbing.Hash, files []File) (plumbing.Hash, error) {
	var conflicts []string
	changed := map[string][]byte{}
	for _, f := range files {
		path, err := r.repoPath(f.Path)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		old, err := s.content(tree, path)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("reading %s: %w", f.Path, err)
		}
		if (old == nil) != (f.Old == nil) || string(old) != string(f.Old) {
			conflicts = append(conflicts, f.Path)
			continue
		}
		if f.Old == nil && f.New == nil {
			continue
		}
		if _, twice := changed[path]; twice {
			return plumbing.ZeroHash, fmt.Errorf("changing %s: the change names it twice", f.Path)
		}
		changed[path] = f.New
	}
	if len(conflicts) > 0 {
		return plumbing.ZeroHash, &ConflictError{Paths: conflicts}
	}
	if len(changed) == 0 {
		return tree, nil
	}
	h, err := s.splice(tree, changed)
	if err == nil && h.IsZero() {
		h = s.put(plumbing.TreeObject, nil)
	}
	return h, err
}

// content returns the content of a file in a tree, or nil if there is none or it is a
// folder.
func (s *store) content(tree plumbing.Hash, path string) ([]byte, error) {
	e, ok, err := s.at(tree, path)
	if err != nil || !ok || e.isFolder() {
		return nil, err
	}
	if !e.isFile() {
		return nil, errors.New("it is not a regular file")
	}
	data, err := s.read(e.hash, plumbing.BlobObject)
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// splice stores a folder after changes to its files and returns the folder's hash. The map
// files has the new contents by path; nil removes a file. If the folder becomes empty, the
// hash is zero. splice first removes files, then changes folders, and then writes files, so
// that a file may replace a folder that becomes empty, and a folder may replace a removed
// file.
func (s *store) splice(tree plumbing.Hash, files map[string][]byte) (plumbing.Hash, error) {
	entries, err := s.folder(tree)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var removed, written []string
	folders := map[string]map[string][]byte{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		name, below, deeper := strings.Cut(path, "/")
		switch {
		case deeper && folders[name] == nil:
			folders[name] = map[string][]byte{below: files[path]}
		case deeper:
			folders[name][below] = files[path]
		case files[path] == nil:
			removed = append(removed, name)
		default:
			written = append(written, name)
		}
	}
	for _, name := range removed {
		if entries, err = setEntry(entries, name, modeRegular, plumbing.ZeroHash); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		var h plumbing.Hash
		if i := entryIndex(entries, name); i >= 0 && entries[i].isFolder() {
			h = entries[i].hash
		}
		if h, err = s.splice(h, folders[name]); err == nil {
			entries, err = setEntry(entries, name, modeFolder, h)
		}
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range written {
		if entries, err = setEntry(entries, name, modeRegular, s.put(plumbing.BlobObject, files[name])); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	return s.putFolder(entries)
}

func entryIndex(entries []entry, name string) int {
	return slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
}

// setEntry sets the hash of an entry; the zero hash removes the entry. An existing entry
// keeps its mode, which must be of the same kind as the given mode; a new entry gets the
// given mode.
func setEntry(entries []entry, name, mode string, h plumbing.Hash) ([]entry, error) {
	i, e := entryIndex(entries, name), entry{mode: mode, name: name}
	if i >= 0 {
		if entries[i].isFolder() != e.isFolder() || entries[i].isFile() != e.isFile() {
			return nil, fmt.Errorf("%s exists as a different kind of file", name)
		}
		e.mode = entries[i].mode
		entries = slices.Delete(entries, i, i+1)
	}
	if !h.IsZero() {
		e.hash = h
		entries = append(entries, e)
	}
	return entries, nil
}
