package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SpoolFolder is the folder in .evolve for turns that ended while another process held the
// archive, one turn per file. The next process that opens the archive for writing stores
// these turns in it; links in the folder are not followed, but renamed.
const SpoolFolder = "turns"

// LoweredFolder is the folder in .evolve for levels of autonomy that people lowered while
// another process held the archive. The lowered levels apply at once. The next process that
// opens the archive for writing records them in it; links in the folder are not followed,
// but renamed.
const LoweredFolder = "lowered"

// LinkedStateError reports that a folder or file below .evolve is a link, so files written
// to it would end up elsewhere.
type LinkedStateError struct {
	// Path is relative to the workspace.
	Path string
}

func (e *LinkedStateError) Error() string { return e.Path + " is a link to another location" }

// CheckState returns a [LinkedStateError] if a symbolic link takes the place of one of
// evolve's own folders or files, either in .evolve or directly in one of its folders
// other than the spools. .evolve itself may be a link. Deeper folders need no check,
// because they are created anew for each use.
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

// folderEntries lists the entries of a folder, unsorted. It returns no entries if the
// folder does not exist or this process may not read it.
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
