package typed

import (
	"slices"
	"strings"
	"testing"
)

// TestBetweenPackages checks that a guard or a use of the environment that moves to
// another package with its function is not reported, and that a guard or use that is lost
// in the move is reported.
func TestBetweenPackages(t *testing.T) {
	const (
		check = "\tif !filepath.IsLocal(p) {\n\t\treturn os.ErrInvalid\n\t}\n"
		ask   = "\ta, _ := os.Stat(p)\n\tb, _ := os.Stat(p + p)\n\tn := len(p)\n\tif n > 3 {\n\t\tn--\n\t}\n\treturn n > 1 && os.SameFile(a, b)\n"
		local = "package p\nimport (\n\"os\"\n\"path/filepath\"\n)\nfunc F(p string) error {\n\tif err := open(p); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\nfunc open(p string) error {\n" + check + "\treturn nil\n}\n"
		there = "package p\nimport \"example.org/x/q\"\nfunc F(p string) error {\n\tif err := q.Open(p); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"
		moved = "package q\nimport (\n\"os\"\n\"path/filepath\"\n)\nfunc Open(p string) error {\n" + check + "\treturn nil\n}\n"
	)
	root := installed(t)
	for name, c := range map[string]struct {
		old, now        map[string]string
		guards, outside string // part of a finding, or "" for none
	}{
		"a guard": {old: map[string]string{"p/p.go": local}, now: map[string]string{"p/p.go": there, "q/q.go": moved}},
		"a guard that is lost": {
			old: map[string]string{"p/p.go": local}, now: map[string]string{"p/p.go": there, "q/q.go": strings.NewReplacer(check, "", "\"os\"\n", "", "\"path/filepath\"\n", "").Replace(moved)},
			guards: "confinement of a path to its folder is missing",
		},
		"a use": {
			old: map[string]string{"p/p.go": "package p\nimport \"os\"\nfunc same(p string) bool {\n" + ask + "}\n"},
			now: map[string]string{"p/p.go": "package p\n", "q/q.go": "package q\nimport \"os\"\nfunc Same(p string) bool {\n" + ask + "}\n"},
		},
		"a use that is new there": {
			old:     map[string]string{"p/p.go": "package p\nimport \"os\"\nfunc same(p string) bool {\n" + ask + "}\n"},
			now:     map[string]string{"p/p.go": "package p\n", "q/q.go": "package q\nimport \"os\"\nfunc F(a, b os.FileInfo) bool { return os.SameFile(a, b) }\n"},
			outside: "it uses os.SameFile",
		},
		"a use that is copied": {
			old:     map[string]string{"p/p.go": "package p\nimport \"os\"\nfunc same(p string) bool {\n" + ask + "}\n"},
			now:     map[string]string{"p/p.go": "package p\nimport \"os\"\nfunc same(p string) bool {\n" + ask + "}\n", "q/q.go": "package q\nimport \"os\"\nfunc Same(p string) bool {\n" + ask + "}\n"},
			outside: "it uses os.SameFile",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Read(t.Context(), Change{Base: layAll(t, c.old), Candidate: layAll(t, c.now), Changed: []string{"p/p.go", "q/q.go"}, Root: root})
			if err != nil {
				t.Fatal(err)
			}
			for want, list := range map[*string][]Finding{&c.guards: got.Guards, &c.outside: got.Outside} {
				if *want == "" && len(list) > 0 || *want != "" && !slices.ContainsFunc(list, func(f Finding) bool { return strings.Contains(f.Why, *want) }) {
					t.Errorf("found %v, want %q", list, *want)
				}
			}
		})
	}
}
