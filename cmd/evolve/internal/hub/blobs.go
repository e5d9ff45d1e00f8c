package hub

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// blobs is an object store that holds content under its digest. The digest is also the
// key with which the content is sealed. The credentials of a worker allow it to read the
// whole store, but the worker can open only content whose digest is in one of its offers
// or jobs.
type blobs struct {
	hub   *Hub
	store string
	// fresh is the age after which content that is already in the store is stored again, so
	// that the server does not drop it.
	fresh time.Duration

	mu  sync.Mutex
	put map[string]bool // digests of the content that this process has stored
}

func (h *Hub) blobs(store string, age time.Duration) *blobs {
	return &blobs{hub: h, store: store, fresh: age / 2, put: map[string]bool{}}
}

// nameOfBlob returns the name under which content is stored, which does not reveal the
// digest.
func nameOfBlob(digest string) string { return digestOf([]byte("name\x00" + digest)) }

// sealed converts content to its sealed form, or a sealed form back to the content. Each
// key seals only one piece of content, so the cipher needs no varying initial value, and
// the digest shows whether the content was changed.
func sealed(digest string, data []byte) ([]byte, error) {
	key := sha256.Sum256([]byte("key\x00" + digest))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	out := make([]byte, len(data))
	cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(out, data)
	return out, nil
}

// Put stores data unless this process has stored it before, and returns its digest. It
// returns "" for empty data.
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
	name := nameOfBlob(digest)
	info, err := store.GetInfo(ctx, name)
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return "", refused("the object store "+b.store, err)
	}
	if err != nil || b.hub.o.Now().Sub(info.ModTime) > b.fresh {
		data, err := sealed(digest, data)
		if err != nil {
			return "", err
		}
		if _, err := store.PutBytes(ctx, name, data); err != nil {
			return "", refused("the object store "+b.store, err)
		}
	}
	b.mu.Lock()
	b.put[digest] = true
	b.mu.Unlock()
	return digest, nil
}

// errObject marks errors about objects that another attempt would not get either.
var errObject = errors.New("the content cannot be used")

// Get returns the content that was stored under a digest, after checking it; it returns nil
// if the digest is "".
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
	name := nameOfBlob(digest)
	info, err := store.GetInfo(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return nil, fmt.Errorf("%w: there is no object %s", errObject, digest)
	case err != nil:
		return nil, refused("the object "+digest, err)
	case info.Size > 2*mostFolder:
		return nil, fmt.Errorf("%w: the object %s is larger than %d MiB", errObject, digest, 2*mostFolder>>20)
	}
	data, err := store.GetBytes(ctx, name)
	if err != nil {
		return nil, refused("the object "+digest, err)
	}
	if data, err = sealed(digest, data); err != nil {
		return nil, err
	}
	if digestOf(data) != digest {
		return nil, fmt.Errorf("%w: the content of the object %s does not match its name", errObject, digest)
	}
	return data, nil
}

// Forget makes Put store everything again, because the server may have lost it.
func (b *blobs) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.put)
}
