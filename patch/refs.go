package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Refs returns the names of the refs below a prefix, such as "refs/heads/", sorted. It
// includes loose and packed refs.
func (r *Repository) Refs(prefix string) ([]string, error) {
	if !strings.HasSuffix(prefix, "/") {
		return nil, fmt.Errorf("%q is not a folder of refs", prefix)
	}
	if err := checkRef(strings.TrimSuffix(prefix, "/")); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	root := r.refPath(prefix)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // there are none, or native git removed the folder in the meantime
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rest, err := filepath.Rel(root, path)
		if name := prefix + filepath.ToSlash(rest); err == nil && checkRef(name) == nil { // not a lock
			found[name] = true
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the refs of %s: %w", prefix, err)
	}
	packed, err := r.packed()
	if err != nil {
		return nil, err
	}
	for name := range packed {
		if strings.HasPrefix(name, prefix) {
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
