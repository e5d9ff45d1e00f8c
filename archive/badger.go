package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// badgerOptions returns options that keep memory use low, as measured over 1,000,000
// evaluations. Values of more than 64 bytes are stored in the value log, which is
// append-only: the LSM tree holds keys and pointers, grows by a few megabytes a night, and
// is rarely compacted. Most of Badger's memory use comes from compaction: tens of megabytes
// even for little data, and more if tables are compressed. Level 0 is therefore allowed to
// grow, and compression is off. A compaction builds up to a dozen tables at once, each in a
// buffer of twice its size, so tables are kept small at every level. Every transaction is
// synced: once write returns, the data is on disk. Throughput comes from grouping many
// evaluations into one transaction.
func badgerOptions(dir string, log *quietLog) badger.Options {
	opts := badger.DefaultOptions(dir).
		WithLogger(log).
		WithMetricsEnabled(false).
		WithSyncWrites(true).
		WithDetectConflicts(false). // the archive serialises writers
		WithMemTableSize(4 << 20).
		WithNumMemtables(2).
		WithBaseTableSize(1 << 20).
		WithNumCompactors(2).
		WithNumGoroutines(1).
		WithNumLevelZeroTables(16).
		WithNumLevelZeroTablesStall(32).
		WithValueThreshold(64).
		WithValueLogFileSize(32 << 20).
		WithVerifyValueChecksum(true).
		WithCompression(options.None).
		WithBlockCacheSize(4 << 20).
		WithChecksumVerificationMode(options.OnBlockRead)
	opts.TableSizeMultiplier = 1 // Badger has no setter for this option
	return opts
}

// releaseEvery is the number of bytes written or scanned between two releases of mapped
// pages.
const releaseEvery = 4 << 20

// disk is the engine backed by Badger.
type disk struct {
	db  *badger.DB
	dir string
	// folder identifies the folder at dir as it was when the store was opened.
	folder fs.FileInfo
	log    *quietLog
	// written is the version of the last batch that is on disk. The store manages versions
	// itself (Badger's managed mode), because otherwise every read would wait for the batch
	// that is being synced.
	written atomic.Uint64
	// writing allows one writer at a time.
	writing sync.Mutex
	// broken is the error of the first write that failed. No write may follow it, because
	// Badger would end the process.
	broken atomic.Pointer[error]
	// unreleased is the number of bytes written and scanned since pages were last released.
	unreleased atomic.Int64
	// faulted is set when a page could not be read. Badger then holds a lock for ever, so
	// the store cannot be closed.
	faulted atomic.Bool
}

// errUnclosed means that the last writer did not close the store. Opening the store once
// for writing repairs it.
var errUnclosed = errors.New("the store was not closed")

// forkTries and forkPause limit the retries while Badger's own lock is held. The process
// that opens the store already holds the archive's lock, so Badger's lock can be held only
// by a duplicate of a closed descriptor, in a process that was forked while the store was
// open and has not called exec yet.
const (
	forkTries = 200
	forkPause = 10 * time.Millisecond
)

// openDisk opens the store in dir. No other process may have it open for writing; when
// writable is true, no other process may have it open at all.
func openDisk(dir string, writable bool) (*disk, error) {
	files, err := listStore(dir)
	if err != nil {
		return nil, storeError(err)
	}
	empty, err := emptyLogs(dir, files)
	if err != nil {
		return nil, storeError(err)
	}
	if !writable && len(files.mems)+len(empty) > 0 {
		return nil, errUnclosed // Badger would detect this too, but leak its goroutines
	}
	check := storeCheck{dir: dir, listed: !writable}
	if err := check.run(); err != nil {
		return nil, storeError(err)
	}
	check.list()
	if writable {
		clearChecked(dir)
		if err := checkSpace(dir, writeFloor); err != nil {
			return nil, err
		}
		for _, log := range empty {
			if err := os.Remove(log); err != nil {
				return nil, diskError(err)
			}
		}
	}
	if err := checkDescriptors(dir, files.count()); err != nil {
		return nil, err
	}
	log := &quietLog{}
	opts := badgerOptions(dir, log).WithReadOnly(!writable)
	db, err := openBadger(opts)
	for n := 0; n < forkTries && errors.Is(storeError(err), ErrLocked); n++ {
		systemClock().sleep(forkPause)
		db, err = openBadger(opts)
	}
	if err != nil {
		return nil, storeError(err)
	}
	if trouble := log.first(); trouble != "" {
		return nil, errors.Join(storeError(errors.New(trouble)), db.Close())
	}
	folder, err := os.Stat(dir)
	if err != nil {
		return nil, errors.Join(diskError(err), db.Close())
	}
	d := &disk{db: db, dir: dir, folder: folder, log: log}
	d.written.Store(db.MaxVersion())
	return d, nil
}

// emptyLogs lists the newest write-ahead log, if it is empty, and all empty value logs. A
// crash between the creation of a log and its first write leaves such a file, and so does a
// crash between the two steps in which Badger removes a value log, because it first
// truncates the file to zero bytes. Badger refuses to open a store with such a file. If a
// log has lost values, [checkStore] detects that they are missing.
func emptyLogs(dir string, files storeFiles) ([]string, error) {
	var found []string
	for _, log := range slices.Concat(files.mems[max(0, len(files.mems)-1):], files.values) {
		info, err := os.Stat(filepath.Join(dir, log))
		if err != nil {
			return nil, fmt.Errorf("look for empty logs: %w", err)
		}
		if info.Size() == 0 {
			found = append(found, filepath.Join(dir, log))
		}
	}
	return found, nil
}

// openBadger opens a store. If a corrupt file makes Badger panic, it turns the panic into
// an error.
func openBadger(opts badger.Options) (db *badger.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrCorrupt, r)
		}
	}()
	return badger.OpenManaged(opts)
}

// storeError classifies a failure of Badger. The result wraps ErrDisk, or reports a
// shortage of resources, if the system refused an operation; it wraps ErrLocked if another
// process has the store open. A cancelled context and a closed store are returned as they
// are, and any other failure wraps ErrCorrupt.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	marked := diskError(err)
	switch {
	case isResourceError(err):
		return resourceError(err)
	case errors.Is(marked, ErrDisk) || errors.Is(err, ErrCorrupt):
		return marked
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, badger.ErrDBClosed):
		return err
	case strings.Contains(err.Error(), "Cannot acquire directory lock"):
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// view calls read with a snapshot that contains every batch up to the last one on disk.
func (d *disk) view(read func(*badger.Txn) error) (err error) {
	defer d.guardPages(&err)()
	txn := d.db.NewTransactionAt(d.written.Load(), false)
	defer txn.Discard()
	return read(txn)
}

// unread returns an error that wraps ErrCorrupt if Badger could not read the value of an
// item. Badger only logs such a failure and returns an empty value.
func unread(item *badger.Item, value []byte) error {
	if len(value) == 0 && item.ValueSize() > 0 {
		return fmt.Errorf("%w: the %d-byte value of a record cannot be read", ErrCorrupt, item.ValueSize())
	}
	return nil
}

func (d *disk) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.db.IsClosed() {
		return nil, errClosed
	}
	values := make([][]byte, len(keys))
	err := d.view(func(txn *badger.Txn) error {
		for i, k := range keys {
			item, err := txn.Get(k)
			if errors.Is(err, badger.ErrKeyNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if values[i], err = item.ValueCopy(nil); err == nil {
				err = unread(item, values[i])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return values, storeError(err)
}

func (d *disk) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	if d.db.IsClosed() {
		return errClosed
	}
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	visited := error(nil)
	err := d.view(func(txn *badger.Txn) error {
		opts := badger.DefaultIteratorOptions
		opts.Prefix = prefix
		// Prefetching would start a goroutine for each value.
		opts.PrefetchValues = false
		it := txn.NewIterator(opts)
		defer it.Close()
		for it.Seek(from); it.Valid(); it.Next() {
			if err := ctx.Err(); err != nil {
				return err
			}
			item := it.Item()
			err := item.Value(func(value []byte) error {
				if err := unread(item, value); err != nil {
					return err
				}
				visited = visit(item.Key(), value)
				d.touched(len(value))
				return nil
			})
			if err != nil || visited != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case errors.Is(visited, errStop):
		return nil
	case visited != nil:
		return visited
	}
	return storeError(err)
}

// dump visits all pairs with one iterator, which reads a consistent snapshot.
func (d *disk) dump(ctx context.Context, visit func(key, value []byte) error) error {
	return d.scan(ctx, nil, nil, visit)
}

func (d *disk) write(b *batch) error {
	if d.db.IsClosed() {
		return errClosed
	}
	if broken := d.broken.Load(); broken != nil {
		return fmt.Errorf("an earlier write failed: %w", *broken)
	}
	if err := errors.Join(d.inPlace(), checkSpace(d.dir, writeFloor)); err != nil {
		return err
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	version := d.written.Load() + 1
	txn := d.db.NewTransactionAt(version, true)
	defer txn.Discard()
	for _, p := range b.pairs {
		if err := txn.SetEntry(badger.NewEntry(p.key, p.value)); err != nil {
			return fmt.Errorf("write a batch of %d bytes: %w", b.size, err)
		}
	}
	err := diskError(txn.CommitAt(version, nil))
	if trouble := d.log.first(); err == nil && trouble != "" {
		err = storeError(errors.New(trouble))
	}
	if err != nil {
		d.broken.CompareAndSwap(nil, &err)
		return err
	}
	d.written.Store(version)
	// Older versions of a record are never read, so Badger may discard them.
	d.db.SetDiscardTs(version - 1)
	d.touched(b.size)
	return nil
}

// inPlace fails with ErrRemoved if the store's folder is not the one that was opened.
// Writes would then go to unlinked files.
func (d *disk) inPlace() error {
	now, err := os.Stat(d.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, d.folder) {
		return fmt.Errorf("%w: %w: %s", ErrDisk, ErrRemoved, d.dir)
	}
	return diskError(err)
}

// touched counts bytes that were written or scanned, and releases mapped pages every
// releaseEvery bytes.
func (d *disk) touched(bytes int) {
	if d.unreleased.Add(int64(bytes)) >= releaseEvery {
		d.unreleased.Store(0)
		releasePages(d.dir)
	}
}

// verify reads every table and log again and checks the checksums.
func (d *disk) verify() error {
	_, err := checkStore(d.dir, !d.db.Opts().ReadOnly)
	return storeError(err)
}

func (d *disk) close() error {
	if d.db.IsClosed() {
		return nil
	}
	if d.faulted.Load() {
		return fmt.Errorf("the archive was not closed: %w", errFault)
	}
	if !d.db.Opts().ReadOnly {
		// Without the folder, or without space for its last tables, Badger would wait for
		// ever in Close. Badger's log contains all acknowledged data, and the next open
		// reads the log, as after a crash.
		if err := errors.Join(d.inPlace(), checkSpace(d.dir, closeFloor)); err != nil {
			return fmt.Errorf("the archive was not closed: %w", err)
		}
	}
	return diskError(d.db.Close())
}

// quietLog keeps the first error that Badger logs, because some errors are only logged,
// and drops the rest.
type quietLog struct {
	mu      sync.Mutex
	trouble string
}

func (l *quietLog) Errorf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trouble == "" {
		l.trouble = strings.TrimSpace(fmt.Sprintf(format, args...))
	}
}

func (*quietLog) Warningf(string, ...any) {}
func (*quietLog) Infof(string, ...any)    {}
func (*quietLog) Debugf(string, ...any)   {}

func (l *quietLog) first() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
}
