package archive

import (
	"context"
	"fmt"
)

// schemaVersion is the version of keys and records that this code reads and writes. It
// changes only when old data must be rewritten: new tables, fields and kinds of record need
// no new version, because older versions of evolve ignore the tables that they do not have.
const schemaVersion = 1

func schemaKey() key { return newKey(tableMeta).text("schema") }

// importKey returns the key of the state of an import. An interrupted import leaves the
// state importBegun, and an archive in that state is refused.
func importKey() key { return newKey(tableMeta).text("import") }

const (
	importDone  = 0
	importBegun = 1
)

// prepare makes a store ready for use. It stores the schema version in an empty store, and
// backs up and then migrates a store with an older schema. If writable is false, it returns
// an error in both cases.
func prepare(ctx context.Context, store engine, writable bool, steps map[uint64]migration, backup func(version uint64) error) error {
	version, known, err := checkSchema(ctx, store)
	switch {
	case err != nil:
		return err
	case known && version == schemaVersion:
		return nil
	case known && !writable:
		return fmt.Errorf("%w: its schema is %d and must be migrated to %d by a command that writes to the archive", ErrReadOnly, version, schemaVersion)
	case known:
		if err := backup(version); err != nil {
			return fmt.Errorf("back up the archive before changing its schema: %w", err)
		}
		return migrate(ctx, store, version, schemaVersion, steps)
	case !writable:
		return ErrNotFound
	}
	var b batch
	b.put(schemaKey(), encodeNumber(schemaVersion))
	return store.write(&b)
}
