package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"evolve/runtime/text"
)

// ProgramName returns a name for a program that people can read. It consists of the version
// and the first digits of the program's hash, which distinguish two programs of the same
// version.
func ProgramName(version, binary string) string {
	return fmt.Sprintf("%s (%s)", text.Clip(version, 60), text.Clip(binary, 8))
}

// present publishes the worker's presence until ctx ends.
func (w *Worker) present(ctx context.Context) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	at := entry{key: digestOf([]byte(w.Name))[:24]}
	for {
		if data, err := json.Marshal(w.presence()); err == nil && w.Hub.connected() {
			put, stop := context.WithTimeout(ctx, requestTime)
			if kv, err := w.Hub.js.KeyValue(put, workerBucket); err == nil && at.put(put, kv, data) {
				w.Hub.o.Log.Warn("another worker of this hub has the same name, so only one of them is listed; give each its own name", "name", w.Name)
			}
			stop()
		}
		select {
		case <-tick.C:
		case <-w.changed:
		case <-ctx.Done():
			put, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer stop()
			if kv, err := w.Hub.js.KeyValue(put, workerBucket); err == nil && w.Hub.connected() {
				_ = kv.Delete(put, at.key)
			}
			return
		}
	}
}

// presence returns the worker's current description of itself.
func (w *Worker) presence() Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := Presence{
		Name: w.Name, Binary: w.Binary, Version: w.Version, System: runtime.GOOS + "/" + runtime.GOARCH, Slots: w.Slots, Busy: len(w.slots),
		Refuses: map[string]string{},
	}
	for token, n := range w.offers {
		if n.refuses == "" {
			p.Serves = append(p.Serves, token)
		} else {
			p.Refuses[token] = n.refuses
		}
	}
	slices.Sort(p.Serves)
	return p
}

// entry is the worker's entry in the bucket of workers.
type entry struct {
	key string
	// revision is the revision of the latest value that this worker has put, or 0 if there
	// is none.
	revision uint64
	// foreign is the number of consecutive values in the entry that did not come from this
	// worker.
	foreign int
	warned  bool
}

// put stores a value; the next heartbeat makes up for an error. It reports, once, whether
// another worker writes the same entry. The worker is not allowed to read the bucket, but
// the server reports whether the entry has changed since the worker's last write. A single
// change proves nothing, because an entry also expires, and a killed worker may have left
// an entry.
func (e *entry) put(ctx context.Context, kv jetstream.KeyValue, data []byte) bool {
	if e.revision > 0 {
		revision, err := kv.Update(ctx, e.key, data, e.revision)
		if err == nil {
			e.revision, e.foreign = revision, 0
			return false
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return false
		}
		e.foreign++
	}
	if revision, err := kv.Put(ctx, e.key, data); err == nil {
		e.revision = revision
	}
	if e.foreign < foreignEntries || e.warned {
		return false
	}
	e.warned = true
	return true
}

// foreignEntries is how many consecutive foreign values prove that another worker has the
// same name.
const foreignEntries = 3
