package archive

import (
	"context"
	"fmt"
)

// schemaVersion is the version of keys and records that this code reads and writes. It
// changes only when old data must be rewritten: new tables, fields and kinds of record
// need no new version, because an older evolve ignores tables that it does not have.
const schemaVersion = 1

func schemaKey() key { return newKey(tableMeta).text("schema") }

// importKey holds the state of an import. One that was cut short leaves importBegun, and
// such an archive is refused.
func importKey() key { return newKey(tableMeta).text("import") }

const (
	importDone  = 0
	importBegun = 1
)

// prepare makes a store ready for reading or writing: an empty one gets its version, an
// older one is migrated after a backup.
func prepare(ctx context.Context, store engine, writable bool, steps map[uint64]migration, backup func(version uint64) error) error {
	version, known, err := checkSchema(ctx, store)
	switch {
	case err != nil:
		return err
	case known && version == schemaVersion:
		return nil
	case known && !writable:
		return fmt.Errorf("%w: its schema is %d and must be brought to %d by a command that writes", ErrReadOnly, version, schemaVersion)
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
