package workspace

import (
	"errors"
	"os"
	"path/filepath"
)

// TryWrite returns an error if a folder cannot be written to. It creates and removes a file
// in .evolve if the folder contains one, and otherwise in the folder itself.
func TryWrite(dir string) error {
	if state := filepath.Join(dir, ".evolve"); isFolder(state) {
		dir = state
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
