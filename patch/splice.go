package patch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// edit describes the changes of one folder: contents of files, nil for removed ones, and
// edits of its folders.
type edit struct {
	files   map[string][]byte
	folders map[string]*edit
}

// place adds a file to the edit of a tree; it returns false if the file is already there.
// A file may replace a folder that the edit empties, and vice versa.
func (d *edit) place(path string, content []byte) bool {
	parts := splitPath(path)
	for _, part := range parts[:len(parts)-1] {
		next := d.folders[part]
		if next == nil {
			next = &edit{}
			if d.folders == nil {
				d.folders = map[string]*edit{}
			}
			d.folders[part] = next
		}
		d = next
	}
	name := parts[len(parts)-1]
	if _, twice := d.files[name]; twice {
		return false
	}
	if d.files == nil {
		d.files = map[string][]byte{}
	}
	d.files[name] = content
	return true
}

// apply stores the tree with files changed and returns its hash. Files keep their modes
// and new ones are regular; links and submodules are refused. It fails with a
// *ConflictError if the tree does not hold the old contents.
func (r *Repository) apply(s *store, tree plumbing.Hash, files []File) (plumbing.Hash, error) {
	var conflicts []string
	var root edit
	for _, f := range files {
		path, err := r.inside(f.Path)
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
		if !root.place(path, f.New) {
			return plumbing.ZeroHash, fmt.Errorf("changing %s: the change has it twice", f.Path)
		}
	}
	if len(conflicts) > 0 {
		return plumbing.ZeroHash, &ConflictError{Paths: conflicts}
	}
	if root.files == nil && root.folders == nil {
		return tree, nil
	}
	h, err := s.splice(tree, &root)
	if err == nil && h.IsZero() {
		h = s.put(plumbing.TreeObject, nil)
	}
	return h, err
}

// content returns the content of a file of a tree, or nil if there is none or it is a
// folder.
func (s *store) content(tree plumbing.Hash, path string) ([]byte, error) {
	e, ok, err := s.at(tree, path)
	if err != nil || !ok || e.isFolder() {
		return nil, err
	}
	if !e.isFile() {
		return nil, errors.New("it is no regular file")
	}
	data, err := s.read(e.hash, plumbing.BlobObject)
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// splice stores a folder with an edit applied, each folder once: first removed files,
// then folders, then written files. A folder that becomes empty disappears.
func (s *store) splice(tree plumbing.Hash, d *edit) (plumbing.Hash, error) {
	entries, err := s.folder(tree)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	names := slices.Sorted(maps.Keys(d.files))
	for _, name := range names {
		if d.files[name] == nil {
			if entries, err = s.replace(entries, name, nil); err != nil {
				return plumbing.ZeroHash, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.folders)) {
		i := entryIndex(entries, name)
		below := plumbing.ZeroHash
		if i >= 0 {
			if !entries[i].isFolder() {
				return plumbing.ZeroHash, fmt.Errorf("%s is no folder", name)
			}
			below = entries[i].hash
		}
		h, err := s.splice(below, d.folders[name])
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("%s: %w", name, err)
		}
		entries = set(entries, i, entry{mode: modeFolder, name: name, hash: h})
	}
	for _, name := range names {
		if d.files[name] != nil {
			if entries, err = s.replace(entries, name, d.files[name]); err != nil {
				return plumbing.ZeroHash, err
			}
		}
	}
	return s.putFolder(entries)
}

// replace sets or removes a file in the entries of a folder.
func (s *store) replace(entries []entry, name string, content []byte) ([]entry, error) {
	i := entryIndex(entries, name)
	e := entry{mode: modeRegular, name: name}
	if i >= 0 {
		if e.mode = entries[i].mode; !entries[i].isFile() {
			return nil, fmt.Errorf("%s is no regular file", name)
		}
	}
	if content != nil {
		e.hash = s.put(plumbing.BlobObject, content)
	}
	return set(entries, i, e), nil
}

func entryIndex(entries []entry, name string) int {
	return slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
}

// set replaces the entry at an index, appends it if the index is negative, and removes it
// if its hash is zero.
func set(entries []entry, at int, e entry) []entry {
	switch {
	case e.hash.IsZero() && at >= 0:
		return slices.Delete(entries, at, at+1)
	case e.hash.IsZero():
		return entries
	case at >= 0:
		entries[at] = e
		return entries
	}
	return append(entries, e)
}
