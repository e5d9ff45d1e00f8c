package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/dgraph-io/badger/v4/skl"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
)

// unhealed is the read-only engine of a store that was not closed, on a disk that cannot
// be written to. Badger has to write before it reads such a store. This engine reads its
// files as they are: the tables, the complete transactions of the write-ahead logs, and
// the values that these point to. It changes nothing.
type unhealed struct {
	dir string
	// refused is the error for which the store could not be recovered.
	refused error
	root    *os.Root
	tables  []*table.Table
	mapped  []*z.MmapFile
	logged  *skl.Skiplist

	mu     sync.Mutex
	values map[uint32]*os.File
}

// openUnhealed checks the files of the store in dir, then opens it.
func openUnhealed(dir string, refused error) (_ *unhealed, err error) {
	if err := checkStore(dir); err != nil {
		return nil, storeError(err)
	}
	files, err := listStore(dir)
	if err != nil {
		return nil, storeError(err)
	}
	if err := checkDescriptors(dir, files.count()); err != nil {
		return nil, err
	}
	u := &unhealed{dir: dir, refused: refused, values: map[uint32]*os.File{}}
	defer func() {
		if err != nil {
			err = errors.Join(storeError(err), u.close())
		}
	}()
	defer guard(&err, fmt.Errorf("%w: a table is cut or garbled", ErrCorrupt))()
	if u.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	for id := range m.tables {
		file, err := z.OpenMmapFile(table.NewFilename(id, dir), os.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		u.mapped = append(u.mapped, file)
		t, err := table.OpenTable(file, tableOptions())
		if err != nil {
			return nil, err
		}
		u.tables = append(u.tables, t)
	}
	return u, u.replay(files.mems)
}

// replay loads the complete transactions of the write-ahead logs into memory.
func (u *unhealed) replay(mems []string) error {
	var entries []logEntry
	room := int64(2 * skl.MaxNodeSize) // for the head of the list, which ends the process when there is too little
	for i, name := range mems {
		log, err := openLog(u.root, name)
		if err != nil {
			return err
		}
		t := transactions{}
		if log.size > 0 || i < len(mems)-1 {
			t, err = log.readMem(i == len(mems)-1)
		}
		if err := errors.Join(err, log.Close()); err != nil {
			return err
		}
		for _, e := range t.entries {
			room += int64(skl.MaxNodeSize + len(e.key) + 8 + len(e.value) + 32)
		}
		entries = append(entries, t.entries...)
	}
	if room > math.MaxUint32 {
		return fmt.Errorf("%w: its logs take %d bytes", ErrCorrupt, room)
	}
	u.logged = skl.NewSkiplist(room)
	for _, e := range entries {
		u.logged.Put(y.KeyWithTs(e.key, e.version), y.ValueStruct{Meta: e.meta &^ logTxn, Value: e.value})
	}
	return nil
}

// each visits the newest version of every key, starting at from, while visit returns true.
func (u *unhealed) each(from []byte, visit func(k []byte, version uint64, v y.ValueStruct) (bool, error)) error {
	it := u.iterator()
	defer func() { _ = it.Close() }()
	var last []byte
	for it.Seek(y.KeyWithTs(from, math.MaxUint64)); it.Valid(); it.Next() {
		k := y.ParseKey(it.Key())
		if last != nil && bytes.Equal(k, last) || bytes.HasPrefix(k, logEndKey[:len("!badger!")]) {
			continue
		}
		last = append(last[:0], k...)
		v := it.Value()
		if v.Meta&logDelete != 0 {
			continue
		}
		if more, err := visit(last, y.ParseTs(it.Key()), v); err != nil || !more {
			return err
		}
	}
	return nil
}

func (u *unhealed) iterator() y.Iterator {
	all := []y.Iterator{u.logged.NewUniIterator(false)}
	for _, t := range u.tables {
		all = append(all, t.NewIterator(table.NOCACHE))
	}
	return table.NewMergeIterator(all, false)
}

func (u *unhealed) get(ctx context.Context, keys ...[]byte) (values [][]byte, err error) {
	defer guard(&err, fmt.Errorf("%w: a table is cut or garbled", ErrCorrupt))()
	values = make([][]byte, len(keys))
	for i, k := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := u.each(k, func(found []byte, version uint64, v y.ValueStruct) (bool, error) {
			if !bytes.Equal(found, k) {
				return false, nil
			}
			value, err := u.value(found, version, v)
			values[i] = bytes.Clone(value)
			return false, err
		})
		if err != nil {
			return nil, storeError(err)
		}
	}
	return values, nil
}

func (u *unhealed) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) (err error) {
	defer guard(&err, fmt.Errorf("%w: a table is cut or garbled", ErrCorrupt))()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	var visited error
	err = u.each(from, func(k []byte, version uint64, v y.ValueStruct) (bool, error) {
		if !bytes.HasPrefix(k, prefix) {
			return false, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		value, err := u.value(k, version, v)
		if err != nil {
			return false, err
		}
		visited = visit(k, value)
		return visited == nil, nil
	})
	switch {
	case errors.Is(visited, errStop):
		return nil
	case visited != nil:
		return visited
	}
	return storeError(err)
}

// value reads the value of a pointer, and checks its key and checksum.
func (u *unhealed) value(k []byte, version uint64, v y.ValueStruct) ([]byte, error) {
	if v.Meta&logPointer == 0 {
		return v.Value, nil
	}
	p, ok := readPointer(v.Value)
	if !ok {
		return nil, fmt.Errorf("%w: a pointer to a value is garbled", ErrCorrupt)
	}
	name := fmt.Sprintf("%06d.vlog", p.log)
	file, err := u.valueFile(p.log, name)
	if err != nil {
		return nil, err
	}
	data := make([]byte, p.size)
	if _, err := file.ReadAt(data, int64(p.offset)); err != nil {
		return nil, err
	}
	e, _, ok := parseEntry(data, 0)
	if !ok || !bytes.Equal(e.key, k) || e.version != version {
		return nil, &DamageError{name, int64(p.offset), 0, "an entry cannot be read"}
	}
	return e.value, nil
}

func (u *unhealed) valueFile(number uint32, name string) (*os.File, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if file, ok := u.values[number]; ok {
		return file, nil
	}
	file, err := u.root.Open(filepath.Base(name))
	if err == nil {
		u.values[number] = file
	}
	return file, err
}

func (u *unhealed) dump(ctx context.Context, visit func(key, value []byte) error) error {
	return u.scan(ctx, nil, nil, visit)
}

func (u *unhealed) write(*batch) error { return ErrReadOnly }

func (u *unhealed) verify() error { return storeError(checkStore(u.dir)) }

// refusal returns the error for which the store could not be recovered.
func (u *unhealed) refusal() error { return u.refused }

func (u *unhealed) close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	var errs []error
	for _, file := range u.values {
		errs = append(errs, file.Close())
	}
	for _, file := range u.mapped {
		errs = append(errs, file.Close(-1))
	}
	if u.root != nil {
		errs = append(errs, u.root.Close())
	}
	u.values, u.mapped, u.tables, u.root = nil, nil, nil, nil
	return errors.Join(errs...)
}

// sharedUnhealed is an unhealed store with the shared lock.
type sharedUnhealed struct {
	*unhealed
	lock *archiveLock
}

func (s *sharedUnhealed) close() error { return errors.Join(s.unhealed.close(), s.lock.release()) }
