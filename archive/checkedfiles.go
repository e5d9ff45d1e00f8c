package archive

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"evolve/runtime/wholefile"
)

// checkedName is the name of a file in a store's folder that lists the store's files as
// they were when they were last read in full. A process that only reads does not read a
// file again if its stamp is unchanged, because reading all files would take longer with
// each night. A stamp does not show whether the disk itself has lost data, so every open
// for writing, check, backup and repair reads all files. In the meantime, Badger checks the
// checksums of the blocks that it reads.
const checkedName = "CHECKED"

// checkedPart is the name pattern of lists that are still being written.
const checkedPart = checkedName + "-*"

// checkedFile records the stamp of a table or a value log, and what was found in the file
// when it was read in full.
type checkedFile struct {
	Stamp stamp `json:"stamp"`
	// Version is the highest version of any entry in the file.
	Version uint64 `json:"version,omitempty"`
	// Points holds, for each value log, the end of the last value that this table points
	// to.
	Points extents `json:"points,omitempty"`
	// End is the offset after the last entry of a value log.
	End int64 `json:"end,omitempty"`
}

// checkedFiles maps the names of files that were read in full to what was found in them.
type checkedFiles map[string]checkedFile

// stamp identifies the content of a file: its size, the times of its last change in
// nanoseconds, and its inode.
type stamp struct {
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Changed  int64  `json:"changed"`
	Inode    uint64 `json:"inode"`
}

// settled is the minimum time that must have passed since the last change to a file for the
// file to be listed. A second change within one tick of the file system's clock would not
// alter the file's times, and so would go undetected.
const settled = 100 * time.Millisecond

// mostChecked is the maximum size of the list, in bytes. A list of 100,000 files is
// smaller.
const mostChecked = 32 << 20

// readChecked returns the list in a store's folder, or nil if the list is missing or cannot
// be read.
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

// store writes the list, limited to the files whose last change is old enough at the
// given time (now). Errors are ignored, and the list is not synced: if it is missing, or
// truncated by a power failure, the files are read in full again.
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
