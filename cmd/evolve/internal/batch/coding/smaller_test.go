package coding

import (
	"slices"
	"strings"
	"testing"

	"evolve/mutate/blocks"
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
)

// TestSmallerGoCompiles checks that every part offered for a block of Go compiles.
func TestSmallerGoCompiles(t *testing.T) {
	const base = "func rank(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}\n\treturn n * 2\n}\n"
	const text = "func rank(n int) int {\n\tdead := n * 4\n\tdead++\n\treturn n*3 + 0*dead\n}\n"
	files := map[string][]byte{"p.go": []byte("package p\n\n// evolve:begin rank\n" + base + "// evolve:end\n")}
	list, problems := blocks.Find(files)
	if len(list) != 1 {
		t.Fatal(problems)
	}
	start, end := list[0].Span()
	r, err := rewrite.New(rewrite.Source{Files: files}, rewrite.Site{File: "p.go", Start: start, End: end})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := tokens.New("p.go", base)
	if err != nil {
		t.Fatal(err)
	}
	of := typed{r, lines}
	var got []string
	for _, a := range of.Smaller(base, text) {
		p, ok := a.Make()
		if !ok {
			continue
		}
		if problem := r.Problem(p.Text); problem != "" {
			t.Errorf("%s: %s", p.Text, problem)
		}
		got = append(got, p.Text)
	}
	for _, want := range []string{
		"func rank(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}\n\tdead := n * 4\n\tdead++\n\treturn n*3 + 0*dead\n}\n",
		"func rank(n int) int {\n\tdead := n * 4\n\treturn n*3 + 0*dead\n}\n",
		"func rank(n int) int {\n\tdead := n * 4\n\tdead++\n\treturn n * 3\n}\n",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no\n%s among\n%s", want, strings.Join(got, "---\n"))
		}
	}
	if (typed{Rewriter: r}).Smaller(base, text) != nil {
		t.Error("a block that is too large has parts")
	}
}
