package gotest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// freshTime is the time after a timestamp update during which Go does not update the
// timestamp of a cached file when using it, minus a margin. After that time Go updates the
// timestamp, which would copy the file into the candidate's layer.
const freshTime = 40 * time.Minute

// maxCache is the maximum size of the build cache in bytes; a larger cache is emptied.
const maxCache = 8 << 30

// freshen updates the timestamps of the files in the build cache at intervals, so that Go
// does not update them, and empties a cache that has grown too large.
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
	if total == 0 || total > maxCache { // also remove the facts of all bases, so that the next run fills the cache again
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
