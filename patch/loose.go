package patch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// put adds an object to those that flush will write, and returns the object's hash.
func (s *store) put(kind plumbing.ObjectType, data []byte) plumbing.Hash {
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, _ = o.Write(data) // it cannot fail
	return s.add(o)
}

func (s *store) add(o *plumbing.MemoryObject) plumbing.Hash {
	h := o.Hash()
	if _, twice := s.added[h]; !twice {
		s.added[h] = o
		s.order = append(s.order, h)
	}
	return h
}

// flush writes the added objects as loose objects, in the same way as native git: under a
// temporary name that git's cleanup recognizes, synced, read-only, then renamed, children
// before parents. All objects are synced concurrently, so there is only one wait for the
// disk. flush rewrites an object that already exists, which renews the object's age, so
// that a concurrent prune by native git keeps it.
func (s *store) flush() (err error) {
	temps := make([]*os.File, 0, len(s.order))
	defer func() {
		for _, f := range temps {
			if f != nil {
				err = errors.Join(err, f.Close(), os.Remove(f.Name()))
			}
		}
	}()
	for _, h := range s.order {
		f, err := os.CreateTemp(s.dirs[0], "tmp_obj_")
		if err != nil {
			return fmt.Errorf("writing an object: %w", err)
		}
		temps = append(temps, f)
		if err := encode(f, s.added[h]); err != nil {
			return fmt.Errorf("writing the object %s: %w", h, err)
		}
	}
	if err := syncAll(temps); err != nil {
		return fmt.Errorf("syncing the objects: %w", err)
	}
	for i, h := range s.order {
		path := loosePath(s.dirs[0], h)
		if err := makeDirs(s.dirs[0], filepath.Dir(path)); err != nil {
			return fmt.Errorf("writing the object %s: %w", h, err)
		}
		if err := errors.Join(temps[i].Chmod(0o444), os.Rename(temps[i].Name(), path)); err != nil {
			return fmt.Errorf("writing the object %s: %w", h, err)
		}
		closing := temps[i].Close()
		temps[i] = nil
		if closing != nil {
			return fmt.Errorf("writing the object %s: %w", h, closing)
		}
	}
	s.added, s.order = map[plumbing.Hash]*plumbing.MemoryObject{}, nil
	return nil
}

func encode(f *os.File, o *plumbing.MemoryObject) error {
	r, err := o.Reader()
	if err != nil {
		return err
	}
	w := objfile.NewWriter(f)
	if err := w.WriteHeader(o.Type(), o.Size()); err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// syncAll syncs files concurrently, because the file system then combines the syncs into
// nearly one transaction.
func syncAll(files []*os.File) error {
	errs := make([]error, len(files))
	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i, f := range files {
		slots <- struct{}{}
		all.Go(func() {
			errs[i] = f.Sync()
			<-slots
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// makeDirs creates a folder below root, with its parents. New folders get the permissions
// of root, so that a repository shared by a group stays writable for the group.
func makeDirs(root, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return err
	}
	at := root
	for _, part := range splitPath(filepath.ToSlash(rel)) {
		at = filepath.Join(at, part)
		err := os.Mkdir(at, 0o777)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.Chmod(at, info.Mode()&(os.ModePerm|os.ModeSetgid)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err // if the folder is gone again, its next use returns an error
		}
	}
	return nil
}
