package archive

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMigration migrates a store on disk from a version before the first.
func TestMigration(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	store, err := openDisk(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.close()
	b := &batch{}
	b.put(schemaKey(), encodeNumber(0))
	b.put(newKey('z').text("old"), []byte("text"))
	if err := store.write(b); err != nil {
		t.Fatal(err)
	}
	backup := func(version uint64) error { return backupFile(ctx, store, dir, version) }
	if err := prepare(ctx, store, false, nil, backup); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a reader brings it forward: %v", err)
	}
	boom := errors.New("boom")
	steps := map[uint64]migration{0: func(context.Context, engine) error { return boom }}
	if err := prepare(ctx, store, true, steps, backup); !errors.Is(err, boom) {
		t.Errorf("a failing step: %v", err)
	}
	steps[0] = func(ctx context.Context, store engine) error {
		b := &batch{}
		err := store.scan(ctx, newKey('z'), nil, func(k, v []byte) error {
			b.put(append(newKey('y'), k[1:]...), bytes.ToUpper(v))
			return nil
		})
		return errors.Join(err, store.write(b))
	}
	if err := prepare(ctx, store, true, steps, backup); err != nil {
		t.Fatal(err)
	}
	version, known, err := checkSchema(ctx, store)
	if version != schemaVersion || !known || err != nil {
		t.Errorf("the schema is %d (%v, %v)", version, known, err)
	}
	if v, err := getOne(ctx, store, newKey('y').text("old")); string(v) != "TEXT" {
		t.Errorf("brought forward: %q %v", v, err)
	}

	// The backup holds the records from before the migration.
	data, err := os.ReadFile(filepath.Join(dir, "schema-0.backup"))
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory()
	if err := readBackup(m, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	values, err := m.get(ctx, newKey('z').text("old"), newKey('y').text("old"), schemaKey())
	if err != nil || string(values[0]) != "text" || values[1] != nil || !bytes.Equal(values[2], encodeNumber(0)) {
		t.Errorf("backup: %q %v", values, err)
	}
}

func TestNoSchema(t *testing.T) {
	m := newMemory()
	if _, err := newArchive(m, false, ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("reading an empty store: %v", err)
	}
	b := &batch{}
	b.put(newKey('x'), []byte("x"))
	if err := m.write(b); err != nil {
		t.Fatal(err)
	}
	if _, err := newArchive(m, true, ""); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a store without a version: %v", err)
	}
}

func TestSchemaRefused(t *testing.T) {
	for name, c := range map[string]struct {
		fill func(*batch)
		want error
	}{
		"newer":   {func(b *batch) { b.put(schemaKey(), encodeNumber(schemaVersion+1)) }, ErrNewer},
		"garbled": {func(b *batch) { b.put(schemaKey(), []byte("x")) }, ErrCorrupt},
		"no way":  {func(b *batch) { b.put(schemaKey(), encodeNumber(0)) }, ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a := openAt(t, dir)
			tamper(t, a, c.fill)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, Options{}); !errors.Is(err, c.want) {
				t.Errorf("writing: %v", err)
			}
			if name == "newer" {
				if _, err := OpenRead(dir); !errors.Is(err, c.want) {
					t.Errorf("reading: %v", err)
				}
			}
		})
	}
}
