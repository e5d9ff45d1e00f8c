package archive

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"evolve/runtime/wholefile"
)

// checkedName is a file in a store's folder that lists its files as they were when they were
// last read whole. A process that only reads does not read those again whose stamp is the
// same, which would take longer with each night. Every open for writing reads all files, as
// do a check, a backup and a repair: a stamp does not show what a disk loses by itself. Badger
// checks the checksums of what it reads meanwhile.
const checkedName = "CHECKED"

// checkedPart is the pattern of the names of lists that are being written.
const checkedPart = checkedName + "-*"

// checkedFile is what a table or a value log was found to hold.
type checkedFile struct {
	Stamp stamp `json:"stamp"`
	// Version is the highest version of its entries.
	Version uint64 `json:"version,omitempty"`
	// Points are the ends of the values that a table points to, by value log.
	Points extents `json:"points,omitempty"`
	// End is the offset after the last entry of a value log.
	End int64 `json:"end,omitempty"`
}

// checkedFiles are files that were read whole, by name.
type checkedFiles map[string]checkedFile

// stamp identifies the content of a file: its size, the times of its last change in
// nanoseconds, and its inode.
type stamp struct {
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Changed  int64  `json:"changed"`
	Inode    uint64 `json:"inode"`
}

// settled is the minimum age of the last change of a listed file: a second change within
// one tick of the file system's clock leaves its times as they are.
const settled = 100 * time.Millisecond

// mostChecked bounds the size of the list; the names of 100,000 files take less.
const mostChecked = 32 << 20

// readChecked returns the list of a store's folder; nil where there is none that can be read.
func readChecked(root *os.Root) checkedFiles {
	data, err := wholefile.ReadIn(root, checkedName, mostChecked)
	if err != nil {
		return nil
	}
	var list checkedFiles
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// store writes the list of files that changed long enough before now. An error, or a list
// that a power failure cuts short because it is not synced, only costs time later.
func (l checkedFiles) store(dir string, now time.Time) {
	list := checkedFiles{}
	for name, f := range l {
		if f.Stamp != (stamp{}) && now.UnixNano()-f.Stamp.Changed > int64(settled) {
			list[name] = f
		}
	}
	data, err := json.Marshal(list)
	if err != nil || len(list) == 0 {
		return
	}
	file, err := os.CreateTemp(dir, checkedPart)
	if err != nil {
		return
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, checkedName))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
}

// clearChecked removes the lists that killed processes left incomplete.
func clearChecked(dir string) {
	parts, err := filepath.Glob(filepath.Join(dir, checkedPart))
	if err != nil {
		return
	}
	for _, part := range parts {
		_ = os.Remove(part)
	}
}
