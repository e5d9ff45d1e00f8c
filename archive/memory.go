package archive

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
)

// memory is an engine that holds all pairs in one list, ordered by key. A write creates a
// new list, so a scan can read a snapshot without holding a lock.
type memory struct {
	mu     sync.Mutex
	pairs  []pair // never changed in place
	closed bool
}

func newMemory() *memory { return &memory{} }

func (m *memory) snapshot() ([]pair, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	return m.pairs, nil
}

// findPair returns the index of a key in an ordered list and reports whether the key is
// there.
func findPair(pairs []pair, key []byte) (int, bool) {
	return slices.BinarySearchFunc(pairs, key, func(p pair, key []byte) int { return bytes.Compare(p.key, key) })
}

func (m *memory) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pairs, err := m.snapshot()
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		if at, ok := findPair(pairs, key); ok {
			values[i] = slices.Clone(pairs[at].value)
		}
	}
	return values, nil
}

func (m *memory) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	pairs, err := m.snapshot()
	if err != nil {
		return err
	}
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	first, _ := findPair(pairs, from)
	for _, p := range pairs[first:] {
		if !bytes.HasPrefix(p.key, prefix) {
			return nil
		}
		err := ctx.Err()
		if err == nil {
			err = visit(p.key, p.value)
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

// dump scans all pairs. A scan always reads a snapshot.
func (m *memory) dump(ctx context.Context, visit func(key, value []byte) error) error {
	return m.scan(ctx, nil, nil, visit)
}

func (m *memory) write(b *batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	pairs := slices.Clone(m.pairs)
	for _, p := range b.pairs {
		own := pair{slices.Clone(p.key), slices.Clone(p.value)}
		if at, ok := findPair(pairs, p.key); ok {
			pairs[at] = own
		} else {
			pairs = slices.Insert(pairs, at, own)
		}
	}
	m.pairs = pairs
	return nil
}

func (m *memory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pairs, m.closed = nil, true
	return nil
}
