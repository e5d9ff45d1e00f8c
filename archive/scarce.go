package archive

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ErrResources wraps the error of the operating system when it refused a resource other
// than the disk: file descriptors or memory. Nothing is damaged.
var ErrResources = errors.New("the system has too few resources")

// shortages are the system errors that mean that a resource has run out.
var shortages = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// shortage returns which of them err is; 0 for none. It also compares texts, because
// Badger drops the wrapped error and keeps its text.
func shortage(err error) syscall.Errno {
	for _, errno := range shortages {
		if errors.Is(err, errno) || strings.Contains(err.Error(), errno.Error()) {
			return errno
		}
	}
	return 0
}

func isResourceError(err error) bool { return errors.Is(err, ErrResources) || shortage(err) != 0 }

// resourceError marks an error as ErrResources.
func resourceError(err error) error {
	errno := shortage(err)
	switch {
	case errors.Is(err, ErrResources) || errno == 0:
		return err
	case errors.Is(err, errno):
		return fmt.Errorf("%w: %w", ErrResources, err)
	}
	return fmt.Errorf("%w: %w (%w)", ErrResources, err, errno)
}

// spareFiles is the maximum number of files that Badger opens besides the existing ones:
// the new logs and their folder, the table of a log that it replays, its lock.
const spareFiles = 16

// checkDescriptors returns an ErrResources unless the process may open n+spareFiles more
// files. Badger ends the process where it cannot open some of its files.
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
