package hub

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// blobs is an object store whose names are the digests of the content.
type blobs struct {
	hub   *Hub
	store string

	mu  sync.Mutex
	put map[string]bool // that this process has put
}

func (h *Hub) blobs(store string) *blobs {
	return &blobs{hub: h, store: store, put: map[string]bool{}}
}

// Put stores data, unless this process has stored it before, and returns its digest; "" for
// no data.
func (b *blobs) Put(ctx context.Context, data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	digest := digestOf(data)
	b.mu.Lock()
	there := b.put[digest]
	b.mu.Unlock()
	if there {
		return digest, nil
	}
	ctx, stop := context.WithTimeout(ctx, 6*requestTime)
	defer stop()
	store, err := b.hub.js.ObjectStore(ctx, b.store)
	if err != nil {
		return "", refused("the object store "+b.store, err)
	}
	if _, err := store.GetInfo(ctx, digest); errors.Is(err, jetstream.ErrObjectNotFound) {
		_, err = store.PutBytes(ctx, digest, data)
		if err != nil {
			return "", refused("the object store "+b.store, err)
		}
	} else if err != nil {
		return "", refused("the object store "+b.store, err)
	}
	b.mu.Lock()
	b.put[digest] = true
	b.mu.Unlock()
	return digest, nil
}

// Get returns what was stored under a digest, which is checked; nil for "".
func (b *blobs) Get(ctx context.Context, digest string) ([]byte, error) {
	if digest == "" {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(ctx, 6*requestTime)
	defer stop()
	store, err := b.hub.js.ObjectStore(ctx, b.store)
	if err != nil {
		return nil, refused("the object store "+b.store, err)
	}
	info, err := store.GetInfo(ctx, digest)
	if err != nil {
		return nil, refused("the object "+digest, err)
	}
	if info.Size > 2*mostFolder {
		return nil, fmt.Errorf("the object %s is larger than %d MiB", digest, 2*mostFolder>>20)
	}
	data, err := store.GetBytes(ctx, digest)
	if err != nil {
		return nil, refused("the object "+digest, err)
	}
	if digestOf(data) != digest {
		return nil, fmt.Errorf("the content of the object %s is not what its name stands for", digest)
	}
	return data, nil
}

// Forget makes Put store everything again: the server may have lost it.
func (b *blobs) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.put)
}
