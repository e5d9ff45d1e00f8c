package wire

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/wholefile"
)

// readState reads a JSON file of at most limit bytes below .evolve. It returns the zero
// value if there is no file.
func readState[T any](root, name string, limit int64) (value T, err error) {
	data, err := wholefile.Read(filepath.Join(root, ".evolve", name), limit)
	if errors.Is(err, fs.ErrNotExist) {
		return value, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	return value, err
}

// changeState replaces a JSON file below .evolve with the value that change returns. No
// other process can change the file in the meantime. If change fails, the file is left
// unchanged.
func changeState[T any](root, name string, change func() (T, error)) error {
	dir, err := workspace.MakeStateDir(root)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, name+".lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	value, err := change()
	if err != nil {
		return err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, name), data, 0o600)
}
