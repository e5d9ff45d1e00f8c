package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Mixed compares the content of dir with the agents and suites among the given files, for
// [Init]. It returns the paths at which dir has different content, including additional
// files in the folders of these agents, and the paths that are missing from dir. Files
// that agents leave behind, such as caches, do not count.
func Mixed(dir string, files map[string][]byte) (other, missing []string, err error) {
	full := fullScaffold(files, map[string][]byte{})
	var folders []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts := strings.SplitN(name, "/", 3)
		if parts[0] != agentsDir && parts[0] != suitesDir {
			continue
		}
		if folder := path.Join(parts[:len(parts)-1]...); parts[0] == agentsDir && len(parts) == 3 && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		there, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return nil, nil, fmt.Errorf("read %s: %w", name, Reason(err))
		case !bytes.Equal(there, full[name]):
			other = append(other, name)
		}
	}
	for _, folder := range folders {
		list, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("read %s: %w", folder, Reason(err))
		}
		for _, e := range list {
			name := path.Join(folder, e.Name())
			if _, ours := full[name]; !ours && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") && path.Ext(name) != ".bin" {
				other = append(other, name)
			}
		}
	}
	return other, missing, nil
}
