package gotest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEmbeds checks that code is found if it can read the files of a package's tests,
// wherever the code is, and that no other code is found.
func TestEmbeds(t *testing.T) {
	for pattern, want := range map[string]string{
		"*.go":                       `example.org/m embeds "*.go"`,
		"text *":                     `example.org/m embeds "*"`,
		"all:.":                      `example.org/m embeds "."`,
		"\"a_test.go\"":              `example.org/m embeds "a_test.go"`,
		"text `a?test.go`":           `example.org/m embeds "a?test.go"`,
		"text/*.go text2/a.go":       "",
		"a.go":                       "",
		"*.txt":                      "",
		"\"with spaces\" \"*.tmpl\"": "",
	} {
		root := write(t, map[string][]byte{
			"go.mod": []byte("module example.org/m\n"), "a_test.go": []byte("package m\n"),
			"a.go": []byte("package m\n\nimport \"embed\"\n\n//go:embed " + pattern + "\nvar files embed.FS\n"),
		})
		g, err := scanImports(root)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, g.embeds(g.folders["."])); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	root := write(t, map[string][]byte{
		"go.mod": []byte("module example.org/m\n"), "in/a.go": []byte("package in\n"), "in/a_test.go": []byte("package in\n"), "b/b.go": []byte("package b\n"), "b/b_test.go": []byte("package b\n\n//go:embed *\n"),
		"m.go": []byte("package m\n\n//go:embed in\nvar files embed.FS\n"),
	})
	g, err := scanImports(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.embeds(g.folders["in"]); got != `example.org/m embeds "in"` {
		t.Error(got)
	}
	if got := g.embeds(g.folders["b"]); got != "" {
		t.Error(got)
	}
}
