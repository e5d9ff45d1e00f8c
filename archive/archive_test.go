package archive

import "testing"

func closing(t *testing.T, a *Archive) {
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestMemory(t *testing.T) {
	contract(t, func(t *testing.T) pairOf {
		a := OpenMemory()
		closing(t, a)
		return pairOf{a, a}
	})
}

func openAt(t *testing.T, dir string) *Archive {
	t.Helper()
	a, err := Open(dir, Options{Owner: "evolve run"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func readAt(t *testing.T, dir string) *Archive {
	t.Helper()
	a, err := OpenRead(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDisk(t *testing.T) {
	contract(t, func(t *testing.T) pairOf {
		a := openAt(t, t.TempDir())
		closing(t, a)
		return pairOf{a, a}
	})
}

// TestSocket reads an archive through the socket of the process that writes it.
func TestSocket(t *testing.T) {
	contract(t, func(t *testing.T) pairOf {
		dir := t.TempDir()
		a := openAt(t, dir)
		closing(t, a)
		r := readAt(t, dir)
		closing(t, r)
		if _, ok := r.store.(*reader).store.(*remote); !ok {
			t.Fatalf("read through %T", r.store.(*reader).store)
		}
		return pairOf{a, r}
	})
}
