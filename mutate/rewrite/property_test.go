package rewrite

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wholeCheck type-checks files including every body and every import.
func wholeCheck(imports types.Importer, name string, files map[string]string) error {
	set := token.NewFileSet()
	var list []*ast.File
	for _, p := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(set, p, files[p], parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		list = append(list, f)
	}
	_, err := (&types.Config{Importer: imports}).Check(name, set, list, nil)
	return err
}

// TestChains checks that chains of mutants and crossovers, up to 30 generations long, are
// valid, that all operators occur, and that the compiler accepts a sample of the results.
func TestChains(t *testing.T) {
	const generations, perFixture, built = 30, 500, 15
	imports := sourceImporter(t)
	count, refused, total := map[string]int{}, 0, 0
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module m\n\ngo 1.24\n")
	for _, f := range fixtures {
		r, base := f.open(t)
		n := 0
		for seed := uint64(0); n < perFixture; seed++ {
			rng := random(seed)
			text, before := base, base
			for g := 0; g < generations && n < perFixture; g++ {
				var c Change
				var ok bool
				if g%6 == 5 {
					c, ok = r.Cross(text, before, rng)
				} else {
					c, ok = r.Mutate(text, rng)
				}
				if !ok {
					refused++
					continue
				}
				n++
				total++
				count[c.Operator]++
				if err := wholeCheck(imports, f.name, f.with(c.Text)); err != nil {
					t.Fatalf("%s, seed %d, generation %d: %s, %s: %v\n%s", f.name, seed, g, c.Operator, c.Describes, err, c.Text)
				}
				if out, err := format.Source([]byte(c.Text)); err != nil || string(out) != c.Text {
					t.Fatalf("not formatted: %v\n%s", err, c.Text)
				}
				if size := Size(c.Text); size > 3*Size(base)+100 {
					t.Fatalf("%s has grown to %d", f.name, size)
				}
				if strings.Contains(c.Describes, "\n") || !strings.HasPrefix(c.Describes, "line ") {
					t.Fatalf("description %q", c.Describes)
				}
				before, text = text, c.Text
				if n%(perFixture/built) == 0 {
					for name, src := range f.with(c.Text) {
						dir := fmt.Sprintf("%s%d", f.name, n)
						write(t, filepath.Join(root, dir, name), src)
					}
				}
			}
		}
	}
	t.Logf("%d valid, %d without a result", total, refused)
	for _, o := range operators {
		t.Logf("%-15s %4d", o.name, count[o.name])
		if count[o.name] == 0 {
			t.Errorf("%s does not occur", o.name)
		}
	}
	if refused > total/20 {
		t.Errorf("%d attempts had no result, %d had one", refused, total)
	}
	for _, args := range [][]string{{"build", "./..."}, {"vet", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMutate measures how fast mutants of mutants are made.
func BenchmarkMutate(b *testing.B) {
	for _, f := range fixtures {
		b.Run(f.name, func(b *testing.B) {
			r, base := f.open(b)
			rng := random(1)
			text := base
			for i := range b.N {
				c, ok := r.Mutate(text, rng)
				if text = c.Text; !ok || i%10 == 0 {
					text = base
				}
			}
		})
	}
}
