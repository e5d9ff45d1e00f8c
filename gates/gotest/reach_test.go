package gotest

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWatched checks that every statement of every function reports a word that identifies
// it, and that the rest of a file keeps its lines.
func TestWatched(t *testing.T) {
	files := map[string][]byte{
		"p/a.go": []byte("package p\n\nvar v = func() int { return 1 }()\n\nfunc F(n int) int {\n\tif n > 1 {\n\t\treturn 2\n\t} else if n < 0 {\n\t\tn++\n\t}\nouter:\n\tfor {\n\t\tswitch {\n\t\tcase n == 0:\n\t\t\tbreak outer\n\t\t}\n\t}\n\treturn n\n}\n"),
		"p/b.go": []byte("package p\n\nfunc G() { F(1) }\n"),
	}
	w := parseFolder(files).watched("p", "p/z.go", "helper", "VARIABLE")
	stands := map[string]int{}
	for word, at := range w.places {
		number, ok := strings.CutPrefix(word, "helper")
		rest := files[at.file][at.at:]
		if !ok || !strings.Contains(string(w.files[at.file]), "helperReach("+number+"); "+string(rest[:min(3, len(rest))])) {
			t.Errorf("%s: %v", word, at)
		}
		first, _, _ := strings.Cut(string(rest), "\n")
		stands[strings.TrimSpace(first)]++
	}
	for _, text := range []string{"break outer", "F(1) }", "if n > 1 {", "n++", "outer:", "return 2", "return n", "switch {"} {
		if stands[text] != 1 {
			t.Errorf("%q reports %d times", text, stands[text])
		}
	}
	for file, text := range w.files {
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil || f.Name.Name != "p" {
			t.Fatal(err)
		}
		if before := files[file]; before != nil && strings.Count(string(text), "\n") != strings.Count(string(before), "\n") {
			t.Errorf("%s has other lines", file)
		}
	}
	calls := 0
	f, err := parser.ParseFile(token.NewFileSet(), "", w.files["p/a.go"], 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && id.Name == "helperReach" {
			calls++
		}
		return true
	})
	if calls+1 != len(w.places) || !slices.Contains(slices.Sorted(maps.Keys(w.files)), "p/z.go") {
		t.Errorf("%d calls for %d places in %v", calls, len(w.places), slices.Sorted(maps.Keys(w.files)))
	}
}

// TestReachKept checks that a stored reach is found again, and that a missing or incomplete
// one is not.
func TestReachKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "facts", "reach.json")
	if _, err := recall[reach](name); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := store(name, reach{"a.go": {7, 40}}); err != nil {
		t.Fatal(err)
	}
	got, err := recall[reach](name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reach{"a.go": {7, 40}}, got); diff != "" {
		t.Error(diff)
	}
	set := map[place]bool{}
	got.add(set)
	if diff := cmp.Diff(map[place]bool{{"a.go", 7}: true, {"a.go", 40}: true}, set, cmp.AllowUnexported(place{})); diff != "" {
		t.Error(diff)
	}
}
