package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SpoolFolder is the folder of .evolve with the turns that ended while another process held the
// archive, one in a file. The next process that opens the archive for writing stores them, and
// sets links aside.
const SpoolFolder = "turns"

// LoweredFolder is the folder of .evolve with the levels of autonomy that people lowered while
// another process held the archive. They hold at once; the next process that opens the archive
// for writing records them, and sets links aside.
const LoweredFolder = "lowered"

// LinkedStateError reports that a folder or file below .evolve is a link, so that files
// written there would be elsewhere.
type LinkedStateError struct {
	// Path is relative to the workspace.
	Path string
}

func (e *LinkedStateError) Error() string { return e.Path + " is a link to another place" }

// CheckState returns a [LinkedStateError] if there is a link in place of evolve's folders and
// files: in .evolve or directly in a folder of it, other than the spools. .evolve itself may
// be a link. The folders below are made anew for each use.
func CheckState(root string) error {
	dir := (&Workspace{Root: root}).StateDir()
	entries, err := folderEntries(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		inner := []fs.DirEntry{}
		if e.IsDir() && e.Name() != SpoolFolder && e.Name() != LoweredFolder {
			if inner, err = folderEntries(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
		name := filepath.Join(filepath.Base(dir), e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			return &LinkedStateError{Path: name}
		}
		for _, f := range inner {
			if f.Type()&fs.ModeSymlink != 0 {
				return &LinkedStateError{Path: filepath.Join(name, f.Name())}
			}
		}
	}
	return nil
}

// folderEntries lists a folder without sorting; one that is not there, or that this process
// must not read, is empty.
func folderEntries(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(dir), Reason(err))
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(dir), Reason(err))
	}
	return list, nil
}
