package archive

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// tamper writes to the store without the typed layer.
func tamper(t *testing.T, a *Archive, fill func(*batch)) {
	t.Helper()
	var b batch
	fill(&b)
	if err := a.store.write(&b); err != nil {
		t.Fatal(err)
	}
}

func ledgerOf(t *testing.T, n int) (*Archive, []LedgerEntry) {
	t.Helper()
	a := OpenMemory()
	closing(t, a)
	var entries []LedgerEntry
	for i := range n {
		e := must(a.Append(context.Background(), LedgerEntry{
			Time: day, Kind: "run.start", Actor: "cron", Subject: fmt.Sprint(i), Data: []byte(`{"seed":1}`),
		}))(t)
		entries = append(entries, e)
	}
	return a, entries
}

// rebuilt recomputes the chain of the entries, as a forger would.
func rebuilt(t *testing.T, entries []LedgerEntry) []LedgerEntry {
	t.Helper()
	prev := ""
	out := make([]LedgerEntry, len(entries))
	for i, e := range entries {
		e.Seq, e.Prev = int64(i+1), prev
		e.Hash = must(hashEntry(e))(t)
		prev, out[i] = e.Hash, e
	}
	return out
}

// replacing puts e in the place of the entry with the number seq.
func replacing(e LedgerEntry, seq int64) func(*batch) {
	return func(b *batch) {
		if err := putDocument(b, ledgerKey(seq), e); err != nil {
			panic(err)
		}
	}
}

func TestLedgerTampering(t *testing.T) {
	cases := map[string]struct {
		bad    int64
		change func(t *testing.T, a *Archive, entries []LedgerEntry)
	}{
		"an actor was changed": {3, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[2].Actor = "somebody else"
			tamper(t, a, replacing(es[2], 3))
		}},
		"data was changed": {1, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[0].Data = []byte(`{"seed":2}`)
			tamper(t, a, replacing(es[0], 1))
		}},
		"an entry and its hash were changed": {4, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[2].Subject = "x"
			es[2].Hash = must(hashEntry(es[2]))(t)
			tamper(t, a, replacing(es[2], 3))
		}},
		"an entry was put in another's place": {2, func(t *testing.T, a *Archive, es []LedgerEntry) {
			tamper(t, a, replacing(es[3], 2))
		}},
		"an entry cannot be read": {2, func(t *testing.T, a *Archive, es []LedgerEntry) {
			tamper(t, a, func(b *batch) { b.put(ledgerKey(2), []byte{documentVersion, '{'}) })
		}},
		"everything was chained anew from the middle": {5, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[1].Actor = "somebody else"
			for _, e := range rebuilt(t, es) {
				tamper(t, a, replacing(e, e.Seq))
			}
		}},
		"an entry was added after the head": {6, func(t *testing.T, a *Archive, es []LedgerEntry) {
			e := es[4]
			e.Seq, e.Prev = 6, es[4].Hash
			e.Hash = must(hashEntry(e))(t)
			tamper(t, a, replacing(e, 6))
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, entries := ledgerOf(t, 5)
			c.change(t, a, entries)
			_, _, err := a.VerifyLedger(context.Background())
			var broken *LedgerError
			if !errors.As(err, &broken) || broken.Seq != c.bad || !errors.Is(err, ErrCorrupt) {
				t.Errorf("want entry %d, got %v", c.bad, err)
			}
			if err := a.VerifyLatest(context.Background(), 5); !errors.As(err, &broken) || broken.Seq != c.bad {
				t.Errorf("of the latest: want entry %d, got %v", c.bad, err)
			}
		})
	}
}

// TestLatestOfLedger checks that verifying the latest entries finds the faults in them
// and in their link to the entry before them, and reads nothing earlier.
func TestLatestOfLedger(t *testing.T) {
	for name, c := range map[string]struct {
		bad    int64 // 0: none is found
		change func(t *testing.T, a *Archive, es []LedgerEntry)
	}{
		"sound":             {0, func(*testing.T, *Archive, []LedgerEntry) {}},
		"the second":        {0, func(t *testing.T, a *Archive, es []LedgerEntry) { without(t, a, ledgerKey(2)) }},
		"the third missing": {3, func(t *testing.T, a *Archive, es []LedgerEntry) { without(t, a, ledgerKey(3)) }},
		"the last missing":  {5, func(t *testing.T, a *Archive, es []LedgerEntry) { without(t, a, ledgerKey(5)) }},
		"the third": {3, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[2].Actor = "somebody else"
			tamper(t, a, replacing(es[2], 3))
		}},
		"the third with its hash": {4, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[2].Actor = "somebody else"
			es[2].Hash = must(hashEntry(es[2]))(t)
			tamper(t, a, replacing(es[2], 3))
		}},
		"the fourth": {4, func(t *testing.T, a *Archive, es []LedgerEntry) {
			es[3].Subject = "x"
			tamper(t, a, replacing(es[3], 4))
		}},
	} {
		a, entries := ledgerOf(t, 5)
		c.change(t, a, entries)
		err := a.VerifyLatest(context.Background(), 2)
		var broken *LedgerError
		if errors.As(err, &broken) != (c.bad > 0) || broken != nil && broken.Seq != c.bad {
			t.Errorf("%s: want entry %d, got %v", name, c.bad, err)
		}
	}
}

// without removes the given keys from the store.
func without(t *testing.T, a *Archive, hidden ...key) {
	t.Helper()
	m := newMemory()
	b := &batch{}
	err := a.store.scan(context.Background(), nil, nil, func(k, v []byte) error {
		for _, h := range hidden {
			if string(h) == string(k) {
				return nil
			}
		}
		b.put(k, v)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.write(b); err != nil {
		t.Fatal(err)
	}
	a.store = m
}

func TestLedgerMissing(t *testing.T) {
	for name, c := range map[string]struct {
		bad    int64
		hidden []key
	}{
		"in the middle": {2, []key{ledgerKey(2)}},
		"the first":     {1, []key{ledgerKey(1)}},
		"the last two":  {4, []key{ledgerKey(4), ledgerKey(5)}},
		"all":           {1, []key{ledgerKey(1), ledgerKey(2), ledgerKey(3), ledgerKey(4), ledgerKey(5)}},
		"the head":      {1, []key{counterKey(countLedger, "")}},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := ledgerOf(t, 5)
			without(t, a, c.hidden...)
			_, _, err := a.VerifyLedger(context.Background())
			var broken *LedgerError
			if !errors.As(err, &broken) || broken.Seq != c.bad {
				t.Errorf("want entry %d, got %v", c.bad, err)
			}
		})
	}
}

// TestLedgerHash pins the canonical form, which auditors can hash themselves with printf
// '%s' '<the object below>' | sha256sum.
func TestLedgerHash(t *testing.T) {
	// {"actor":"cron","data":{"note":"<b>"},"kind":"run.start","prev":"","seq":1,"subject":"1-a","time":"2026-03-01T02:00:00.123456789Z"}
	const want = "9f574c32ef2232a13ffe93a092ae370deb42afe45e4b6d8daa8e5e780c568757"
	a := OpenMemory()
	closing(t, a)
	e := must(a.Append(context.Background(), LedgerEntry{
		Time: day, Kind: "run.start", Actor: "cron", Subject: "1-a", Data: []byte(`{ "note": "<b>" }`),
	}))(t)
	if e.Hash != want {
		t.Errorf("hash %s", e.Hash)
	}
}
