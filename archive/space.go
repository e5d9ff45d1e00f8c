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

// diskError marks an error as ErrDisk when the system refused. It also compares texts,
// because Badger drops the wrapped error and keeps its text.
func diskError(err error) error {
	if err == nil || errors.Is(err, ErrDisk) {
		return err
	}
	for _, errno := range refusals {
		if errors.Is(err, errno) {
			return fmt.Errorf("%w: %w", ErrDisk, err)
		}
		if strings.Contains(err.Error(), errno.Error()) {
			return fmt.Errorf("%w: %w (%w)", ErrDisk, err, errno)
		}
	}
	return err
}
