package gotest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAffected(t *testing.T) {
	base := map[string][]byte{
		"go.mod":          []byte("module example.org/a\n"),
		"a.go":            []byte("package a\n"),
		"b/b.go":          []byte("package b\n\nimport \"example.org/a\"\n"),
		"b/assets/x.txt":  []byte("x"),
		"c/c.go":          []byte("package c\n"),
		"c/c_test.go":     []byte("package c_test\n\nimport _ \"example.org/a/b\"\n"),
		"d/d.go":          []byte("package d\n"),
		"e/go.mod":        []byte("module example.org/e // its own\n\nreplace example.org/a => ../\n"),
		"e/e.go":          []byte("package e\n\nimport _ \"example.org/a/d\"\n"),
		"testdata/go.mod": []byte("module no\n"),
		"testdata/x/x.go": []byte("package x\n\nimport _ \"example.org/a\"\n"),
		"_old/o.go":       []byte("package o\n\nimport _ \"example.org/a\"\n"),
		"docs/README.md":  []byte("words"),
		"f/f_windows.go":  []byte("package f\n\nimport _ \"example.org/a/d\"\n"),
		"f/broken.go":     []byte("package f\n\nimport (\n"),
	}
	for name, c := range map[string]struct {
		change map[string][]byte
		want   []string
		gone   []string
	}{
		"the root":          {map[string][]byte{"a.go": []byte("package a\n\nvar A int\n")}, []string{"example.org/a", "example.org/a/b", "example.org/a/c"}, nil},
		"an embedded file":  {map[string][]byte{"b/assets/x.txt": []byte("y")}, []string{"example.org/a/b", "example.org/a/c"}, nil},
		"across modules":    {map[string][]byte{"d/d.go": []byte("package d\n\nvar D int\n")}, []string{"example.org/a/d", "example.org/a/f", "example.org/e"}, nil},
		"a leaf":            {map[string][]byte{"c/c.go": []byte("package c\n\nvar C int\n")}, []string{"example.org/a/c"}, nil},
		"a removed package": {map[string][]byte{"d/d.go": nil}, []string{"example.org/a", "example.org/a/b", "example.org/a/c", "example.org/a/f", "example.org/e"}, []string{"example.org/a/d"}},
		"a package of its own": {map[string][]byte{"d/go.mod": []byte("module evil\n")}, []string{
			"evil", "example.org/a", "example.org/a/b", "example.org/a/c", "example.org/a/f", "example.org/e",
		}, []string{"example.org/a/d"}},
	} {
		t.Run(name, func(t *testing.T) {
			candidate := map[string][]byte{}
			for p, text := range base {
				candidate[p] = text
			}
			for p, text := range c.change {
				if candidate[p] = text; text == nil {
					delete(candidate, p)
				}
			}
			tr := &checker{lab: &Lab{}, change: changeOf(t, base, candidate), dir: t.TempDir()}
			l, err := tr.lay()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range l.affected {
				got = append(got, p.path)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.gone, l.removed); diff != "" {
				t.Error("gone", diff)
			}
		})
	}
}

func TestLayKeepsTests(t *testing.T) {
	base := map[string][]byte{
		"go.mod": []byte("module m\n"), "a.go": []byte("package a\n"), "a_test.go": []byte("package a\n"),
		"testdata/want": []byte("1"), "gone.go": []byte("package a\n"),
	}
	candidate := map[string][]byte{
		"go.mod": []byte("module m\n"), "a.go": []byte("package a // new\n"), "testdata/want": []byte("2"), "testdata/more": []byte("3"),
		"b_test.go": []byte("package a\n"), "b.go": []byte("package a\n"),
	}
	tr := &checker{lab: &Lab{}, change: changeOf(t, base, candidate), dir: t.TempDir()}
	l, err := tr.lay()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readTree(l.env.tree)
	if err != nil {
		t.Fatal(err)
	}
	want, err := readTree(write(t, map[string][]byte{
		"go.mod": []byte("module m\n"), "a.go": []byte("package a // new\n"), "a_test.go": []byte("package a\n"), "testdata/want": []byte("1"), "b.go": []byte("package a\n"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := differences(want, got); len(diff) > 0 {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b_test.go", "testdata/more"}, l.fresh); diff != "" {
		t.Error(diff)
	}

	again := &checker{lab: &Lab{}, change: tr.change, dir: t.TempDir()}
	again.change.Changed = again.change.Changed[1:]
	if _, err := again.lay(); err == nil {
		t.Error("a file changed of which nothing was said")
	}
}
