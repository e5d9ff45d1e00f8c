package gotest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// freshTime is how long Go leaves the time of a used file in its cache alone, less a
// margin. It then sets it anew, which would copy the file into a candidate's layer.
const freshTime = 40 * time.Minute

// maxCache is how much the build cache may hold, in bytes, before it begins anew.
const maxCache = 8 << 30

// freshen sets the times of the build cache's files once in a while, in place of Go,
// and empties a cache that has grown too large.
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
	if total == 0 || total > maxCache { // what is known of bases goes too, so that the next one fills it
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
