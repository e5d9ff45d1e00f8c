//go:build unix

package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repairedAt repairs a damaged archive, checks it, and returns it.
func repairedAt(t *testing.T, dir string) (*Repair, *Archive) {
	t.Helper()
	ctx := context.Background()
	before := sums(t, dir)
	plan, err := PlanRepair(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	if after := sums(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Fatal("planning a repair changes the archive")
	}
	done, err := RepairArchive(ctx, dir, Building{Owner: "evolve archive repair"})
	if err != nil {
		t.Fatal(err)
	}
	if after := sums(t, done.Aside); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("what was moved aside is not the damaged archive as it was")
	}
	plan.Aside = done.Aside
	if fmt.Sprint(plan) != fmt.Sprint(done) {
		t.Errorf("planned %+v, done %+v", plan, done)
	}
	a := openAt(t, dir)
	closing(t, a)
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
	if _, err := a.CheckWitness(ctx); err != nil {
		t.Error(err)
	}
	return done, a
}

// evaluationsOf counts the evaluations in an archive.
func evaluationsOf(t *testing.T, a *Archive) int {
	t.Helper()
	s, err := a.Stats(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s.Evaluations
}

// TestRepair checks that a repair recovers everything before and after the damage, recovers
// the ledger up to the break, and adds an entry about the lost records.
func TestRepair(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := killedArchive(t)
	whole := readAt(t, w.copy(t, nil))
	closing(t, whole)
	all := evaluationsOf(t, whole)
	entries, _, err := whole.VerifyLedger(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		// most is the maximum number of evaluations that may be lost, and least is the
		// minimum number of ledger entries that must remain.
		most  int
		least int64
	}{
		"a bit of the log":      {damage: func(t *testing.T, dir string) { flip(8*9000+3)(t, fileOf(t, dir, "*.mem")) }, most: 1, least: entries},
		"a bit of the values":   {damage: func(t *testing.T, dir string) { flip(8*20000+3)(t, fileOf(t, dir, "*.vlog")) }, most: 1, least: 5},
		"the manifest":          {damage: func(t *testing.T, dir string) { remove(t, fileOf(t, dir, "MANIFEST")) }, least: entries},
		"the list of keys":      {damage: func(t *testing.T, dir string) { cut(1, 2)(t, fileOf(t, dir, "KEYREGISTRY")) }, least: entries},
		"a table":               {damage: func(t *testing.T, dir string) { remove(t, fileOf(t, dir, "*.sst")) }, most: 80, least: entries},
		"the log":               {damage: func(t *testing.T, dir string) { remove(t, fileOf(t, dir, "*.mem")) }, least: entries},
		"the values":            {damage: func(t *testing.T, dir string) { remove(t, fileOf(t, dir, "*.vlog")) }, most: 120, least: 5},
		"half of the value log": {damage: func(t *testing.T, dir string) { cut(1, 2)(t, fileOf(t, dir, "*.vlog")) }, most: 80, least: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := w.copy(t, c.damage)
			done, a := repairedAt(t, dir)
			if lost := all - evaluationsOf(t, a); lost < 0 || lost > c.most {
				t.Errorf("%d of %d evaluations are lost", lost, all)
			}
			n, _, err := a.VerifyLedger(ctx)
			if err != nil || n != done.Ledger+1 || done.Ledger < c.least || done.LedgerKnown < entries {
				t.Errorf("the ledger: %d entries, %+v, %v", n, done, err)
			}
			var last LedgerEntry
			for e, err := range a.Ledger(ctx, n) {
				if last = e; err != nil {
					t.Fatal(err)
				}
			}
			var told Repair
			if err := json.Unmarshal(last.Data, &told); err != nil || last.Kind != LedgerRepaired || len(told.Damage) == 0 {
				t.Errorf("the last entry is %+v (%v)", last, err)
			}
			again, err := RepairArchive(ctx, w.copy(t, nil), Building{})
			if err != nil || !again.Sound() || again.Aside != "" {
				t.Errorf("a sound archive is repaired: %+v %v", again, err)
			}
		})
	}
}

// TestRepairKilled kills a repair at each of its steps. Afterwards the archive's path must
// hold either the damaged archive or the repaired one, and the repair must be repeatable.
func TestRepairKilled(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := killedArchive(t)
	for _, point := range []string{"begun", "filled", "synced", "beside", "moved"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := w.copy(t, func(t *testing.T, dir string) { flip(8*9000+3)(t, fileOf(t, dir, "*.mem")) })
			before := sums(t, dir)
			out, err := child(t, "repair", dir, point).CombinedOutput()
			if err == nil || strings.Contains(string(out), "failed") {
				t.Fatalf("%v: %s", err, out)
			}
			if point != "moved" {
				if fmt.Sprint(sums(t, dir)) != fmt.Sprint(before) {
					t.Error("the damaged archive was changed")
				}
				repairedAt(t, dir)
			} else if got, err := RepairArchive(ctx, dir, Building{}); err != nil || !got.Sound() {
				t.Errorf("after it was moved: %+v %v", got, err)
			}
			asides, err := filepath.Glob(dir + damagedSuffix + "*")
			if err != nil || len(asides) == 0 {
				t.Errorf("the damaged archive is gone: %v %v", asides, err)
			}
			if _, err := os.Stat(filepath.Join(dir+buildingSuffix, "archive")); err == nil {
				t.Error("what a killed repair was building stays")
			}
		})
	}
}

// TestRepairHeld checks that an archive that a process holds is not repaired.
func TestRepairHeld(t *testing.T) {
	a := openAt(t, filepath.Join(t.TempDir(), "archive"))
	closing(t, a)
	filled(t, a)
	if _, err := RepairArchive(context.Background(), a.dir, Building{}); !errors.Is(err, ErrLocked) {
		t.Errorf("%v", err)
	}
	if _, err := RepairArchive(context.Background(), filepath.Join(t.TempDir(), "none"), Building{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no archive: %v", err)
	}
}
