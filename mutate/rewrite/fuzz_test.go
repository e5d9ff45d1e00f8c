package rewrite

import (
	"go/format"
	"strings"
	"testing"
)

// FuzzNew checks that no package makes New, Mutate or Cross panic, and that the texts they
// return are valid for the block.
func FuzzNew(f *testing.F) {
	for _, x := range fixtures {
		for _, text := range x.files {
			if i, j := strings.Index(text, begin), strings.Index(text, end); i >= 0 {
				f.Add(text[:i], text[i+len(begin):strings.LastIndex(text[:j], "\n")+1], text[j:])
			}
		}
	}
	for _, text := range []string{
		"import \"C\"|func f(a float64) float64 { return a * C.x }\n|",
		"|func f[T ~int | ~float64](a T) T { return a*2 + f(a) }\n|",
		"|func f(a int) {\nl:\n\tfor {\n\t\tselect {\n\t\tcase <-make(chan int):\n\t\t\tbreak l\n\t\tdefault:\n\t\t\tgoto l\n\t\t}\n\t}\n}\n|",
		"|type t struct{ *t; x [3]int }\n\nfunc (v t) f() (n int) { defer func() { n = recover().(int) }(); return v.t.x[2] << 3 }\n|var x = t{}",
		"import _ \"embed\"\n\n//go:embed a\nvar s string\n\n|const (\n\ta = iota * 0x1p-2\n\tb\n)\n\nfunc init() { s += \"x\" }\n|",
		"type t struct{ n int }\n\n|func (v *t) f(int, ...string) int { return v.n * 2 }\n\nfunc (t) g() (n int) { n = 2 + n; return }\n|\n\nvar _ = (&t{}).f(2) + t{}.g()",
		"type t[T any] struct{ n T }\n\ntype u = t[int]\n\n|func (v *t[K]) f(x int) int { return x * 2 }\n\nfunc (v u) g() int { return v.n + 1 }\n\nfunc (v missing) h() int { return 2 * v.x }\n|",
		"func f(x any) int { switch y := x.(type) { case int:|y++; if z := y; z > 2 { y <<= 1 } else if z < 1 { return -z }|; return y }; return 0 }",
		"func f(m map[string]float64, c chan int) { go func() {|for k, v := range m { m[k] = v * -1; c <- len(k) }; x := <-c; _ = x|}() }",
	} {
		part := strings.Split(text, "|")
		f.Add("package p\n\n"+part[0], part[1], strings.Join(part[2:], "|"))
	}
	f.Fuzz(func(t *testing.T, before, text, after string) {
		if len(before)+len(text)+len(after) > 4096 {
			return
		}
		source := before + text + after
		r, err := New(Source{Files: map[string][]byte{"a.go": []byte(source)}}, Site{"a.go", len(before), len(before) + len(text)})
		if err != nil {
			return
		}
		rng, last := random(1), text
		for i := range 6 {
			c, ok := r.Mutate(text, rng)
			if i == 5 {
				c, ok = r.Cross(text, last, rng)
			}
			if !ok {
				continue
			}
			if r.read(c.Text) == nil {
				t.Fatalf("%s: invalid\n%s", c.Describes, c.Text)
			}
			if out, err := format.Source([]byte(c.Text)); err != nil || string(out) != c.Text {
				t.Fatalf("not formatted:\n%s", c.Text)
			}
			last, text = text, c.Text
		}
	})
}

// FuzzText checks that no text makes the functions that take texts panic.
func FuzzText(f *testing.F) {
	for _, x := range fixtures {
		_, text := x.open(f)
		f.Add(text, "func f() int {\n\treturn 1\n}\n")
	}
	f.Add("}\nfunc f() {", "((((")
	f.Add("x := 'a' # b\n\t\t// c\n/* d", "\"\"\"\n'''\n`")
	r, base := fixtures[0].open(f)
	s, inner := fixtures[2].open(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a, b} {
			if Normal(text) != Normal(text+"\n") && strings.HasPrefix(Normal(text), "func ") {
				t.Fatalf("a line end changes %q", text)
			}
			Size(text)
		}
		for _, x := range []*Rewriter{r, s} {
			if c, ok := x.Mutate(a, random(1)); ok && x.read(c.Text) == nil {
				t.Fatalf("invalid:\n%s", c.Text)
			}
			x.Cross(a, b, random(1))
		}
		r.Cross(base, a, random(1))
		s.Cross(inner, b, random(1))
	})
}
