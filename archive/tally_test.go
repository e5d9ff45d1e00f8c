package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bulkUse counts the accesses to tables that grow with every evaluation.
type bulkUse struct {
	engine
	n int
}

func (u *bulkUse) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	for _, k := range keys {
		if bulk(k[0]) {
			u.n++
		}
	}
	return u.engine.get(ctx, keys...)
}

func (u *bulkUse) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	if len(prefix) == 0 || bulk(prefix[0]) {
		u.n++
	}
	return u.engine.scan(ctx, prefix, from, visit)
}

// tallyOf reads a tally, compares it with the evaluations, and returns the number of
// accesses to the evaluations.
func tallyOf(t *testing.T, a *Archive, run string) int {
	t.Helper()
	ctx := t.Context()
	use := &bulkUse{engine: a.store}
	a.store = use
	got := must(a.Tally(ctx, run, "solver"))(t)
	n := use.n
	a.store = use.engine
	want := must(a.count(ctx, part{run, "solver"}))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the tally of %sinstead of the id of the evaluations:\n%s", run, diff)
	}
	return n
}

// TestTally checks that the sum over a night's evaluations is read from one record while
// the night's process runs and after the process has closed the archive. After a kill, the
// evaluations are counted once.
func TestTally(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	a := openAt(t, dir)
	recordTally := func(a *Archive, run string, from, to int64) {
		t.Helper()
		for seq := from; seq < to; seq++ {
			e := evaluation(run, seq)
			e.Usage.CostUSD = float64(seq%8) / 8 // sums are exact
			switch seq % 5 {
			case 1: // refers to the evaluation before it, and was paid for
				e.Key = evaluation(run, seq-1).Key
			case 2: // refers to the evaluation two before it, and was not paid for
				e.Key, e.Cached = evaluation(run, seq-2).Key, true
			case 3: // missing data
				e.Scored = false
			}
			if err := a.Record(ctx, e, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	asked := func(a *Archive, run string, want bool) {
		t.Helper()
		if n := tallyOf(t, a, run); (n > 0) != want {
			t.Errorf("the tally of %s took %d looks at evaluations, wanted some: %v", run, n, want)
		}
	}
	recordTally(a, "1-a", 0, 100)
	beside := readAt(t, dir)
	asked(a, "1-a", false)
	asked(beside, "1-a", false)
	asked(beside, "9-none", true)
	recordTally(a, "1-a", 0, 120)
	again := evaluation("1-a", 3) // an evaluation that had been missing data
	again.Usage.CostUSD = .25
	if err := errors.Join(a.Record(ctx, again, nil), a.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	asked(beside, "1-a", false)
	closing(t, beside)
	killed := filepath.Join(t.TempDir(), "archive") // as a killed process leaves it
	if err := os.CopyFS(killed, withoutSockets{os.DirFS(dir)}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAt(t, dir)
	recordTally(a, "1-a", 110, 150)
	recordTally(a, "2-a", 0, 10)
	asked(a, "1-a", false)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r := readAt(t, dir)
	asked(r, "1-a", false)
	asked(r, "2-a", false)
	if err := errors.Join(r.Check(ctx), r.Close()); err != nil {
		t.Fatal(err)
	}

	r = readAt(t, killed) // puts the killed process's archive in order
	closing(t, r)
	asked(r, "1-a", false)
}

// TestTallyOfOlderArchive checks that evaluations are counted if no tally is stored, and
// that recording further evaluations stores a tally.
func TestTallyOfOlderArchive(t *testing.T) {
	ctx := t.Context()
	a := OpenMemory()
	recordMany(t, a, "1-a", 20, false)
	m := a.store
	store := newMemory()
	var b batch
	err := m.scan(ctx, nil, nil, func(k, v []byte) error {
		if k[0] != tableTally {
			b.put([]byte(string(k)), []byte(string(v)))
		}
		return nil
	})
	if err = errors.Join(err, store.write(&b), a.Close()); err != nil {
		t.Fatal(err)
	}
	a = must(newArchive(store, true, ""))(t)
	closing(t, a)
	if tallyOf(t, a, "1-a") == 0 {
		t.Error("a tally was found")
	}
	recordMany(t, a, "1-a", 30, false)
	if n := tallyOf(t, a, "1-a"); n > 0 {
		t.Errorf("the tally took %d looks at evaluations", n)
	}
}

// withoutSockets is a file system that hides its sockets.
type withoutSockets struct{ fs.FS }

func (f withoutSockets) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(f.FS, name)
	var files []fs.DirEntry
	for _, d := range all {
		if !strings.HasSuffix(d.Name(), ".sock") {
			files = append(files, d)
		}
	}
	return files, err
}

// bulk reports whether a table grows with every evaluation.
func bulk(table byte) bool {
	return table == tableEvaluation || table == tableKey || table == tableTranscript
}
