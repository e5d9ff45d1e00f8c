package archive

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// dataEnd returns the offset at which the last data in a file of the given size ends; the
// rest of the file is a hole and reads as zeros. It returns the size if the file system
// does not report holes.
func dataEnd(f *os.File, size int64) int64 {
	end := int64(0)
	for at := int64(0); at < size; {
		data, err := unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return end
		}
		if err != nil || data < at {
			return size
		}
		if at, err = unix.Seek(int(f.Fd()), data, unix.SEEK_HOLE); err != nil || at <= data {
			return size
		}
		end = min(at, size)
	}
	return end
}
