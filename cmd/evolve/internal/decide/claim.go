package decide

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Claim is one process's exclusive right to something. It is a lock held by the kernel
// and ends with the process.
type Claim struct{ file *flock.Flock }

// NewClaim takes the right that the file at path represents; nil when another process has
// it.
func NewClaim(path string) (*Claim, error) {
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
		mine, err1 := file.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return &Claim{file}, nil
		}
		// The process that had it removed the file after this one opened it.
		_ = file.Close()
	}
}

// Release gives the right back. It removes the file first, so that a process that opens
// it afterwards makes a new one.
func (c *Claim) Release() {
	_ = os.Remove(c.file.Path())
	_ = c.file.Close()
}
