package tool

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var repo = map[string]string{
	"go.mod":           "module example.org/shop\n\ngo 1.26\n",
	"main.go":          "// Command shop sells.\npackage main\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/shop/cart\"\n)\n\nfunc main() { fmt.Println(cart.New()) }\n",
	"cart/cart.go":     "// Package cart holds what is bought. More text.\npackage cart\n\nimport \"example.org/shop/price\"\n\n// Cart is one.\ntype Cart struct{}\n\nfunc New() *Cart { return nil }\n\nfunc (c *Cart) Add(p price.Price) {}\n\nfunc helper() {}\n",
	"price/price.go":   "package price\n\nimport \"example.org/shop/tax\"\n\ntype Price int\n\nvar _ = tax.Rate\n",
	"tax/tax.go":       "package tax\n\nimport _ \"example.org/shop/price\"\n\nconst Rate = 7\n",
	"report/report.go": "package report\n\nimport _ \"example.org/shop/price\"\n",
	"e2e/e2e_test.go":  "package e2e\n",
	"broken/broken.go": "package broken\n\nfunc (",
	"README.md":        "# Shop\n\nSells things.\n",
}

func decode[T any](t *testing.T, res Result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(res.Output), &v); err != nil {
		t.Fatalf("%v: %s", err, res.Output)
	}
	return v
}

func TestDependencyMap(t *testing.T) {
	r, e := registry(t), lay(t, repo)
	m := decode[DependencyMap](t, do(t, r, e, "dependency_map", `{}`))
	want := DependencyMap{
		Module: "example.org/shop",
		Packages: []Imports{
			{".", []string{"cart"}, []string{}, ""},
			{"broken", []string{}, []string{}, ""},
			{"cart", []string{"price"}, []string{"."}, ""},
			{"price", []string{"tax"}, []string{"cart", "report", "tax"}, ""},
			{"report", []string{"price"}, []string{}, ""},
			{"tax", []string{"price"}, []string{"price"}, ""},
		},
		Cycles:  [][]string{{"price", "tax"}},
		Orphans: []string{"broken", "report"},
		Core:    []string{"price"},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	one := decode[DependencyMap](t, do(t, r, e, "dependency_map", `{"package":"example.org/shop/tax"}`))
	if diff := cmp.Diff(want.Packages[5:], one.Packages); diff != "" {
		t.Error(diff)
	}
}

func TestFileSummary(t *testing.T) {
	r, e := registry(t), lay(t, repo)
	got := decode[FileSummary](t, do(t, r, e, "file_summary", `{"path":"cart/cart.go"}`))
	want := FileSummary{
		Path: "cart/cart.go", Lines: 13, Language: "Go", Package: "cart",
		Doc: "Package cart holds what is bought. More text.", Purpose: "Package cart holds what is bought.",
		Types: []string{"Cart"}, Functions: []string{"New", "Cart.Add", "helper"}, Exported: []string{"Cart", "New", "Cart.Add"},
		Imports: []string{"example.org/shop/price"}, ImportedBy: []string{"."},
		Kinds: []string{"struct"}, Signatures: []string{"func New() *Cart", "func (c *Cart) Add(p price.Price)", "func helper()"},
		Origins: &Origins{Internal: []string{"example.org/shop/price"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text := decode[FileSummary](t, do(t, r, e, "file_summary", `{"path":"README.md"}`))
	if diff := cmp.Diff(FileSummary{Path: "README.md", Lines: 3, Doc: "Sells things.", Headings: []string{"Shop"}}, text); diff != "" {
		t.Error(diff)
	}
}

func TestRepoIndex(t *testing.T) {
	r, e := registry(t), lay(t, repo)
	x := decode[RepoIndex](t, do(t, r, e, "repo_index", `{}`))
	if x.Files != 9 || x.Module != "example.org/shop" || x.Languages[0].Name != "Go" || x.Languages[0].Files != 7 {
		t.Errorf("%+v", x)
	}
	if diff := cmp.Diff([]string{"main.go"}, x.EntryPoints); diff != "" {
		t.Error(diff)
	}
	for _, d := range x.Directories {
		if d.Path == "cart" && d.Description != "Package cart holds what is bought." {
			t.Errorf("%+v", d)
		}
	}
}
