package review

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Lock is one process's exclusive right to a resource. The kernel holds the lock, so the
// right ends with the process.
type Lock struct{ file *flock.Flock }

// NewLock acquires the right that the file at path represents. It returns nil if another
// process has the right.
func NewLock(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder for a lock: %w", err)
	}
	for {
		file := flock.New(path)
		ok, err := file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", filepath.Base(path), err)
		}
		if !ok {
			return nil, nil
		}
		held, err1 := file.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(held, there) {
			return &Lock{file}, nil
		}
		// The lock's previous holder removed the file after this process had opened it.
		_ = file.Close()
	}
}

// Release gives up the right. It removes the file before it closes it, so that a process
// that opens the path afterwards creates a new file.
func (c *Lock) Release() {
	_ = os.Remove(c.file.Path())
	_ = c.file.Close()
}
