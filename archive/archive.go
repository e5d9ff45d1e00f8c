package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"
)

// Errors that callers distinguish with errors.Is.
var (
	ErrNotFound = errors.New("not in the archive")
	// ErrLocked is wrapped by *LockedError.
	ErrLocked   = errors.New("the archive is held by another process")
	ErrNewer    = errors.New("the archive was written by a newer version of evolve")
	ErrCorrupt  = errors.New("the archive is damaged")
	ErrReadOnly = errors.New("the archive is open for reading only")
	// ErrAmbiguous means that a prefix matches more than one record.
	ErrAmbiguous = errors.New("ambiguous")
	// ErrDisk wraps the error of the operating system when it refuses a write, for example
	// because of a full or read-only disk, a quota, or missing permission.
	ErrDisk = errors.New("the disk operation failed")
	// ErrRemoved means that the folder was removed or replaced while the archive was open.
	// An error that wraps it wraps ErrDisk too.
	ErrRemoved = errors.New("the archive's folder was removed while it was open")
)

var errClosed = errors.New("the archive is closed")

// Archive is a typed store on top of an ordered key-value engine. The engine is Badger on
// disk, memory in tests or, for a reader while another process is writing, a connection to
// the socket of that process. An Archive is safe for concurrent use.
type Archive struct {
	store    engine
	dir      string // "" in memory
	packer   *packer
	writer   *committer   // nil if the archive is open only for reading
	shutdown func() error // stops serving readers; nil if none are served
	release  func() error // releases the lock; nil if there is none

	// write serialises every read-modify-write operation except those for evaluations.
	write sync.Mutex
	// naming is guarded by write.
	naming naming
	// id is the archive's id, witness reports whether the head of its ledger is also stored
	// in a file, witnessErr is the error of the last attempt to write that file, and notary
	// is notified of each new head. All are guarded by write.
	id         string
	witness    bool
	witnessErr error
	notary     Notary
	now        func() time.Time
}

// OpenMemory returns an empty archive in memory.
func OpenMemory() *Archive {
	a, err := newArchive(newMemory(), true, "")
	if err != nil {
		panic(err) // impossible: the compressor's options are constants and are tested
	}
	return a
}

// newArchive builds the typed store on an engine and checks the schema. A backup is written
// to dir before a migration.
func newArchive(store engine, writable bool, dir string) (*Archive, error) {
	return migratedArchive(store, writable, dir, migrations)
}

// migratedArchive does what newArchive does, with the given migrations from older schemas
// to this one.
func migratedArchive(store engine, writable bool, dir string, steps map[uint64]migration) (*Archive, error) {
	ctx := context.Background()
	backup := func(version uint64) error { return backupFile(ctx, store, dir, version) }
	if err := prepare(ctx, store, writable, steps, backup); err != nil {
		return nil, err
	}
	p, err := newPacker()
	if err != nil {
		return nil, err
	}
	a := &Archive{now: systemClock().now, store: store, dir: dir, packer: p, naming: naming{queued: map[string]bool{}, last: map[string]int{}}}
	if writable {
		a.writer = newCommitter(store)
	}
	return a, nil
}

// Close flushes pending writes and releases all resources. The error it returns includes
// the first failure of a Record that no Flush has returned yet.
func (a *Archive) Close() error {
	var err error
	if a.writer != nil {
		err = a.writer.close()
	}
	if a.shutdown != nil {
		err = errors.Join(err, a.shutdown())
	}
	a.packer.close()
	err = errors.Join(err, a.store.close())
	if a.release != nil {
		err = errors.Join(err, a.release())
	}
	return errors.Join(err, a.witnessErr)
}

// change runs one read-modify-write operation: fill reads the store and fills the batch,
// which is then written in one transaction.
func (a *Archive) change(ctx context.Context, doing string, fill func(*batch) error) error {
	if a.writer == nil {
		return fmt.Errorf("%s: %w", doing, ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.write.Lock()
	defer a.write.Unlock()
	var b batch
	if err := fill(&b); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if len(b.pairs) == 0 {
		return nil
	}
	if err := a.store.write(&b); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	a.updateWitness(b.head)
	return nil
}

// putDocument adds a document to a batch.
func putDocument(b *batch, k key, v any) error {
	data, err := encodeDocument(v)
	if err != nil {
		return err
	}
	b.put(k, data)
	return nil
}

// document loads the document stored under a key, or returns ErrNotFound if there is none.
func document[T any](ctx context.Context, a *Archive, k key) (T, error) {
	var v T
	data, err := getOne(ctx, a.store, k)
	if err != nil {
		return v, err
	}
	return v, decodeDocument(data, &v)
}

// named loads a document as document does, but its error names the record.
func named[T any](ctx context.Context, a *Archive, k key, format string, args ...any) (T, error) {
	v, err := document[T](ctx, a, k)
	if err != nil {
		err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
	}
	return v, err
}

// numbered loads a document by its id, for example "P12" or "p12" if letter is 'P'. It also
// returns the number in the id.
func numbered[T any](ctx context.Context, a *Archive, what, id string, letter byte, table byte) (v T, n uint64, err error) {
	n, ok := parseID(letter, id)
	if !ok {
		return v, 0, fmt.Errorf("%s %q: %w", what, id, ErrNotFound)
	}
	v, err = named[T](ctx, a, newKey(table).number(n), "%s %q", what, id)
	return v, n, err
}

// parseID parses an id such as "R12" or "r12" for the letter 'R'.
func parseID(letter byte, id string) (uint64, bool) {
	if len(id) < 2 || (id[0] != letter && id[0] != letter+'a'-'A') || id[1] < '1' || id[1] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(id[1:], 10, 63)
	return n, err == nil
}

// number loads a counter or an index entry, or returns 0 if it is missing.
func (a *Archive) number(ctx context.Context, k key) (uint64, error) {
	values, err := a.store.get(ctx, k)
	if err != nil || values[0] == nil {
		return 0, err
	}
	return decodeNumber(values[0])
}

// sequence yields the decoded pairs whose keys begin with prefix, starting at the key from.
func sequence[T any](ctx context.Context, a *Archive, doing string, prefix, from key,
	decode func(k, value []byte) (T, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := a.store.scan(ctx, prefix, from, func(k, value []byte) error {
			v, err := decode(k, value)
			if err != nil {
				return err
			}
			if !yield(v, nil) {
				return errStop
			}
			return nil
		})
		if err != nil {
			var none T
			yield(none, fmt.Errorf("%s: %w", doing, err))
		}
	}
}

// documents yields the documents whose keys begin with prefix, starting at the key from.
func documents[T any](ctx context.Context, a *Archive, doing string, prefix, from key) iter.Seq2[T, error] {
	return sequence(ctx, a, doing, prefix, from, func(_, value []byte) (T, error) {
		var v T
		return v, decodeDocument(value, &v)
	})
}
