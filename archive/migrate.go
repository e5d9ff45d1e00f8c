package archive

import (
	"context"
	"fmt"
)

// migration rewrites an archive from one schema version to the next. It must be able to
// start again from the beginning after a crash.
type migration func(ctx context.Context, store engine) error

// migrations holds, for each version before schemaVersion, the step to the version after
// it. There is no migration yet, because version 1 is the first.
var migrations = map[uint64]migration{}

// migrate runs the migrations in order. The version is stored after each step, so a crash
// repeats at most one step.
func migrate(ctx context.Context, store engine, from, to uint64, steps map[uint64]migration) error {
	for version := from; version < to; version++ {
		step, ok := steps[version]
		if !ok {
			return fmt.Errorf("%w: there is no migration from schema %d to %d", ErrCorrupt, version, version+1)
		}
		if err := step(ctx, store); err != nil {
			return fmt.Errorf("migrate the archive from schema %d to %d: %w", version, version+1, err)
		}
		var b batch
		b.put(schemaKey(), encodeNumber(version+1))
		if err := store.write(&b); err != nil {
			return fmt.Errorf("migrate the archive from schema %d to %d: %w", version, version+1, err)
		}
	}
	return nil
}

// checkSchema reads the schema version of a store. It returns 0 and false for an empty
// store.
func checkSchema(ctx context.Context, store engine) (version uint64, known bool, err error) {
	values, err := store.get(ctx, schemaKey(), importKey())
	if err != nil {
		return 0, false, err
	}
	if values[1] != nil {
		if state, err := decodeNumber(values[1]); err != nil || state != importDone {
			return 0, false, fmt.Errorf("%w: an import into it was interrupted", ErrCorrupt)
		}
	}
	if values[0] != nil {
		version, err = decodeNumber(values[0])
		if err == nil && version > schemaVersion {
			err = fmt.Errorf("%w: its schema is %d, but this version of evolve reads schema %d", ErrNewer, version, schemaVersion)
		}
		return version, true, err
	}
	err = store.scan(ctx, nil, nil, func(_, _ []byte) error {
		return fmt.Errorf("%w: it has no schema version", ErrCorrupt)
	})
	return 0, false, err
}
