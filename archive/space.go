package archive

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// writeFloor is the free space below which nothing is written, and closeFloor that below
// which the store is not even closed. Badger writes through memory maps, where a full disk
// is no error but a signal that ends the process; so the floor covers all that it may
// still write in the background: two memtables, their logs and a compaction.
const (
	writeFloor = 64 << 20
	closeFloor = 24 << 20
)

// checkSpace fails with ErrDisk when fewer bytes than floor are free for dir.
func checkSpace(dir string, floor uint64) error {
	free, known := freeSpace(dir)
	if known && free < floor {
		return fmt.Errorf("%w: %s free, the archive keeps %s: %w",
			ErrDisk, humanize.IBytes(free), humanize.IBytes(floor), syscall.ENOSPC)
	}
	return nil
}

// refusals are the system errors that mean that the disk, not the archive, is at fault.
var refusals = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG, syscall.EIO, syscall.EACCES, syscall.EPERM,
}

// diskError marks an error as ErrDisk when the system refused.
func diskError(err error) error { return mark(err, ErrDisk, refusals) }

// mark wraps an error as another one when it is one of some system errors. It also
// compares texts, because Badger drops the wrapped error and keeps its text.
func mark(err, as error, causes []syscall.Errno) error {
	if err == nil || errors.Is(err, as) {
		return err
	}
	for _, errno := range causes {
		if errors.Is(err, errno) {
			return fmt.Errorf("%w: %w", as, err)
		}
		if strings.Contains(err.Error(), errno.Error()) {
			return fmt.Errorf("%w: %w (%w)", as, err, errno)
		}
	}
	return err
}
