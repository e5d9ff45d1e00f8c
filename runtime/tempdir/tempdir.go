// Package tempdir creates temporary folders that do not outlive their processes for long:
// the next process that creates a folder removes the folders of processes that were
// killed.
package tempdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gofrs/flock"
)

// Names in the system's folder for temporary files: the prefix of the folder that is
// created for each [Folder] and, inside that folder, the lock, which the process holds as
// long as it lives, and the folder for the content.
const (
	prefix      = "evolve-tmp-"
	lockName    = "lock"
	contentName = "content"
)

// Folder is a temporary folder of this process.
type Folder struct {
	// Path is the folder's absolute path. The folder is initially empty, and only its user
	// can read it.
	Path string
	top  string
	lock *flock.Flock
}

// Make creates a folder in the system's folder for temporary files, and removes the folders
// of processes that were killed. The purpose, a word of the letters a to z, is part of the
// name.
func Make(purpose string) (*Folder, error) {
	parent, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	clearDead(parent)
	for {
		top, err := os.MkdirTemp(parent, prefix+purpose+"-")
		if err != nil {
			return nil, err
		}
		lock, err := hold(top)
		if errors.Is(err, fs.ErrNotExist) || err == nil && lock == nil {
			continue // another process has just removed the folder, which had no lock yet
		}
		f := &Folder{filepath.Join(top, contentName), top, lock}
		if err == nil {
			err = os.Mkdir(f.Path, 0o700)
		}
		if err != nil {
			return nil, errors.Join(err, f.Remove())
		}
		return f, nil
	}
}

// Remove removes the folder with its content. It holds the lock until the end, so no other
// process removes the folder at the same time.
func (f *Folder) Remove() error {
	err := os.RemoveAll(f.top)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Unlock())
	}
	return err
}

// hold takes the lock of a new folder. It returns nil if another process holds the lock or
// has removed it.
func hold(top string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(top, lockName))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, err
	}
	held, err := lock.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Stat(lock.Path()); err == nil && os.SameFile(held, named) {
			return lock, nil
		}
	}
	return nil, errors.Join(err, lock.Unlock())
}

// made matches the names of folders created by Make.
var made = regexp.MustCompile(`^` + prefix + `[a-z]+-[0-9]+$`)

// clearDead removes the folders of this user whose processes have ended. Errors are
// ignored, because a folder that cannot be removed does no harm.
func clearDead(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if made.MatchString(e.Name()) {
			clearIfDead(filepath.Join(parent, e.Name()))
		}
	}
}

func clearIfDead(top string) {
	if info, err := os.Lstat(top); err != nil || !info.IsDir() || !owned(info) {
		return
	}
	path := filepath.Join(top, lockName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(top) // the folder was only just created, or is about to disappear
	}
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY)) // opened read-only, so that this does not create the lock again if its process has just removed it
	if ok, err := lock.TryLock(); err != nil || !ok {
		return
	}
	_ = os.RemoveAll(top)
	_ = lock.Unlock()
}
