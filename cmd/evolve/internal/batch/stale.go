package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"evolve/archive"
)

// StaleEnding returns the note of a run's end that a process left in the state folder and
// that is about no latest run of the archive: its archive was removed or replaced since. It
// is "" when there is none. The archive must not be held by a run.
func StaleEnding(ctx context.Context, a *archive.Archive, stateDir string) (string, error) {
	path := filepath.Join(stateDir, endingFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading how the latest run ended: %w", err)
	}
	latest, err := a.Run(ctx, "")
	switch {
	case errors.Is(err, archive.ErrNotFound):
		return path, nil
	case err != nil:
		return "", fmt.Errorf("reading the latest run: %w", err)
	case string(raw) == latest.ID:
		return "", nil
	}
	return path, nil
}
