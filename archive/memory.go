package archive

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
)

// memory keeps all pairs in a persistent treap: a write makes a new root and shares the
// rest, so that a scan reads a snapshot without holding a lock.
type memory struct {
	seed maphash.Seed

	mu     sync.Mutex
	root   *node
	closed bool
}

// node is immutable once it is in a tree.
type node struct {
	key, value  []byte
	priority    uint64
	left, right *node
}

func newMemory() *memory { return &memory{seed: maphash.MakeSeed()} }

func (m *memory) snapshot() (*node, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	return m.root, nil
}

func (m *memory) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, err := m.snapshot()
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		values[i] = slices.Clone(root.find(key))
	}
	return values, nil
}

func (m *memory) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	root, err := m.snapshot()
	if err != nil {
		return err
	}
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	err = root.ascend(from, func(n *node) error {
		if !bytes.HasPrefix(n.key, prefix) {
			return errStop
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return visit(n.key, n.value)
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// dump is a scan: it reads a snapshot.
func (m *memory) dump(ctx context.Context, visit func(key, value []byte) error) error {
	return m.scan(ctx, nil, nil, visit)
}

func (m *memory) write(b *batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	for _, p := range b.pairs {
		key := slices.Clone(p.key)
		m.root = m.root.insert(key, slices.Clone(p.value), maphash.Bytes(m.seed, key))
	}
	return nil
}

func (m *memory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.root, m.closed = nil, true
	return nil
}

func (n *node) find(key []byte) []byte {
	for n != nil {
		switch c := bytes.Compare(key, n.key); {
		case c == 0:
			return n.value
		case c < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	return nil
}

// insert returns the tree with the pair in it. Priorities are hashes of the keys, so the
// expected depth is logarithmic for any order of insertion.
func (n *node) insert(key, value []byte, priority uint64) *node {
	if n == nil {
		return &node{key: key, value: value, priority: priority}
	}
	m := *n
	switch c := bytes.Compare(key, n.key); {
	case c == 0:
		m.value = value
	case c < 0:
		child := n.left.insert(key, value, priority)
		if child.priority > m.priority {
			m.left, child.right = child.right, &m
			return child
		}
		m.left = child
	default:
		child := n.right.insert(key, value, priority)
		if child.priority > m.priority {
			m.right, child.left = child.left, &m
			return child
		}
		m.right = child
	}
	return &m
}

// ascend visits the nodes from a key on, in order.
func (n *node) ascend(from []byte, visit func(*node) error) error {
	if n == nil {
		return nil
	}
	if c := bytes.Compare(from, n.key); c <= 0 {
		if c < 0 {
			if err := n.left.ascend(from, visit); err != nil {
				return err
			}
		}
		if err := visit(n); err != nil {
			return err
		}
	}
	return n.right.ascend(from, visit)
}
