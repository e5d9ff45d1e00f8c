package review

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Lock is one process's exclusive right to something. It is a lock held by the kernel
// and ends with the process.
type Lock struct{ file *flock.Flock }

// NewLock takes the right that the file at path represents; nil when another process has
// it.
func NewLock(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making room for a lock: %w", err)
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
		// The process that had it removed the file after this one opened it.
		_ = file.Close()
	}
}

// Release releases the right. It removes the file first, so that a process that opens it
// afterwards makes a new one.
func (c *Lock) Release() {
	_ = os.Remove(c.file.Path())
	_ = c.file.Close()
}
