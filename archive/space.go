package archive

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// writeFloor is the free space below which nothing is written, and closeFloor is the free
// space below which the store is not even closed. Badger writes through memory maps, where
// a full disk does not cause an error but a signal that ends the process. So the floor
// covers all that Badger may still write in the background: two memtables, their logs and a
// compaction.
const (
	writeFloor = 64 << 20
	closeFloor = 24 << 20
)

// checkSpace fails with ErrDisk when fewer bytes than floor are free for dir.
func checkSpace(dir string, floor uint64) error {
	free, known := freeSpace(dir)
	if known && free < floor {
		return fmt.Errorf("%w: %s of disk space is free, but the archive needs at least %s: %w",
			ErrDisk, humanize.IBytes(free), humanize.IBytes(floor), syscall.ENOSPC)
	}
	return nil
}

// refusals are the system errors which mean that the disk, not the archive, is at fault.
var refusals = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG, syscall.EIO, syscall.EACCES, syscall.EPERM,
}

// diskError marks err as ErrDisk if one of the refusals caused it.
func diskError(err error) error { return mark(err, ErrDisk, refusals) }

// mark wraps err so that the result also matches another error (as), provided that one of
// the system errors in causes caused err. mark also searches the text of err, because
// Badger drops the wrapped error and keeps only its text.
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
