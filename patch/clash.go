package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ClashError says that a ref would be a folder of another one, or lie inside it.
type ClashError struct{ Ref, With string }

func (e *ClashError) Error() string {
	return fmt.Sprintf("the ref %s clashes with %s", e.Ref, e.With)
}

// above names the loose ref that a ref would lie inside; "" when there is none.
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

// clashes refuses a ref that would be a folder of, or lie inside, another one. It is
// called under the ref's lock: that file keeps its folder, so no loose ref can take
// the place of one of its folders any more, and a packed one began as a loose one.
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

// clear removes a folder without files in the place of a ref, as deleted refs leave
// it; with a file in it, it clashes.
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

// removeEmpty removes a folder that holds nothing but folders; what is no folder
// stays. With a file in it nothing is removed, and the file is returned.
func removeEmpty(root string) (file string, err error) {
	info, err := os.Lstat(root)
	if noFile(err) || err == nil && !info.IsDir() {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var folders []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody else removed it
		}
		if err == nil && !d.IsDir() {
			file = path
			return filepath.SkipAll
		}
		folders = append(folders, path)
		return err
	})
	if err != nil || file != "" {
		return file, err
	}
	for i := len(folders) - 1; i >= 0; i-- {
		// One that is not empty any more stays: what follows then fails.
		if err := os.Remove(folders[i]); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", nil
}
