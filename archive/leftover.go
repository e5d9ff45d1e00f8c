package archive

import (
	"errors"
	"io/fs"
	"os"
)

// Leftover returns the folder in which an import, a restore or a repair that was killed
// was building an archive for dir; "" when there is none, or the process is still at work.
// The next Open of the archive removes it.
func Leftover(dir string) (string, error) {
	room := dir + buildingSuffix
	info, err := os.Lstat(room)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return "", nil
	}
	if err != nil {
		return "", diskError(err)
	}
	lock := newLock(room)
	if _, err := os.Lstat(lock.path); errors.Is(err, fs.ErrNotExist) {
		return room, nil
	}
	free, err := lock.file.TryRLock()
	if err != nil || !free {
		return "", diskError(err)
	}
	return room, diskError(lock.release())
}

// clearLeftover removes the folder that Leftover returns. One that cannot be removed does
// no harm.
func clearLeftover(dir string) {
	room, err := Leftover(dir)
	if room == "" || err != nil {
		return
	}
	lock := newLock(room)
	if ok, err := lock.file.TryLock(); err != nil || !ok {
		return
	}
	_ = os.RemoveAll(room)
	_ = lock.release()
}
