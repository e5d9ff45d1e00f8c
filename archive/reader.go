package archive

import (
	"context"
	"errors"
	"sync"
)

// reader is the engine of a reading process: the writer's socket while there is a writer,
// and the store itself otherwise. When the writer closes, the reader continues from the
// same position with the next engine.
type reader struct {
	find func() (engine, error)

	mu     sync.Mutex
	store  engine
	closed bool
}

// current returns the engine in use. The argument gone is an engine that can no longer be
// used. If gone is still in use, current replaces it first.
func (r *reader) current(gone engine) (engine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if r.store == nil || r.store == gone {
		store, err := r.find()
		if err != nil {
			return nil, err
		}
		r.store = store
	}
	return r.store, nil
}

// attempts limits the number of engines on which one request is tried.
const attempts = 3

// try runs ask on the engine in use. If that engine is disconnected, try runs ask on the
// next one, and so on; attempts limits the number of engines that are tried.
func (r *reader) try(ask func(engine) error) error {
	var gone engine
	var err error
	for range attempts {
		var store engine
		if store, err = r.current(gone); err != nil {
			return err
		}
		if err = ask(store); !errors.Is(err, errDisconnected) {
			return err
		}
		gone = store
	}
	return err
}

func (r *reader) get(ctx context.Context, keys ...[]byte) (values [][]byte, err error) {
	err = r.try(func(store engine) (err error) {
		values, err = store.get(ctx, keys...)
		return err
	})
	return values, err
}

func (r *reader) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	var visited error
	next := append([]byte(nil), from...)
	err := r.try(func(store engine) error {
		return store.scan(ctx, prefix, append([]byte(nil), next...), func(k, v []byte) error {
			next = append(append(next[:0], k...), 0)
			if visited = visit(k, v); visited != nil {
				return errStop
			}
			return nil
		})
	})
	if visited != nil && !errors.Is(visited, errStop) {
		return visited
	}
	return err
}

// dump does not continue on another engine once it has visited a pair, because the other
// engine would have another snapshot. If the writer closes after that, dump returns
// errDisconnected.
func (r *reader) dump(ctx context.Context, visit func(key, value []byte) error) error {
	var visited bool
	var gone error
	err := r.try(func(store engine) error {
		err := store.dump(ctx, func(k, v []byte) error {
			visited = true
			return visit(k, v)
		})
		if visited && errors.Is(err, errDisconnected) {
			gone = err
			return nil
		}
		return err
	})
	return errors.Join(err, gone)
}

// verify checks the files of the store if this process has the store open itself. If it
// reads through a socket, verify does nothing.
func (r *reader) verify() error {
	store, err := r.current(nil)
	if err != nil {
		return err
	}
	if v, ok := store.(interface{ verify() error }); ok {
		return v.verify()
	}
	return nil
}

func (r *reader) write(*batch) error { return ErrReadOnly }

func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.store == nil {
		return nil
	}
	return r.store.close()
}
