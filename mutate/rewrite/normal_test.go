package rewrite

import (
	"strings"
	"testing"
)

// TestNormal checks which texts count as the same.
func TestNormal(t *testing.T) {
	const f = "func f(a int) int {\n\tb := a + 1\n\treturn b * 2\n}\n"
	for _, c := range []struct {
		name, a, b string
		equal      bool
	}{
		{"layout", f, "func f(a int) int { b := a+1; return b*2 }", true},
		{"comments", f, "// f is fine.\n" + strings.Replace(f, "+ 1", "+ /* one */ 1 // more", 1), true},
		{"local names", f, strings.NewReplacer("a", "x", "b", "yy").Replace(f), true},
		{"exchanged names", f, "func f(b int) int {\n\ta := b + 1\n\treturn a * 2\n}\n", true},
		{"other uses", f, strings.Replace(f, "return b", "return a", 1), false},
		{"a constant", f, strings.Replace(f, "2", "3", 1), false},
		{"an operator", f, strings.Replace(f, "+", "-", 1), false},
		{"the function's name", f, strings.Replace(f, "func f", "func g", 1), false},
		{"a package's name", "var x = y", "var x = z", false},
		{"fields", "func f(p point) int { return p.x }", "func f(q point) int { return q.x }", true},
		{"other fields", "func f(p point) int { return p.x }", "func f(p point) int { return p.y }", false},
		{"scopes", "func f(a int) { for i := range a { g(i) }; for i := range a { g(i) } }", "func f(a int) { for i := range a { g(i) }; for j := range a { g(j) } }", true},
		{"a shadow", "func f(a int) int { { a := 2; g(a) }; return a }", "func f(a int) int { { b := 2; g(b) }; return a }", true},
		{"no shadow", "func f(a int) int { { a := 2; g(a) }; return a }", "func f(a int) int { { a = 2; g(a) }; return a }", false},
		{"closures", "func f() func(int) int { n := 0; return func(a int) int { n += a; return n } }", "func f() func(int) int { x := 0; return func(y int) int { x += y; return x } }", true},
		{"labels", "func f() {\nl:\nfor { break l } }", "func f() {\nm:\nfor { break m } }", true},
		{"labels and variables", "func f(l int) {\nl:\nfor { break l } }", "func f(l int) {\nm:\nfor { break m } }", true},
		{"receivers", "func (s *t) f() int { return s.n }", "func (x *t) f() int { return x.n }", true},
		{"type parameters", "func f[T any](x T) T { return x }", "func f[S any](y S) S { return y }", true},
		{"constants of a function", "func f() int { const n = 2; return n }", "func f() int { const m = 2; return m }", true},
		{"a type switch", "func f(v any) { switch x := v.(type) { case int: g(x) } }", "func f(w any) { switch y := w.(type) { case int: g(y) } }", true},
		{"final commas", "var x = g(1,\n\t2,\n)", "var x = g(1, 2)", true},
		{"semicolons", "const (\n\ta = 1\n\tb = 2\n)", "const (a = 1; b = 2)", true},
		{"texts", "var x = \"a  b\"", "var x = \"a b\"", false},
		{"statements", "x := 1\ng(x)\n", "y := 1 // one\ng(y)", true},
		{"outer names of statements", "x = 1", "y = 1", false},
		{"keys of structs", "func f(a int) t { return t{a: a} }", "func f(b int) t { return t{a: b} }", true},
	} {
		if got := Normal(c.a) == Normal(c.b); got != c.equal {
			t.Errorf("%s: equal is %v:\n%s\n%s", c.name, got, Normal(c.a), Normal(c.b))
		}
	}
}

// TestSize counts nodes.
func TestSize(t *testing.T) {
	for text, want := range map[string]int{
		"x = 1":                   3, // assignment, name, number
		"x = 1 // one":            3,
		"x := f(a)\ny := x + 1":   10,
		"func f() {}":             5,
		"def f(a): return a":      4,
		"":                        0,
		strings.Repeat("(", 1000): 1,
	} {
		if got := Size(text); got != want {
			t.Errorf("%.30q has size %d, want %d", text, got, want)
		}
	}
}
