package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// salvaged is an engine over the readable records of a damaged store: the newest readable
// version of each key. Values are read from the store's files on demand.
type salvaged struct {
	root    *os.Root
	records map[string]found
	// keys lists the keys of the records in order; it is nil if a record was added since
	// they were sorted.
	keys []string
	// seen holds, for each key, the newest version that any file names.
	seen map[string]uint64
	// limit is the highest version that the salvage reads.
	limit uint64
	// damage lists the damage found, file by file.
	damage []*DamageError

	mu   sync.Mutex
	logs map[string]*os.File // the open value logs, by name
}

// found locates the value of a record, either in a value log or in the field named value.
type found struct {
	version      uint64
	value        []byte
	name         string
	offset, size int // of the entry in the value log
}

// salvage reads all that is readable in the store in dir, up to a version: the value logs,
// the write-ahead logs and the tables, before and after the damage. It changes nothing.
func salvage(ctx context.Context, dir string, limit uint64) (*salvaged, error) {
	files, err := listStore(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &salvaged{root: root, records: map[string]found{}, seen: map[string]uint64{}, limit: limit, logs: map[string]*os.File{}}
	if err := s.read(ctx, dir, files); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.sort()
	return s, nil
}

func (s *salvaged) read(ctx context.Context, dir string, files storeFiles) error {
	m, err := readManifest(dir)
	if err := s.collectDamage(err); err != nil {
		return err
	}
	c := storeCheck{dir: dir, root: s.root, files: files, manifest: m, points: extents{}, logged: map[string]bool{}, checked: checkedFiles{}}
	if err := s.collectDamage(c.keys()); err != nil {
		return err
	}
	for i, name := range files.mems {
		_, err := c.mem(name, i == len(files.mems)-1)
		if err := s.collectDamage(err); err != nil {
			return err
		}
		if err := s.log(ctx, name); err != nil {
			return err
		}
	}
	for i, name := range files.values {
		_, err := c.valueLog(name, i == len(files.values)-1)
		if err := s.collectDamage(err); err != nil {
			return err
		}
		if err := s.log(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range files.tables {
		if err := s.table(ctx, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	// No single file shows that another one is missing or ends too early, so the files are
	// also checked together.
	if len(s.damage) == 0 {
		_, err := checkStore(dir, false)
		return s.collectDamage(err)
	}
	return nil
}

// collectDamage adds err to the list of damage if it describes damage, and returns any
// other error.
func (s *salvaged) collectDamage(err error) error {
	var damage *DamageError
	if errors.As(err, &damage) {
		s.damage = append(s.damage, damage)
		return nil
	}
	return err
}

// add stores a version of a record when it is the newest so far.
func (s *salvaged) add(k []byte, f found) {
	if f.version > s.limit {
		return
	}
	s.noteVersion(k, f.version)
	if old, ok := s.records[string(k)]; !ok || f.version > old.version {
		s.records[string(k)] = f
	}
}

func (s *salvaged) noteVersion(k []byte, version uint64) {
	s.seen[string(k)] = max(s.seen[string(k)], version)
}

// log reads the entries of a log. A pointer only shows that a value was stored; the value
// itself is in a value log, together with its key.
func (s *salvaged) log(ctx context.Context, name string) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	log, err := openLog(s.root, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	data, err := log.bytes(0)
	if err != nil || len(data) <= logHeader {
		return err
	}
	entries, _ := searchEntries(data, logHeader)
	for _, e := range entries {
		switch {
		case e.meta&logEnd != 0:
		case e.meta&logPointer != 0:
			s.noteVersion(e.key, e.version)
		case filepath.Ext(name) == ".vlog":
			s.add(e.key, found{version: e.version, name: name, offset: e.offset, size: e.size})
		default:
			s.add(e.key, found{version: e.version, value: bytes.Clone(e.value)})
		}
	}
	return nil
}

// table reads the intact blocks of a table.
func (s *salvaged) table(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	lost := 0
	err := withTable(path, func(t *table.Table) error {
		splits := t.KeySplits(math.MaxInt, nil)
		it := t.NewIterator(table.NOCACHE)
		defer func() { _ = it.Close() }()
		for i, from := range splits {
			it.Seek([]byte(from))
			if !it.Valid() {
				lost++
			}
			for ; it.Valid(); it.Next() {
				k := it.Key()
				if i+1 < len(splits) && y.CompareKeys(k, []byte(splits[i+1])) >= 0 {
					break
				}
				v := it.Value()
				key, version := y.ParseKey(k), y.ParseTs(k)
				if v.Meta&logPointer != 0 {
					s.noteVersion(key, version)
				} else if !bytes.HasPrefix(key, logEndKey[:len("!badger!")]) {
					s.add(key, found{version: version, value: bytes.Clone(v.Value)})
				}
			}
		}
		if lost > 0 {
			return fmt.Errorf("%d of %d blocks cannot be read", lost, len(splits))
		}
		return t.VerifyChecksum()
	})
	if err != nil && (errors.Is(diskError(err), ErrDisk) || isResourceError(err)) {
		return err
	}
	if err != nil && !errors.Is(err, errNoTable) {
		s.damage = append(s.damage, &DamageError{filepath.Base(path), -1, 0, err.Error()})
	}
	return nil
}

// value reads the value of a record, and checks its key and checksum again.
func (s *salvaged) value(k string, f found) ([]byte, error) {
	if f.name == "" {
		return f.value, nil
	}
	log, err := s.valueLog(f.name)
	if err != nil {
		return nil, diskError(err)
	}
	data := make([]byte, f.size)
	if _, err := log.ReadAt(data, int64(f.offset)); err != nil {
		return nil, diskError(err)
	}
	e, _, ok := parseEntry(data, 0)
	if !ok || string(e.key) != k || e.version != f.version {
		return nil, &DamageError{f.name, int64(f.offset), 0, "an entry changed while it was being read"}
	}
	return e.value, nil
}

func (s *salvaged) valueLog(name string) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if log, ok := s.logs[name]; ok {
		return log, nil
	}
	log, err := s.root.Open(name)
	if err == nil {
		s.logs[name] = log
	}
	return log, err
}

func (s *salvaged) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values := make([][]byte, len(keys))
	for i, k := range keys {
		f, ok := s.records[string(k)]
		if !ok {
			continue
		}
		var err error
		if values[i], err = s.value(string(k), f); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// sort fills keys with the keys of the records, in order.
func (s *salvaged) sort() { s.keys = slices.Sorted(maps.Keys(s.records)) }

func (s *salvaged) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	if s.keys == nil {
		s.sort()
	}
	start := string(prefix)
	if bytes.Compare(from, prefix) > 0 {
		start = string(from)
	}
	keys := s.keys
	at, _ := slices.BinarySearch(keys, start)
	for _, k := range keys[at:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !bytes.HasPrefix([]byte(k), prefix) {
			return nil
		}
		f, ok := s.records[k]
		if !ok {
			continue // dropped by the visit
		}
		value, err := s.value(k, f)
		if err == nil {
			err = visit([]byte(k), value)
		}
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *salvaged) dump(ctx context.Context, visit func(key, value []byte) error) error {
	return s.scan(ctx, nil, nil, visit)
}

// write replaces records, in memory only.
func (s *salvaged) write(b *batch) error {
	for _, p := range b.pairs {
		s.records[string(p.key)] = found{value: bytes.Clone(p.value)}
	}
	s.keys = nil
	return nil
}

// drop removes a record.
func (s *salvaged) drop(k string) { delete(s.records, k) }

func (s *salvaged) close() error {
	errs := []error{s.root.Close()}
	for _, log := range s.logs {
		errs = append(errs, log.Close())
	}
	return errors.Join(errs...)
}
