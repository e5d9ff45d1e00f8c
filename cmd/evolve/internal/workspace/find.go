package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SettingsFile is the file that makes a folder a workspace.
const SettingsFile = "evolve.yaml"

// ErrNotFound reports that neither the folder nor any folder above it is a workspace.
var ErrNotFound = errors.New("no workspace here or in any folder above: there is no " + SettingsFile)

// Find searches upwards, as git does, for the workspace that contains start, and returns
// its absolute root. It fails with ErrNotFound if there is none.
func Find(start string) (string, error) {
	dir, err := filepath.Abs(start)
	if err != nil {
		return "", fmt.Errorf("finding the workspace: %w", err)
	}
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("finding the workspace: %w", err)
	}
	for {
		info, err := os.Stat(filepath.Join(dir, SettingsFile))
		switch {
		case err == nil && !info.IsDir():
			return dir, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("finding the workspace: %w", err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNotFound
		}
		dir = parent
	}
}
