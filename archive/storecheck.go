package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"evolve/runtime/wholefile"
)

// checkStore reads the files of a store before Badger does. It returns the version of the
// last complete transaction, and a *DamageError for the first damaged file. Badger
// truncates a log at the first unreadable byte, ends the process if a table is truncated,
// skips a table with a garbled index after only logging a message, ends a scan early at a
// garbled block, and deletes tables that a truncated manifest does not name. A store
// damaged in any of these ways must not pass for an archive with fewer records.
//
// Reading every file takes some 50 ms for 200,000 evaluations. Only one table, or a part of
// one log, is in memory at a time.
//
// When open is true, Badger has the store open, and only the blocks of the tables are read:
// the logs change meanwhile, and Badger checks the checksum of each value that it reads.
func checkStore(dir string, open bool) (committed uint64, err error) {
	c := storeCheck{dir: dir, open: open}
	err = c.run()
	return c.written, err
}

// list stores the list of the files that were found sound, if any of them is new. It stores
// no list for a store that was not closed, because the files of such a store have yet to be
// recovered.
func (c *storeCheck) list() {
	if c.unlisted > 0 && len(c.files.mems) == 0 {
		c.checked.store(c.dir, systemClock().now())
	}
}

func (c *storeCheck) run() (err error) {
	if c.files, err = listStore(c.dir); err != nil {
		return err
	}
	if !c.files.manifest && !c.files.begun {
		return nil // nothing was ever written
	}
	c.points, c.logged, c.checked = extents{}, map[string]bool{}, checkedFiles{}
	if c.manifest, err = readManifest(c.dir); err != nil {
		return err
	}
	if c.manifest.torn && len(c.files.mems) == 0 {
		return &DamageError{manifestName, -1, 0, "its end cannot be read"}
	}
	if c.root, err = os.OpenRoot(c.dir); err != nil {
		return err
	}
	defer func() { _ = c.root.Close() }()
	if c.listed && len(c.files.mems) == 0 {
		c.known = readChecked(c.root)
	}
	for _, step := range []func() error{c.keys, c.mems, c.tables, c.values} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// unchanged returns what the list contains about a file, together with the file's current
// stamp. It reports whether the file is listed and has not changed since it was read.
func (c *storeCheck) unchanged(name string) (checkedFile, bool) {
	info, err := c.root.Stat(name)
	if err != nil {
		return checkedFile{}, false // reading it returns the error
	}
	now, ok := stampOf(info)
	f, known := c.known[name]
	return checkedFile{Stamp: now, Version: f.Version, Points: f.Points, End: f.End}, ok && known && f.Stamp == now
}

type storeCheck struct {
	dir string
	// open reports whether Badger has the store open.
	open     bool
	root     *os.Root
	files    storeFiles
	manifest manifest
	// written is the highest version of a complete transaction.
	written uint64
	points  extents
	// listed reports whether to skip the files that are on the folder's list and have not
	// changed since. checked holds the files that were found sound, and unlisted counts
	// those among them that were read.
	listed         bool
	known, checked checkedFiles
	unlisted       int
	// logged are the keys in the write-ahead logs.
	logged map[string]bool
}

// keys checks the file that lists encryption keys. The list is empty, so the file consists
// only of a random prefix and a text by which Badger detects a wrong key. Badger creates
// the file again if it is missing.
func (c *storeCheck) keys() error {
	const skip, text = 16, "Hello Badger"
	data, err := wholefile.ReadIn(c.root, keysName, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.As(err, new(*wholefile.TooLargeError)) {
		data, err = nil, nil
	}
	if err == nil && (len(data) != skip+len(text) || string(data[skip:]) != text) {
		err = &DamageError{keysName, -1, 0, "is altered or truncated"}
	}
	return err
}

// mems reads the write-ahead logs, which exist after a crash.
func (c *storeCheck) mems() error {
	if c.open {
		return nil
	}
	last, from := uint64(0), ""
	for i, name := range c.files.mems {
		t, err := c.mem(name, i == len(c.files.mems)-1)
		if err != nil {
			return err
		}
		if last != 0 && t.first > last+1 {
			return &DamageError{name, -1, 0, fmt.Sprintf("begins with transaction %d, but %s ends with %d", t.first, from, last)}
		}
		if t.last > 0 {
			last, from = t.last, name
		}
	}
	c.written = last
	return nil
}

func (c *storeCheck) mem(name string, newest bool) (t transactions, err error) {
	log, err := openLog(c.root, name)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if log.size == 0 && newest {
		return t, nil // a crash between its creation and the first write
	}
	if t, err = log.readMem(newest); err != nil {
		return t, err
	}
	for _, e := range t.entries {
		c.logged[string(e.key)] = true
		if e.meta&logPointer != 0 {
			c.points.add(e.value)
		}
	}
	return t, nil
}

func (c *storeCheck) tables() error {
	there := map[uint64]bool{}
	for _, name := range c.files.tables {
		id, _ := table.ParseFileID(name)
		if _, named := c.manifest.tables[id]; !named {
			if err := c.unnamed(name); err != nil {
				return err
			}
			continue
		}
		there[id] = true
		f, known := c.unchanged(name)
		var err error
		if !known {
			c.unlisted++
			f.Points = extents{}
			err = withTable(filepath.Join(c.dir, name), func(t *table.Table) error { return c.table(t, &f) })
		}
		if errors.Is(err, fs.ErrNotExist) && c.open {
			continue // a compaction has removed the file
		}
		if err != nil && (errors.Is(diskError(err), ErrDisk) || isResourceError(err)) {
			return err
		}
		if err != nil {
			return &DamageError{name, -1, 0, err.Error()}
		}
		c.checked[name] = f
		c.written = max(c.written, f.Version)
		for log, end := range f.Points {
			c.points[log] = max(c.points[log], end)
		}
	}
	for id := range c.manifest.tables {
		if !there[id] && !c.open {
			return &DamageError{filepath.Base(table.NewFilename(id, c.dir)), -1, 0, "is missing"}
		}
	}
	return nil
}

// unnamed checks a table that the manifest does not name, because a crash may leave a table
// that was being written or removed. Badger truncates a table to zero bytes before it
// removes it.
func (c *storeCheck) unnamed(name string) error {
	if c.open {
		return nil
	}
	info, err := c.root.Stat(name)
	if err != nil || info.Size() == 0 {
		return err
	}
	if len(c.files.mems) == 0 && withTable(filepath.Join(c.dir, name), func(*table.Table) error { return nil }) != nil {
		return &DamageError{name, -1, 0, "is not listed in the manifest"}
	}
	covered, err := coveredElsewhere(c.dir, c.manifest, name, c.logged)
	if err == nil && !covered {
		err = &DamageError{name, -1, 0, "is not listed in the manifest, but contains values that are in no other file"}
	}
	return err
}

func (c *storeCheck) table(t *table.Table, f *checkedFile) error {
	f.Version = t.MaxVersion()
	if err := t.VerifyChecksum(); err != nil || c.open {
		return err
	}
	return walkTable(t, func(_ []byte, _ uint64, v y.ValueStruct) {
		if v.Meta&logPointer != 0 {
			f.Points.add(v.Value)
		}
	})
}

// values reads the value logs and checks all pointers to values against them. Badger
// truncates the newest nonempty log at its first unreadable byte, and reads altered
// values in older logs without an error.
func (c *storeCheck) values() error {
	if c.open {
		return nil
	}
	ends := map[uint32]int64{}
	found := false // a log that holds something
	for i, name := range slices.Backward(c.files.values) {
		newest := i == len(c.files.values)-1
		v, err := c.valueLog(name, newest)
		if err != nil {
			return err
		}
		ends[uint32(fileNumber(name))] = v.end
		if v.version == 0 || found {
			continue
		}
		found = true
		// The values of a transaction are written before its log, so a crash may leave
		// values of a transaction that is in no log. A store that was not closed has a log.
		most := c.written + 1
		if newest && v.size > v.end && len(c.files.mems) == 0 {
			most = c.written
		}
		if v.version > most {
			return &DamageError{
				name, -1, 0,
				fmt.Sprintf("contains values of transaction %d, but the logs and tables end with %d: a log is missing or truncated", v.version, c.written),
			}
		}
	}
	for number, end := range c.points {
		have, ok := ends[number]
		name := fmt.Sprintf("%06d.vlog", number)
		if !ok {
			return &DamageError{name, -1, 0, "is missing"}
		}
		if have < end {
			return &DamageError{name, have, 0, fmt.Sprintf("ends before the value that must end at byte %d", end)}
		}
	}
	return nil
}

func (c *storeCheck) valueLog(name string, newest bool) (v valueLog, err error) {
	f, known := c.unchanged(name)
	if known {
		c.checked[name] = f
		return valueLog{f.End, f.Stamp.Size, f.Version}, nil
	}
	log, err := openLog(c.root, name)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if log.size == 0 {
		// The file is left by a crash between its creation and the first write, or between
		// the two steps in which Badger removes a log, because Badger first truncates the
		// log to zero bytes. If it held a value that a pointer refers to, the check below
		// finds that value missing.
		return v, nil
	}
	if v, err = log.readValues(newest && len(c.files.mems) > 0, c.written); err == nil {
		c.unlisted++
		f.End, f.Version = v.end, v.version
		c.checked[name] = f
	}
	return v, err
}
