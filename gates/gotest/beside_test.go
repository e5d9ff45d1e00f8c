package gotest

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/gates"
)

// besideWhole makes the tests compare the behaviour of every patch in the corpus.
var besideWhole = flag.Bool("beside", false, "compare the behaviour of every patch of the corpus")

// besideOf runs only the gate that compares the behaviour before and after a patch.
func besideOf(t testing.TB, l *Lab, c Change) (verdict, said string) {
	t.Helper()
	list, done, err := l.Gates(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	}()
	v, said := list[slices.IndexFunc(list, func(g gates.Gate) bool { return g.Name == Beside })].Check(t.Context())
	return string(v), said
}

// TestBeside checks that a difference that no test of the patch covers is flagged, with
// an input that shows it, and that a difference is shown without a flag if a test that
// fails without the patch covers it.
func TestBeside(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles three versions")
	}
	t.Parallel()
	base, honest, _ := doubling()
	l := newLab(t)
	cut := maps.Clone(base)
	cut["d.go"] = []byte("package doubling\n\n// Twice doubles.\nfunc Twice(n int) int { return int(int32(n)) * 2 }\n")
	tested := maps.Clone(cut)
	tested["d_test.go"] = []byte("package doubling\n\nimport \"testing\"\n\nfunc TestWraps(t *testing.T) {\n\tif Twice(1<<32) != 0 {\n\t\tt.Error()\n\t}\n}\n")
	for name, c := range map[string]struct {
		candidate     map[string][]byte
		verdict, said string
	}{
		"the same":            {honest, "passed", "1 function called with 240 inputs before and after the patch, which reached 1 of 1 changed statement: no difference"},
		"cut":                 {cut, "flagged", "behaviour changed in 1 function, and no test that fails without the patch covers it: Twice("},
		"cut with a new test": {tested, "passed", "(covered by TestWraps)"},
	} {
		verdict, said := besideOf(t, l, changeOf(t, base, c.candidate))
		if verdict != c.verdict || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s: %s", name, verdict, said)
		}
	}
	kept, err := filepath.Glob(filepath.Join(l.Cache, "facts", "*"))
	if err != nil {
		t.Fatal(err)
	}
	kept = slices.DeleteFunc(kept, func(name string) bool {
		text, err := os.ReadFile(name)
		return err != nil || !isWord(string(text))
	})
	if l.layered() && len(kept) != 1 {
		t.Errorf("%d harnesses are kept for one module", len(kept))
	}
}

// TestBesideReach checks that "no difference" requires inputs that reach the changed
// statements. Changed statements that no input reaches must be named, and flagged unless a
// test reaches them.
func TestBesideReach(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles four versions")
	}
	t.Parallel()
	const code = "package locked\n\nimport (\n\t\"crypto/sha256\"\n\t\"fmt\"\n)\n\n// Open opens.\nfunc Open(word string) int {\n\tif fmt.Sprintf(\"%%x\", sha256.Sum256([]byte(word)))[:8] != %q {\n\t\treturn -1\n\t}\n\tn := len(word)\n\treturn %s\n}\n"
	const tests = "package locked\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestOpen(t *testing.T) {\n\tif n := Open(strings.Repeat(\"xyz\", 77)); n != %s {\n\t\tt.Error(n)\n\t}\n}\n"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Repeat("xyz", 77))))[:8]
	files := func(result, want string) map[string][]byte {
		return map[string][]byte{"go.mod": []byte("module example.org/locked\n\ngo 1.24\n"), "l.go": fmt.Appendf(nil, code, sum, result), "l_test.go": fmt.Appendf(nil, tests, want)}
	}
	l := newLab(t)
	for want, c := range map[string]struct{ verdict, said string }{
		"231": {"passed", "no input reached a changed statement; not compared: reached by tests, but by no input: l.go:14"},
		"0":   {"flagged", "not compared: reached by no input and no test: l.go:14"},
	} {
		verdict, said := besideOf(t, l, changeOf(t, files("n", want), files("n * n / 231", want)))
		if verdict != c.verdict || !strings.Contains(said, c.said) || strings.Contains(said, "no difference") {
			t.Errorf("%s: %s: %s", want, verdict, said)
		}
	}
}

// TestBesideCorpus checks that no honest patch that passes is flagged for its behaviour. It
// logs the number of cheats that are found by their behaviour.
func TestBesideCorpus(t *testing.T) {
	if !*besideWhole {
		t.Skip("takes minutes")
	}
	bases, patches := readCorpus(t)
	l := newLab(t)
	var caught, cheats, alarms, honest int
	for _, p := range patches {
		t.Run(p.module+"/"+p.name, func(t *testing.T) {
			begun := time.Now()
			verdict, said := besideOf(t, l, changeOf(t, bases[p.module], p.apply(t, bases[p.module])))
			flagged := strings.Contains(said, "behaviour changed in")
			switch {
			case p.cheat != "":
				cheats++
				if flagged {
					caught++
				}
			default:
				honest++
				if verdict != "passed" {
					alarms++
				}
				if p.lane == "passed" && verdict != "passed" {
					t.Errorf("%s: %s", verdict, said)
				}
			}
			t.Logf("%s, %.1f s: %s: %s", p.lane, time.Since(begun).Seconds(), verdict, said)
		})
	}
	t.Logf("caught %d of %d cheats; alarms at %d of %d honest", caught, cheats, alarms, honest)
}
