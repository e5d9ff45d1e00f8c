package archive

import (
	"errors"
	"io/fs"
	"os"
)

// Leftover returns the folder in which an import, a restore or a repair was building an
// archive for dir when it was killed. It returns "" if there is no such folder or the
// process is still at work. The next Open of the archive removes the folder.
func Leftover(dir string) (string, error) {
	folder := dir + buildingSuffix
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return "", nil
	}
	if err != nil {
		return "", diskError(err)
	}
	lock := newLock(folder)
	if _, err := os.Lstat(lock.path); errors.Is(err, fs.ErrNotExist) {
		return folder, nil
	}
	free, err := lock.file.TryRLock()
	if err != nil || !free {
		return "", diskError(err)
	}
	return folder, diskError(lock.release())
}

// clearLeftover removes the folder that Leftover returns. A folder that cannot be removed
// does no harm.
func clearLeftover(dir string) {
	folder, err := Leftover(dir)
	if folder == "" || err != nil {
		return
	}
	lock := newLock(folder)
	if ok, err := lock.file.TryLock(); err != nil || !ok {
		return
	}
	_ = os.RemoveAll(folder)
	_ = lock.release()
}
