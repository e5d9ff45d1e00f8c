package rewrite

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibrary rewrites functions of the standard library, as declarations and as
// statements, without an importer, and then type-checks the whole packages with an
// importer.
func TestLibrary(t *testing.T) {
	packages, perBlock, most := []string{"sort", "container/heap"}, 2, 20
	if list := os.Getenv("EVOLVE_LIBRARY"); list != "" {
		packages, perBlock, most = strings.Fields(list), 4, 1000
	}
	imports := sourceImporter(t)
	valid, none, refused := 0, 0, 0
	for _, name := range packages {
		p, err := build.Import(name, "", 0)
		if err != nil {
			t.Skip(err)
		}
		files := map[string][]byte{}
		f := fixture{name: p.Name, files: map[string]string{}}
		for _, n := range append(p.GoFiles, p.CgoFiles...) {
			data, err := os.ReadFile(filepath.Join(p.Dir, n))
			if err != nil {
				t.Fatal(err)
			}
			files[n], f.files[n] = data, string(data)
		}
		if err := wholeCheck(imports, name, f.files); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		blocks := 0
		for _, n := range p.GoFiles {
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, n, files[n], parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			offset := func(p token.Pos) int { return set.Position(p).Offset }
			for i, d := range tree.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || blocks >= most {
					continue
				}
				at := Site{n, offset(fn.Pos()), offset(fn.End())}
				if i%2 == 1 && len(fn.Body.List) > 0 {
					at.Start, at.End = offset(fn.Body.Lbrace)+1, offset(fn.Body.Rbrace)
				}
				blocks++
				r, err := New(Source{Files: files}, at)
				if err != nil {
					refused++
					t.Logf("%s, %s: %v", name, fn.Name.Name, err)
					continue
				}
				text, rng := string(files[n][at.Start:at.End]), random(uint64(i))
				for range perBlock {
					c, ok := r.Mutate(text, rng)
					if !ok {
						none++
						break
					}
					text = c.Text
					src := f.files[n]
					f.files[n] = src[:at.Start] + text + src[at.End:]
					err := wholeCheck(imports, name, f.files)
					f.files[n] = src
					if err != nil {
						t.Errorf("%s, %s: %s, %s: %v", name, fn.Name.Name, c.Operator, c.Describes, err)
						break
					}
					valid++
				}
			}
		}
	}
	t.Logf("%d mutants are valid, %d functions offer nothing, %d are refused", valid, none, refused)
}
