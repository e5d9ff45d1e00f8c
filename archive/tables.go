package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
)

// withTable opens a table and calls the function use with it. If a garbled table makes
// Badger panic, it returns an error.
func withTable(name string, use func(*table.Table) error) (err error) {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errNoTable
	}
	file, err := z.OpenMmapFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(-1)) }()
	defer guard(&err, errors.New("is truncated or garbled"))()
	t, err := table.OpenTable(file, tableOptions())
	if err != nil {
		return err
	}
	return use(t)
}

func tableOptions() table.Options {
	return table.Options{ReadOnly: true, BlockSize: 4 << 10, Compression: options.None, ChkMode: options.OnBlockRead}
}

// errNoTable means that a table's file is empty: a crash during a compaction leaves such
// a file, and Badger removes or refuses it.
var errNoTable = errors.New("is empty")

// guard turns a panic into an error: errFault for a mapped page that the disk cannot read,
// and garbled for any other panic. It makes a fault on an unreadable page panic in the
// goroutine instead of ending the process. The function that it returns must be deferred.
func guard(err *error, garbled error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		switch recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			*err = errFault
		default:
			*err = garbled
		}
	}
}

// errFault means that a mapped page cannot be read.
var errFault = fmt.Errorf("%w: reading a mapped page: %w", ErrDisk, syscall.EIO)

// guardPages is like guard, but turns only a fault on a mapped page into an error, and
// records it in faulted. Other panics continue.
func (d *disk) guardPages(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		r := recover()
		if _, ok := r.(interface{ Addr() uintptr }); ok {
			d.faulted.Store(true)
			*err = errFault
		} else if r != nil {
			panic(r)
		}
	}
}

// walkTable visits every entry of a table with its version. Key and value are valid only
// during the visit. It fails at the first block that cannot be read.
func walkTable(t *table.Table, visit func(k []byte, version uint64, v y.ValueStruct)) error {
	it := t.NewIterator(table.NOCACHE)
	defer func() { _ = it.Close() }()
	n := uint32(0)
	for it.Rewind(); it.Valid(); it.Next() {
		k := it.Key()
		visit(y.ParseKey(k), y.ParseTs(k), it.Value())
		n++
	}
	// The iterator ends early at a garbled block without reporting an error, so the visited
	// entries are counted.
	if n != t.KeyCount() {
		return fmt.Errorf("the block after the first %d of %d entries cannot be read", n, t.KeyCount())
	}
	return nil
}

// manifest is the list of the tables that belong to the store.
type manifest struct {
	tables map[uint64]badger.TableManifest
	// torn reports whether the list ends with an incomplete entry.
	torn bool
}

// readManifest reads the list of the tables that belong to the store.
func readManifest(dir string) (m manifest, err error) {
	file, err := os.Open(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, &DamageError{manifestName, -1, 0, "is missing"}
	}
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return m, err
	}
	list, end, err := badger.ReplayManifestFile(file, 0, badgerOptions(dir, &quietLog{}))
	if err != nil {
		if marked := diskError(err); errors.Is(marked, ErrDisk) {
			return m, marked
		}
		return m, &DamageError{manifestName, -1, 0, "cannot be read: " + err.Error()}
	}
	return manifest{list.Tables, end < info.Size()}, nil
}

// coveredElsewhere reports whether every record of a table that is not in the manifest is also in
// the logs or in the tables of the manifest: a crash during a flush or a compaction leaves
// such a table, and Badger removes it.
func coveredElsewhere(dir string, m manifest, unnamed string, logged map[string]bool) (bool, error) {
	missing := map[string]uint64{}
	err := withTable(filepath.Join(dir, unnamed), func(t *table.Table) error {
		return walkTable(t, func(k []byte, version uint64, _ y.ValueStruct) {
			if !logged[string(k)] && !bytes.HasPrefix(k, logEndKey[:len("!badger!")]) {
				missing[string(k)] = max(missing[string(k)], version)
			}
		})
	})
	if err != nil && !errors.Is(diskError(err), ErrDisk) {
		// The table was still being written when the process ended, unless the manifest has
		// lost its entry.
		return !m.torn, nil
	}
	if err != nil {
		return false, err
	}
	for id := range m.tables {
		if len(missing) == 0 {
			break
		}
		err := withTable(filepath.Join(dir, filepath.Base(table.NewFilename(id, dir))), func(t *table.Table) error {
			return walkTable(t, func(k []byte, version uint64, _ y.ValueStruct) {
				if v, ok := missing[string(k)]; ok && version >= v {
					delete(missing, string(k))
				}
			})
		})
		if err != nil {
			return false, err
		}
	}
	return len(missing) == 0, nil
}
