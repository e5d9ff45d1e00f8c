package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// buildingSuffix is the suffix of the folder in which an archive is built, beside the
// archive's final path. The folder holds a lock file and the incomplete archive. Only the
// process that holds the lock changes the folder, so any content found while the lock is
// free was left behind by a killed process.
const buildingSuffix = ".building"

// Building holds the options of Beside; the zero value is the default.
type Building struct {
	// Owner names the builder in the error that another process gets while the build is
	// running.
	Owner string
	// Now is the clock for the lock file; nil means the system's clock.
	Now func() time.Time
	// Aside is the path to which anything that exists at dir is moved. It is in the same
	// file system, and nothing may exist there yet. If Aside is empty, dir must be absent
	// or empty.
	Aside string
	// Verify is called with the built archive, open for writing and checked, before it is
	// moved into place. An error ends the build. Verify may be nil.
	Verify func(ctx context.Context, a *Archive) error

	// Weigh is called by Restore before Verify, with the contents of the backup, whose
	// field Archive is empty if the backup has no id. An error ends the build. Weigh may be
	// nil.
	Weigh func(ctx context.Context, a *Archive, held Contents) error
	// Loses returns a description of the records that are lost when the new archive
	// replaces the old one; it is recorded in the new archive's ledger. Loses is called
	// after Verify and may be nil.
	Loses func() Succession

	// repairs is set by a repair, which itself records in the new ledger how the new
	// archive differs from the old one.
	repairs bool
	// reached is called at each point at which a test may kill the process. steps
	// replaces the migrations in a test.
	reached func(point string)
	steps   map[uint64]migration
}

func (b Building) options() Options { return Options{Owner: b.Owner, Now: b.Now, steps: b.steps} }

// Beside creates an archive at dir. fill creates it in a folder beside dir and closes it;
// Beside then migrates it to the current schema, checks all of it, syncs it and renames it
// to dir. If the process is killed at any moment, dir holds either its earlier content or
// the whole new archive, and the next call removes whatever is left beside dir.
//
// It fails with ErrNotEmpty if dir is not empty and no Aside is given, with a *LockedError
// while another process builds or holds an archive there, and with ErrCorrupt if the built
// archive is not sound.
func Beside(ctx context.Context, dir string, how Building, fill func(ctx context.Context, dir string) error) (err error) {
	how.Now = how.options().clock().now
	if how.reached == nil {
		how.reached = func(string) {}
	}
	if err := checkVacant(dir, how.Aside); err != nil {
		return err
	}
	folder := dir + buildingSuffix
	lock, err := lockBuildFolder(folder, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, diskError(os.RemoveAll(folder)), lock.release()) }()
	built := filepath.Join(folder, "archive")
	if err := errors.Join(os.RemoveAll(built), os.RemoveAll(WitnessFile(built))); err != nil {
		return diskError(err)
	}
	how.reached("begun")
	if err := fill(ctx, built); err != nil {
		return err
	}
	how.reached("filled")
	if err := finish(ctx, built, dir, how); err != nil {
		return err
	}
	if err := syncTree(built); err != nil {
		return diskError(err)
	}
	how.reached("synced")
	err = moveWithWitness(built, dir, func() error {
		if how.Aside == "" {
			return moveInto(built, dir)
		}
		return replace(built, dir, how)
	})
	if err != nil {
		return err
	}
	how.reached("moved")
	return nil
}

// checkVacant returns an error unless an archive may be created at dir.
func checkVacant(dir, aside string) error {
	if aside != "" {
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			return diskError(errors.Join(fmt.Errorf("%w: %s", fs.ErrExist, aside), err))
		}
		return nil
	}
	content, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskError(err)
	}
	if len(content) > 0 {
		return ErrNotEmpty
	}
	return nil
}

// lockBuildFolder creates the build folder and locks it.
func lockBuildFolder(folder string, how Building) (*archiveLock, error) {
	for {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, diskError(err)
		}
		lock := newLock(folder)
		ok, err := lock.file.TryLock()
		if errors.Is(err, fs.ErrNotExist) {
			continue // try again: the previous process has just removed the folder
		}
		if err != nil {
			return nil, diskError(err)
		}
		if !ok {
			return nil, lock.locked(how.options().clock())
		}
		held, err := lock.file.Stat()
		if err == nil {
			var named fs.FileInfo
			if named, err = os.Stat(lock.path); err == nil && os.SameFile(held, named) {
				if err = lock.write(newHolder(how.Owner, how.Now())); err == nil {
					return lock, nil
				}
			}
		}
		if err := errors.Join(diskError(err), lock.release()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// finish opens and checks an archive that was built for dir; opening it migrates it to
// the current schema. finish then records in the ledger of the new archive which archive
// it replaces.
func finish(ctx context.Context, built, dir string, how Building) error {
	a, err := open(built, how.options())
	if err != nil {
		return err
	}
	err = a.Check(ctx)
	if err == nil && how.Verify != nil {
		err = how.Verify(ctx, a)
	}
	if err == nil && !how.repairs {
		err = a.recordSuccession(ctx, dir, how)
	}
	return errors.Join(err, a.Close())
}

// syncTree syncs the files and folders below root to disk.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && !d.Type().IsRegular() {
			return err
		}
		return syncPath(path)
	})
}

// syncPath syncs one file, or the entries of one folder, to disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// moveInto renames a folder to a path at which there is no folder or an empty folder.
func moveInto(from, to string) error {
	if info, err := os.Lstat(to); err == nil && info.IsDir() {
		_ = os.Remove(to) // succeeds only if the folder is empty; otherwise the renaming below fails
	}
	if err := os.Rename(from, to); err != nil {
		if errors.Is(err, fs.ErrExist) { // ENOTEMPTY as well
			return fmt.Errorf("%w: another process has created it in the meantime", ErrNotEmpty)
		}
		return diskError(err)
	}
	return diskError(syncPath(filepath.Dir(to)))
}

// replace moves a built archive to dir, and moves aside whatever exists there. If the
// system can exchange two folders in one step, there is an archive at dir at every moment.
// Otherwise a process that is killed between the two steps leaves no archive at dir, but
// both archives beside it.
func replace(built, dir string, how Building) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return moveInto(built, dir)
	}
	lock := newLock(dir)
	if err := lock.takeForWriting(how.options().clock()); err != nil {
		return err
	}
	err := func() error {
		// The exchange puts the old archive where the new one was. That path must not be
		// the building folder, because Beside removes that folder.
		if err := moveInto(built, how.Aside); err != nil {
			return err
		}
		how.reached("beside")
		err := exchange(how.Aside, dir)
		if errors.Is(err, errors.ErrUnsupported) {
			err = swap(built, dir, how.Aside)
		}
		return errors.Join(diskError(err), diskError(syncPath(filepath.Dir(dir))), diskError(syncPath(filepath.Dir(how.Aside))))
	}()
	return errors.Join(err, lock.release())
}

// swap exchanges dir and aside through spare, an unused path.
func swap(spare, dir, aside string) error {
	if err := os.Rename(aside, spare); err != nil {
		return err
	}
	if err := os.Rename(dir, aside); err != nil {
		return err
	}
	if err := os.Rename(spare, dir); err != nil {
		return errors.Join(err, os.Rename(aside, dir))
	}
	return nil
}
