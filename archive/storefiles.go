package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// storeFiles lists the names of the files that hold a store's content: its tables,
// write-ahead logs and value logs, each kind ordered by number.
type storeFiles struct {
	tables, mems, values []string
	// manifest reports whether there is a list of the tables.
	manifest bool
	// begun reports whether there is any file of a kind that Badger creates after the
	// manifest.
	begun bool
}

// listStore reads the names in a store's folder. The folder itself may have any name.
func listStore(dir string) (storeFiles, error) {
	var s storeFiles
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	for _, d := range list {
		name := d.Name()
		switch ext := filepath.Ext(name); {
		case name == manifestName:
			s.manifest = true
		case ext == ".sst":
			s.tables = append(s.tables, name)
		case ext == ".mem":
			s.mems = append(s.mems, name)
		case ext == ".vlog":
			s.values = append(s.values, name)
		case name == keysName || name == discardName:
			s.begun = true
		}
	}
	for _, names := range [][]string{s.tables, s.mems, s.values} {
		slices.SortFunc(names, func(a, b string) int {
			return strings.Compare(padded(a), padded(b))
		})
		s.begun = s.begun || len(names) > 0
	}
	return s, nil
}

// count returns the number of numbered files.
func (s storeFiles) count() int { return len(s.tables) + len(s.mems) + len(s.values) }

// The names of Badger's files that have no number.
const (
	manifestName = "MANIFEST"
	keysName     = "KEYREGISTRY"
	discardName  = "DISCARD"
)

func padded(name string) string {
	const digits = 20
	return strings.Repeat("0", max(0, digits-len(name))) + name
}

// fileNumber returns the number in a file's name, or 0 if it has none.
func fileNumber(name string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(name, filepath.Ext(name)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
