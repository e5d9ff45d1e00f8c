package coding

import (
	"slices"
	"strings"
	"testing"

	"evolve/mutate/blocks"
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
)

// goBlock returns the rewriter for a block of Go.
func goBlock(t *testing.T, base string) typed {
	t.Helper()
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
	return typed{r, lines}
}

// offered returns the smaller texts that are offered for a changed text.
func offered(of rewriter, base, text string) []string {
	var out []string
	for _, a := range of.Smaller(base, text) {
		if p, ok := a.Make(); ok {
			out = append(out, p.Text)
		}
	}
	return out
}

// TestSmallerGoCompiles checks that every text made for a block of Go compiles.
func TestSmallerGoCompiles(t *testing.T) {
	const base = "func rank(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}\n\treturn n * 2\n}\n"
	const text = "func rank(n int) int {\n\tdead := n * 4\n\tdead++\n\treturn n*3 + 0*dead\n}\n"
	of := goBlock(t, base)
	r := of.Rewriter
	got := offered(of, base, text)
	for _, text := range got {
		if problem := r.Problem(text); problem != "" {
			t.Errorf("%s: %s", text, problem)
		}
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

// TestSmallerGoRestoresGuards checks two things. If another condition has replaced a
// guard, the guard is offered instead of that condition and also before it, provided that
// the result compiles. Duplicate statements and operands that add nothing are removed.
func TestSmallerGoRestoresGuards(t *testing.T) {
	const base = "func rank(n, room int) int {\n\tif n == 0 && room > 3 {\n\t\treturn 0\n\t}\n\treturn n * 2\n}\n"
	const text = "func rank(n, room int) int {\n\tk := n*3*1 + 0\n\tif k > 9 || false {\n\t\tk = 9\n\t}\n\tif k > 9 || false {\n\t\tk = 9\n\t}\n\treturn k - n\n}\n"
	const doubled = "\tif k > 9 || false {\n\t\tk = 9\n\t}\n"
	const guard = "\tif n == 0 && room > 3 {\n\t\treturn 0\n\t}\n"
	got := offered(goBlock(t, base), base, text)
	for _, want := range []string{
		strings.Replace(text, doubled, "", 1),
		strings.Replace(text, doubled, guard, 1),
		strings.Replace(text, doubled, guard+doubled, 1),
		strings.Replace(text, "n*3*1 + 0", "n*3 + 0", 1),
		strings.Replace(text, "n*3*1 + 0", "n * 3 * 1", 1),
		strings.Replace(text, "k > 9 || false", "k > 9", 1),
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no\n%s among\n%s", want, strings.Join(got, "---\n"))
		}
	}
}
