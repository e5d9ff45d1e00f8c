package hub

import (
	"context"
	"errors"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/hub/hubtest"
)

// TestTwoWorkersOfOneName checks that two live workers with the same name both notice the
// clash, and that a worker that replaces a killed worker, or a worker whose entry has
// expired, notices no clash.
func TestTwoWorkersOfOneName(t *testing.T) {
	w := newWorld(t)
	h := w.connect("w")
	if err := h.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	kv, err := h.js.KeyValue(t.Context(), workerBucket)
	if err != nil {
		t.Fatal(err)
	}
	put := func(e *entry) bool { t.Helper(); return e.put(t.Context(), kv, []byte("{}")) }
	killed, next := &entry{key: "one"}, &entry{key: "one"}
	put(killed)
	for i := range 10 {
		if put(next) {
			t.Errorf("the worker after a killed one takes it for another at heartbeat %d", i+1)
		}
		if i%3 == 0 {
			if err := kv.Purge(t.Context(), "one"); err != nil { // as if it had expired
				t.Fatal(err)
			}
		}
	}
	a, b := &entry{key: "two"}, &entry{key: "two"}
	var found [2]int
	for range 10 {
		for i, e := range []*entry{a, b} {
			if put(e) {
				found[i]++
			}
		}
	}
	if found != [2]int{1, 1} {
		t.Errorf("the two workers noticed each other %v times, want once each", found)
	}
}

// TestWorkerOfUnusableHub checks that a worker ends when the hub refuses its first few
// requests, and not at the very first refusal.
func TestWorkerOfUnusableHub(t *testing.T) {
	o := hubtest.Options(t.TempDir())
	o.JetStream = false
	srv, err := hubtest.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hubtest.Stop(srv) })
	w := &world{t: t, url: srv.ClientURL()}
	k := &Worker{Name: "w", Binary: program, Slots: 1}
	pauses := 0
	k.Pause = func(context.Context, time.Duration) { pauses++ }
	c := w.workAs(k, echo)
	err = <-c.done
	c.done <- err
	if !errors.Is(err, ErrUnreachable) || pauses != startAttempts-1 {
		t.Errorf("it ended after %d pauses with %v", pauses, err)
	}
}
