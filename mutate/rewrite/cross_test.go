package rewrite

import (
	"strings"
	"testing"
)

// TestCross checks that a part of the other text is taken over: an expression, a statement
// with renamed variables, and a declaration.
func TestCross(t *testing.T) {
	for _, c := range []struct {
		name, before, text, other string
		want                      []string // each occurs in some child; every child has one of them
	}{
		{"a number", "", "func f(a float64) float64 {\n\treturn a * 2\n}\n", "func f(a float64) float64 {\n\treturn a * 777\n}\n", []string{"777"}},
		{"a statement", "", "func f(a float64) float64 {\n\treturn a\n}\n", "func f(a float64) float64 {\n\tif a > 5 {\n\t\ta -= 3\n\t}\n\treturn a\n}\n", []string{"if a > 5 {\n\t\ta -= 3\n\t}", "\n\ta -= 3\n\treturn a", "return 3", "return 5"}},
		{"a renamed variable", "", "func f(a float64) float64 {\n\treturn a * 2\n}\n", "func f(x float64) float64 {\n\treturn x - 777\n}\n", []string{"return a - 777\n", "777"}},
		{"a declaration", "", "const c = 2.5\n\nfunc f(a float64) float64 {\n\treturn a * c\n}\n", "const c = 3.5\n\nfunc f(a float64) float64 {\n\treturn a * c\n}\n", []string{"c = 3.5"}},
	} {
		r, text := block("package p\n\n", c.text, "").open(t)
		found := map[string]bool{}
		for seed := range uint64(40) {
			got, ok := r.Cross(text, c.other, random(seed))
			if !ok {
				continue
			}
			if got.Operator != crossover || got.Text == text {
				t.Errorf("%s: %+v", c.name, got)
			}
			some := false
			for _, w := range c.want {
				if strings.Contains(got.Text, w) {
					some, found[w] = true, true
				}
			}
			if !some {
				t.Errorf("%s: %s:\n%s", c.name, got.Describes, got.Text)
			}
		}
		for _, w := range c.want {
			if !found[w] {
				t.Errorf("%s: %q is never taken over", c.name, w)
			}
		}
		if _, ok := r.Cross(text, text, random(1)); ok {
			t.Errorf("%s: a text is crossed with itself", c.name)
		}
		for _, bad := range [][2]string{{text, "x"}, {"x", text}} {
			if _, ok := r.Cross(bad[0], bad[1], random(1)); ok {
				t.Errorf("%s: %q is accepted", c.name, bad)
			}
		}
	}
}

// TestDeterministic checks that equal seeds give equal results, even with different
// rewriters of the same package.
func TestDeterministic(t *testing.T) {
	for _, f := range fixtures {
		var first []Change
		for range 3 {
			r, text := f.open(t)
			rng := random(5)
			before := text
			for i := range 40 {
				c, ok := r.Mutate(text, rng)
				if i%5 == 4 {
					c, ok = r.Cross(text, before, rng)
				}
				if ok {
					before, text = text, c.Text
				}
				if len(first) <= i {
					first = append(first, c)
				} else if first[i] != c {
					t.Fatalf("%s: %+v, before %+v", f.name, c, first[i])
				}
			}
		}
	}
}
