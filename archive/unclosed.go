package archive

import (
	"context"
	"errors"
	"math"
)

// unclosed is the read-only engine of a store that was not closed, on a disk that cannot
// be written to. Badger has to write before it reads such a store. This engine reads the
// records of the complete transactions from the files as they are. It changes nothing.
type unclosed struct {
	*salvaged
	dir string
	// refused is the error that prevented the recovery of the store.
	refused error
	// lock is the archive's lock, which close releases; it may be nil.
	lock *archiveLock
}

// openUnclosed checks the files of the store in dir, then reads its records.
func openUnclosed(dir string, refused error, lock *archiveLock) (*unclosed, error) {
	committed, err := checkStore(dir, false)
	if err != nil {
		return nil, storeError(err)
	}
	s, err := salvage(context.Background(), dir, committed)
	if err != nil {
		return nil, storeError(err)
	}
	return &unclosed{s, dir, refused, lock}, nil
}

func (u *unclosed) write(*batch) error { return ErrReadOnly }

func (u *unclosed) verify() error {
	_, err := checkStore(u.dir, false)
	return storeError(err)
}

// refusal returns the error that prevented the recovery of the store.
func (u *unclosed) refusal() error { return u.refused }

func (u *unclosed) close() error {
	err := u.salvaged.close()
	if u.lock != nil {
		err = errors.Join(err, u.lock.release())
	}
	return err
}

// anyVersion is the version limit of a salvage that reads all versions, including those of
// transactions that were never completed.
const anyVersion = math.MaxUint64
