package archive

import (
	"errors"
	"os"
	"syscall"
)

// ErrResources wraps the operating system's error when the system refuses a resource
// other than disk space: file descriptors or memory. Nothing is damaged.
var ErrResources = errors.New("the system is out of file descriptors or memory")

// shortages are the system errors that mean that a resource has run out.
var shortages = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// resourceError marks err as ErrResources if a shortage caused it.
func resourceError(err error) error { return mark(err, ErrResources, shortages) }

func isResourceError(err error) bool { return errors.Is(resourceError(err), ErrResources) }

// spareFiles is the maximum number of files that Badger opens in addition to the existing
// ones: the new logs and their folder, the table of a log that it replays, and its lock.
const spareFiles = 16

// checkDescriptors returns an ErrResources unless the process may open n+spareFiles more
// files. Badger ends the process if it cannot open some of its files.
func checkDescriptors(dir string, n int) (err error) {
	for range n + spareFiles {
		f, opening := os.Open(dir)
		if opening != nil {
			return resourceError(opening)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
	}
	return nil
}
