package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ClashError means that the path of a ref would be a folder that contains another ref, or
// would lie inside another ref.
type ClashError struct{ Ref, With string }

func (e *ClashError) Error() string {
	return fmt.Sprintf("the ref %s clashes with %s", e.Ref, e.With)
}

// above returns the loose ref inside which a ref would lie, or "" if there is none.
func (r *Repository) above(name string) string {
	for i := len("refs/"); i < len(name); i++ {
		if name[i] == '/' {
			if info, err := os.Lstat(r.refPath(name[:i])); err == nil && !info.IsDir() {
				return name[:i]
			}
		}
	}
	return ""
}

// clashes returns a *ClashError if the path of a ref would be a folder that contains
// another ref, or would lie inside one. It is called under the ref's lock. The lock file
// keeps its folder in place, so no loose ref can replace one of the parent folders, and
// every packed ref was a loose ref before.
func (r *Repository) clashes(name string) error {
	if other := r.above(name); other != "" {
		return &ClashError{Ref: name, With: other}
	}
	packed, err := r.packed()
	if err != nil {
		return err
	}
	for other := range packed {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return &ClashError{Ref: name, With: other}
		}
	}
	return r.clear(name)
}

// clear removes the folder at a ref's path if deleted refs left it behind without files. It
// returns a *ClashError if the folder contains a file.
func (r *Repository) clear(name string) error {
	file, err := removeEmpty(r.refPath(name))
	if err != nil {
		return fmt.Errorf("moving the ref %s: %w", name, err)
	}
	if file == "" {
		return nil
	}
	rel, err := filepath.Rel(r.common, file)
	return errors.Join(&ClashError{Ref: name, With: filepath.ToSlash(rel)}, err)
}

// removeEmpty removes a folder that contains only folders; it ignores a path that is not a
// folder. If there is a file inside, removeEmpty returns the file's path, and the folder
// stays.
func removeEmpty(path string) (file string, err error) {
	entries, err := os.ReadDir(path)
	if noFile(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		below := filepath.Join(path, e.Name())
		if !e.IsDir() {
			return below, nil
		}
		if file, err := removeEmpty(below); err != nil || file != "" {
			return file, err
		}
	}
	// A folder that is no longer empty stays; the step that needs its path then fails.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return "", nil
}
