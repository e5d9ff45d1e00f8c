package gotest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// freshTime is the time for which Go does not update the time of a used file in its
// cache, less a margin. After it, Go sets the time, which would copy the file into a
// candidate's layer.
const freshTime = 40 * time.Minute

// maxCache is the largest size of the build cache in bytes; a larger one is emptied.
const maxCache = 8 << 30

// freshen updates the times of the build cache's files from time to time, in place of
// Go, and empties a cache that has grown too large.
func (l *Lab) freshen() error {
	now, mark := l.Now(), filepath.Join(l.Cache, "fresh")
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()) < freshTime {
		return nil
	}
	var total int64
	err := filepath.WalkDir(l.buildCache(), func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		return os.Chtimes(name, now, now)
	})
	if err != nil {
		return err
	}
	if total == 0 || total > maxCache { // remove the facts of bases as well, so that the next run fills it
		if err := errors.Join(os.RemoveAll(l.buildCache()), os.RemoveAll(filepath.Join(l.Cache, "facts"))); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(l.buildCache(), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	return os.Chtimes(mark, now, now)
}
