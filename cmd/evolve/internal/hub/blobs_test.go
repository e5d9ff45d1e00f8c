package hub

import (
	"testing"
	"time"
)

// TestBlobsAreRenewed tests that content that the server is about to drop is stored again,
// and that other content is not.
func TestBlobsAreRenewed(t *testing.T) {
	w := newWorld(t)
	h := w.connect("run")
	if err := h.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	digest := ""
	stored := func() time.Time {
		t.Helper()
		var err error
		if digest, err = h.blobs(bundleStore, bundleAge).Put(t.Context(), []byte("content")); err != nil {
			t.Fatal(err)
		}
		store, err := h.js.ObjectStore(t.Context(), bundleStore)
		if err != nil {
			t.Fatal(err)
		}
		info, err := store.GetInfo(t.Context(), nameOfBlob(digest))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime
	}
	first := stored()
	if again := stored(); !again.Equal(first) {
		t.Error("fresh content was stored again")
	}
	h.o.Now = func() time.Time { return time.Now().Add(bundleAge * 3 / 4) }
	if again := stored(); again.Equal(first) {
		t.Error("old content was not stored again")
	}
	if got, err := h.blobs(bundleStore, bundleAge).Get(t.Context(), digest); err != nil || string(got) != "content" {
		t.Errorf("got %q, %v", got, err)
	}
}
