package gotest

import (
	"maps"
	"strings"
	"testing"
)

// TestRace checks the tests of the base under the race detector. If a patch moves a read
// before its lock, the tests must find this and report it as a race that the base does
// not have.
func TestRace(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles with the race detector")
	}
	t.Parallel()
	l := newLab(t)
	if why := l.raceless(); why != "" {
		t.Skip(why)
	}
	base := map[string][]byte{
		"go.mod":    []byte("module example.org/r\n\ngo 1.25\n"),
		"r.go":      []byte("package r\n\nimport \"sync\"\n\ntype Box struct {\n\tmu sync.Mutex\n\tn  int\n}\n\nfunc (b *Box) Add() {\n\tb.mu.Lock()\n\tdefer b.mu.Unlock()\n\tb.n++\n}\n"),
		"r_test.go": []byte("package r\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestAdd(t *testing.T) {\n\tb := &Box{}\n\tvar wg sync.WaitGroup\n\tfor range 2 {\n\t\twg.Go(func() {\n\t\t\tb.Add()\n\t\t})\n\t}\n\twg.Wait()\n\tif b.n < 1 {\n\t\tt.Error(b.n)\n\t}\n}\n"),
	}
	candidate := map[string][]byte{"go.mod": base["go.mod"], "r_test.go": base["r_test.go"]}
	candidate["r.go"] = []byte(strings.Replace(string(base["r.go"]), "b.mu.Lock()\n\tdefer b.mu.Unlock()\n\tb.n++", "n := b.n + 1\n\tb.mu.Lock()\n\tdefer b.mu.Unlock()\n\tb.n = n", 1))
	_, verdicts, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate))
	if verdicts[Race] != "flagged" || !strings.Contains(said, "a data race: r.go:1") {
		t.Errorf("%s\n%s", verdicts[Race], said)
	}
	// A test that fails on the base and passes with the patch runs under the detector
	// as well.
	broken, mended := maps.Clone(base), maps.Clone(base)
	broken["r.go"] = []byte(strings.Replace(string(base["r.go"]), "b.n++", "", 1))
	broken["other_test.go"] = []byte("package r\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif new(Box).n != 0 {\n\t\tt.Error()\n\t}\n}\n")
	mended["other_test.go"], mended["r.go"] = broken["other_test.go"], candidate["r.go"]
	_, verdicts, said = judgeChange(t.Context(), t, l, changeOf(t, broken, mended))
	if verdicts[Race] != "flagged" || !strings.Contains(said, "a data race: r.go:1") {
		t.Errorf("a mended test: %s\n%s", verdicts[Race], said)
	}
}
