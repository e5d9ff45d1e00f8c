package rewrite

import (
	"strings"
	"testing"
)

// TestNewRefuses checks the reasons why a block is refused.
func TestNewRefuses(t *testing.T) {
	for _, c := range []struct{ before, text, after, want string }{
		{"package p\n\n", "func f() {\n", "}\n", "the block must consist of whole declarations"},
		{"package p\n\nconst (\n", "a = 1\n", ")\n", "the block must consist of whole declarations"},
		{"package p\n\n", "func f() {}\nconst (\n", "a = 1\n)\n", "the block must consist of whole declarations"},
		{"package p\n\nfunc f(n int) {\n", "if n > 2 {\n", "}\n}\n", "ends within a statement, or contains no statement"},
		{"package p\n\nfunc f(n int) {\n", "// nothing\n", "}\n", "ends within a statement, or contains no statement"},
		{"package p\n\n", "// nothing\n", "", "has no declaration"},
		{"package p\n\n", "import \"math\"\n\nvar x = math.Pi\n", "", "has import declarations"},
		{"package p\n\n", "func f() int { return \"\" }\n", "", "does not type-check: cannot use"},
		{"package p\n\n", "func f() { x := 1 }\n", "", "does not type-check: declared and not used: x"},
		{"package p\n\n", "func f( {\n", "}\n", "does not parse"},
		{"package p\n\nimport . \"math\"\n\n", "func f() float64 { return Pi }\n", "", "dot import"},
		{"package p\n\n", "var x = " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + "\n", "", "nests brackets more than 256 levels deep"},
		{"package p\n\n", "var x = " + strings.Repeat("(", 6e4) + "\n", "", "nests brackets more than 256 levels deep"},
		{"package p\n\nvar y = " + strings.Repeat("(", 1e5) + "\n", "var x = 1\n", "", "nests brackets more than 256 levels deep"},
		{"package p\n\n", "var x = " + strings.Repeat("-!", 3e4) + "1\n", "", "more than 1000 levels"},
		{"package p\n\n", "var x = 1" + strings.Repeat("+1", 2000) + "\n", "", "more than 1000 levels"},
		{"package p\n\n", "var x = 1 //" + strings.Repeat("x", mostText) + "\n", "", "the limit for rewriting is 65536"},
	} {
		f := block(c.before, c.text, c.after)
		src := f.files["a.go"]
		start := strings.Index(src, begin) + len(begin)
		_, err := New(Source{Files: map[string][]byte{"a.go": []byte(src)}}, Site{"a.go", start, start + len(c.text)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %q", c.text, err, c.want)
		}
	}
	for _, at := range []Site{{"b.go", 0, 1}, {"a.go", -1, 1}, {"a.go", 1, 0}, {"a.go", 0, 99}} {
		if _, err := New(Source{Files: map[string][]byte{"a.go": []byte("package p\n")}}, at); err == nil {
			t.Errorf("%+v is accepted", at)
		}
	}
}

// TestNewAccepts checks that New accepts unusual packages, including some with errors
// outside the block.
func TestNewAccepts(t *testing.T) {
	for name, f := range map[string]fixture{
		"cgo":      block("package p\n\n// int x;\nimport \"C\"\n\n", "func f(a float64) float64 { return a + float64(C.x) }\n", ""),
		"embed":    block("package p\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar s string\n\n", "func f(a int) int { return a + len(s) }\n", ""),
		"labels":   block("package p\n\n", "func f(a int) int {\nouter:\n\tfor i := range a {\n\t\tfor range i {\n\t\t\tif a > 3 {\n\t\t\t\tcontinue outer\n\t\t\t}\n\t\t}\n\t}\n\treturn a\n}\n", ""),
		"generics": block("package p\n\ntype number interface{ ~int | ~float64 }\n\n", "type pair[T number] struct{ a, b T }\n\nfunc (p pair[T]) sum() T { return p.a + p.b }\n\nfunc f[T number](a T) float64 { return float64(a) * 2 }\n", ""),
		"unknown":  block("package p\n\nimport (\n\t\"os\"\n\n\tyaml \"go.yaml.in/yaml/v4\"\n)\n\n", "func f(a float64) float64 {\n\tos.Exit(1)\n\tyaml.Unmarshal(nil, nil)\n\treturn a * 2\n}\n", ""),
		"case":     block("package p\n\nfunc f(a float64, n int) float64 {\n\tswitch n {\n\tcase 1:\n", "\t\ta *= 2\n", "\tcase 2:\n\t\ta++\n\t}\n\treturn a\n}\n"),
		"errors":   {files: map[string]string{"a.go": "package p\n\n" + begin + "func f(a float64) float64 { return a * 2 }\n" + end, "b.go": "package p\n\nvar x int = \"\"\nfunc g() int { return nothing }\n", "c.go": "package main\n\nfunc f() {}\n", "d_test.go": "package p\n\n((("}},
		"crlf":     {files: map[string]string{"a.go": strings.ReplaceAll("package p\n\n"+begin+"func f(a float64) float64 {\n\treturn a * 2\n}\n"+end, "\n", "\r\n")}},
		"methods":  block("package p\n\ntype s struct{ x, y float64 }\n\n", "func (s *s) f(a float64) float64 { return s.x * a }\n\nfunc (s *s) g() { s.x++ }\n", "\nfunc use(v *s) { v.g() }\n"),
	} {
		s := Source{Files: map[string][]byte{}}
		for n, text := range f.files {
			s.Files[n] = []byte(text)
		}
		src := f.files["a.go"]
		mark := strings.TrimSuffix(begin, "\n")
		start := strings.Index(src, mark) + strings.Index(src[strings.Index(src, mark):], "\n") + 1
		at := Site{"a.go", start, strings.LastIndex(src[:strings.Index(src, strings.TrimSuffix(end, "\n"))], "\n") + 1}
		r, err := New(s, at)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, rng := strings.ReplaceAll(src[at.Start:at.End], "\r\n", "\n"), random(1)
		for range 30 {
			c, ok := r.Mutate(text, rng)
			if !ok {
				t.Errorf("%s: nothing is found in\n%s", name, text)
				break
			}
			if strings.Contains(c.Text, "\r") {
				t.Errorf("%s: %q", name, c.Text)
			}
			text = c.Text
		}
	}
}

// TestTexts checks which texts are accepted for the block.
func TestTexts(t *testing.T) {
	r, text := fixtures[0].open(t)
	s, inner := fixtures[2].open(t)
	for _, c := range []struct {
		name string
		r    *Rewriter
		text string
		want bool
	}{
		{"its own", r, text, true},
		{"a helper more", r, text + "\nfunc helper(x int) int { return x + 1 }\n", true},
		{"other parameter names", r, "func priority(i int, b []int) []float64 {\n\treturn make([]float64, len(b)+i)\n}\n", true},
		{"another name", r, strings.Replace(text, "func priority", "func other", 1), false},
		{"another signature", r, strings.Replace(text, "item int", "item int64", 1), false},
		{"an import", r, "import \"os\"\n" + text, false},
		{"nothing", r, "", false},
		{"no Go", r, "def f(): pass\n", false},
		{"a name twice", r, text + "\nconst capacity = 2\n", false},
		{"statements", s, inner, true},
		{"fewer statements", s, "\t\tif o.price > best {\n\t\t\tbest, at = o.price, i\n\t\t\ttaken += most\n\t\t\t_ = budget\n\t\t}\n", true},
		{"an unused variable", s, "x := 1\n", false},
		{"out of the function", s, "}\n}\nfunc evil() {\nfor {\n", false},
		{"out of the loop", s, "}\nfor range 2 {\n", false},
		{"an open comment", s, "x := 1 /*\n", false},
	} {
		_, ok := c.r.Mutate(c.text, random(3))
		if ok != c.want {
			t.Errorf("%s: %v", c.name, ok)
		}
	}
}

// TestUnknownTypes checks that values of unknown types are not exchanged.
func TestUnknownTypes(t *testing.T) {
	f := block("package p\n\nimport \"io\"\n\n", `func f(r io.Reader, c io.ReadCloser, n int) io.ReadCloser {
	if n > 2 {
		n *= 3
	}
	use(r, n)
	return c
}
`, "\nfunc use(r io.Reader, n int) {}\n")
	r, base := f.open(t)
	for seed := range uint64(40) {
		text, rng := base, random(seed)
		for range 5 {
			c, ok := r.Mutate(text, rng)
			if !ok {
				break
			}
			if text = c.Text; strings.Contains(text, "return r") {
				t.Fatal(text)
			}
		}
	}
}
