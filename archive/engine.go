package archive

import (
	"bytes"
	"context"
	"errors"
)

// engine is an ordered key-value store. Keys are ordered as byte strings; values are never
// empty. The typed logic is in the layers above, so every engine behaves the same, and one
// set of contract tests runs on all engines.
type engine interface {
	// get returns the values of keys, with nil for each key that has none.
	get(ctx context.Context, keys ...[]byte) ([][]byte, error)
	// scan visits the pairs whose key begins with prefix, in order, starting at the key
	// from, or at the first pair if from is nil. Key and value belong to the engine and are
	// valid only during the visit. A visit that returns errStop ends the scan without an
	// error; any other error ends it with that error.
	scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error
	// dump visits all pairs of a snapshot in order, even during concurrent writes. If a
	// visit fails, dump ends with its error.
	dump(ctx context.Context, visit func(key, value []byte) error) error
	// write stores either the whole batch or nothing. When it returns, the batch is on
	// disk.
	write(b *batch) error
	close() error
}

// errStop ends a scan early.
var errStop = errors.New("stop the scan")

// batch is a list of pairs that are stored together. A later pair replaces an
// earlier one with the same key.
type batch struct {
	pairs []pair
	size  int
	// head is the new head of the ledger; it is nil if the batch does not append to it.
	head *ledgerHead
}

type pair struct{ key, value []byte }

func (b *batch) put(key, value []byte) {
	b.pairs = append(b.pairs, pair{key, value})
	b.size += len(key) + len(value)
}

// full reports whether the batch is large enough to be written.
func (b *batch) full() bool { return b.size > groupBytes || len(b.pairs) >= groupCount }

// add adds a copy of a pair to the batch, and writes the batch to the engine when it is
// full.
func (b *batch) add(to engine, key, value []byte) error {
	if b.put(bytes.Clone(key), bytes.Clone(value)); !b.full() {
		return nil
	}
	return b.flush(to)
}

// flush writes the pairs, if there are any, and empties the batch.
func (b *batch) flush(to engine) error {
	if len(b.pairs) == 0 {
		return nil
	}
	err := to.write(b)
	*b = batch{}
	return err
}

// getOne returns the value of a key, or ErrNotFound if the key has none.
func getOne(ctx context.Context, e engine, key []byte) ([]byte, error) {
	values, err := e.get(ctx, key)
	if err != nil {
		return nil, err
	}
	if values[0] == nil {
		return nil, ErrNotFound
	}
	return values[0], nil
}
