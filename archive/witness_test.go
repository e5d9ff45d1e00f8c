package archive

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// kinds returns the kinds of the ledger's entries.
func kinds(t *testing.T, a *Archive) []string {
	t.Helper()
	var out []string
	for e, err := range a.Ledger(context.Background(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Kind)
	}
	return out
}

// witnessedAt makes an archive with three entries, closes it, and returns its folder.
func witnessedAt(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	for range 3 {
		must(a.Append(context.Background(), LedgerEntry{Time: day, Kind: "run.start", Actor: "cron", Data: []byte(`{"seed":1}`)}))(t)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// behind rewrites a store in the way that an edit of its files would, that is, without an
// update of the witness. The function edit puts pairs, which replace stored pairs, and
// returns the keys of the pairs to drop.
func behind(t *testing.T, dir string, edit func(a *Archive, b *batch) (left []key)) {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(dir, storeName)
	was := must(openDisk(path, true))(t)
	var pairs, edits batch
	a := must(newArchive(was, true, ""))(t)
	left := edit(a, &edits)
	err := was.scan(ctx, nil, nil, func(k, v []byte) error {
		if !slices.ContainsFunc(left, func(l key) bool { return bytes.Equal(l, k) }) {
			pairs.put(bytes.Clone(k), bytes.Clone(v))
		}
		return nil
	})
	pairs.pairs = append(pairs.pairs, edits.pairs...)
	err = errors.Join(err, a.Close(), os.RemoveAll(path), os.MkdirAll(path, 0o700))
	if err != nil {
		t.Fatal(err)
	}
	now := must(openDisk(path, true))(t)
	if err := errors.Join(now.write(&pairs), now.close()); err != nil {
		t.Fatal(err)
	}
}

// TestWitness checks that every open detects a ledger that was truncated, or rewritten with
// a consistent head and chain, but accepts a ledger that is ahead of its witness after a
// crash.
func TestWitness(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rewrite := func(from int) func(a *Archive, b *batch) []key {
		return func(a *Archive, b *batch) []key {
			head := ledgerHead{}
			for e, err := range a.Ledger(ctx, 1) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Seq >= int64(from) {
					e.Actor = "Mallory"
				}
				next := must(chainTo(b, head, e))(t)
				head = ledgerHead{next.Seq, next.Hash}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		edit  func(*Archive, *batch) []key
		found bool
	}{
		"nothing": {func(*Archive, *batch) []key { return nil }, false},
		"cut off, with a head that fits": {func(a *Archive, b *batch) []key {
			e := must(document[LedgerEntry](ctx, a, ledgerKey(2)))(t)
			if err := putEntry(b, e); err != nil {
				t.Fatal(err)
			}
			return []key{ledgerKey(3)}
		}, true},
		"chained anew": {rewrite(2), true},
		"another archive": {func(_ *Archive, b *batch) []key {
			b.put(idKey(), encodeNumber(7))
			return nil
		}, true},
		"one more entry, as after a crash": {func(a *Archive, b *batch) []key {
			must(a.chain(ctx, b, LedgerEntry{Time: day, Kind: "run.end"}))(t)
			return nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := witnessedAt(t)
			behind(t, dir, c.edit)
			r, err := OpenRead(dir)
			if r != nil {
				closing(t, r)
				if _, _, err := r.VerifyLedger(ctx); err != nil {
					t.Fatalf("the chain itself: %v", err)
				}
			}
			if got := errors.As(err, new(*WitnessError)); got != c.found || errors.Is(err, ErrCorrupt) != c.found {
				t.Fatalf("OpenRead: %v", err)
			}
			if !c.found {
				return
			}
			if _, err := Open(dir, Options{}); !errors.As(err, new(*WitnessError)) {
				t.Fatalf("Open: %v", err)
			}
			look := must(Inspect(dir))(t)
			if _, err := look.CheckWitness(ctx); !errors.As(err, new(*WitnessError)) {
				t.Errorf("CheckWitness: %v", err)
			}
			if err := look.Close(); err != nil {
				t.Fatal(err)
			}
			a := must(Open(dir, Options{Accept: &Accept{By: "Ada", Reason: "a backup of mine"}}))(t)
			got := kinds(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if last := got[len(got)-1]; last != LedgerAccepted {
				t.Errorf("the ledger ends with %s", last)
			}
			closing(t, openAt(t, dir))
			if _, err := Open(dir, Options{Accept: &Accept{By: "Ada"}}); err == nil {
				t.Error("accepted twice")
			}
		})
	}
}

// TestWitnessMissing checks that a removed witness is written again with a ledger entry,
// and that a damaged witness is refused. An archive that is missing while its witness
// exists is refused until a person accepts the loss or another archive replaces it.
func TestWitnessMissing(t *testing.T) {
	t.Parallel()
	dir := witnessedAt(t)
	if err := os.Remove(WitnessFile(dir)); err != nil {
		t.Fatal(err)
	}
	a := openAt(t, dir)
	if got := kinds(t, a); got[len(got)-1] != LedgerWitnessed {
		t.Errorf("removed: %v", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(WitnessFile(dir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRead(dir); !errors.As(err, new(*WitnessError)) {
		t.Errorf("damaged: %v", err)
	}
	dir = witnessedAt(t)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func() (*Archive, error){
		func() (*Archive, error) { return OpenRead(dir) },
		func() (*Archive, error) { return Inspect(dir) },
		func() (*Archive, error) { return Open(dir, Options{}) },
	} {
		if _, err := open(); !errors.As(err, new(*WitnessError)) {
			t.Errorf("a missing archive: %v", err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir+".away", storeName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.As(err, new(*WitnessError)) {
		t.Errorf("a missing store: %v", err)
	}
	a = must(Open(dir, Options{Accept: &Accept{By: "Robin", Reason: "a new start"}}))(t)
	if got := kinds(t, a); !slices.Equal(got, []string{LedgerAccepted}) {
		t.Errorf("a new archive: %v", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := openAt(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWitnessFollows checks that an archive built beside its path brings its witness
// along, even if the new archive replaces another one and even if the process ends in
// between.
func TestWitnessFollows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := witnessedAt(t)
	r := readAt(t, dir)
	var backup bytes.Buffer
	_, err := r.Backup(ctx, &backup)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	a := openAt(t, dir)
	must(a.Append(ctx, LedgerEntry{Time: day, Kind: "run.end"}))(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(ctx, dir, bytes.NewReader(backup.Bytes()), Building{Aside: dir + ".old"}); err != nil {
		t.Fatal(err)
	}
	r = readAt(t, dir)
	if got := kinds(t, r); got[len(got)-1] != LedgerSucceeds {
		t.Errorf("an older backup in its place: %v", got)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again := func() {
		t.Helper()
		a := openAt(t, dir)
		if got := kinds(t, a); slices.Contains(got, LedgerWitnessed) || slices.Contains(got, LedgerAccepted) {
			t.Errorf("%v", got)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	again()
	// The witness is in its state before the last step of the move, with either the old or
	// the new archive in place.
	must(openClosed(t, dir))(t)
	built := filepath.Join(t.TempDir(), "archive")
	if _, err := Restore(ctx, built, bytes.NewReader(backup.Bytes()), Building{}); err != nil {
		t.Fatal(err)
	}
	half := errors.New("the process ends here")
	if err := moveWithWitness(built, dir, func() error { return half }); !errors.Is(err, half) {
		t.Fatal(err)
	}
	if err := readAt(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	err = moveWithWitness(built, dir, func() error {
		return errors.Join(os.RemoveAll(dir), os.Rename(built, dir), half)
	})
	if !errors.Is(err, half) {
		t.Fatal(err)
	}
	again()
}

// openClosed opens the archive in dir, appends an entry, and closes it.
func openClosed(t *testing.T, dir string) (LedgerEntry, error) {
	t.Helper()
	a := openAt(t, dir)
	e, err := a.Append(context.Background(), LedgerEntry{Time: day, Kind: "run.end"})
	return e, errors.Join(err, a.Close())
}
