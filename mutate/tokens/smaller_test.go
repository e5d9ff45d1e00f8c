package tokens

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pieces returns all pieces of a change.
func pieces(r *Rewriter, base, text string) []Piece {
	var out []Piece
	for _, a := range r.Smaller(base, text) {
		if p, ok := a.Make(); ok {
			out = append(out, p)
		}
	}
	return out
}

// TestSmaller checks that each part of a change that can be reverted by itself is offered,
// whatever the adjacent lines are.
func TestSmaller(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, base, text, want string }{
		"a removed guard": {
			"f.go", "x := 1\nif n == 0 {\n\treturn 0\n}\nreturn f(n)\n", "x := 1\nreturn g(n)\n",
			"x := 1\nif n == 0 {\n\treturn 0\n}\nreturn g(n)\n",
		},
		"a removed guard with its comment": {
			"f.py", "# no room\nif n == 0:\n    return 0\nreturn f(n)\n", "return g(n)\n",
			"# no room\nif n == 0:\n    return 0\nreturn g(n)\n",
		},
		"an assignment that is not read": {
			"f.py", "a = n\nreturn f(a)\n", "b = n * 2\nreturn g(n)\n", "return g(n)\n",
		},
		"a dead statement of several lines": {
			"f.js", "return f(n);\n", "if (n > 1e9) {\n  a = 1;\n  b = 2;\n}\nreturn g(n);\n", "return g(n);\n",
		},
		"a condition around": {
			"f.go", "a := f(n)\na += n\nreturn a\n", "a := g(n)\nif n > 0 {\n\ta += n\n}\nreturn a\n", "a := g(n)\na += n\nreturn a\n",
		},
		"a removed condition around": {
			"f.py", "if n:\n    a = f(n)\nreturn a\n", "a = g(n)\nreturn a\n", "if n:\n    a = g(n)\nreturn a\n",
		},
		"a term":                {"f.go", "return a * b\n", "return a*c + 0*d\n", "return a*c\n"},
		"one of two terms":      {"f.py", "return a\n", "return a + 0 * d - b / c\n", "return a - b / c\n"},
		"a condition in a line": {"f.c", "if (a) x();\n", "if (a && b && c) y();\n", "if (a && c) y();\n"},
		"a removed condition":   {"f.c", "if (a && b) x();\n", "if (a) y();\n", "if (a && b) y();\n"},
		"a call around":         {"f.go", "return a + b\n", "return min(a, 1e9) + c\n", "return a + c\n"},
		"a replaced condition in place": {
			"f.py", "a = n\nif a < 0 and b:\n    return 0\nreturn f(a)\n", "q = 7\nif c:\n    q = 9\nreturn g(q)\n",
			"q = 7\nif a < 0 and b:\n    q = 9\nreturn g(q)\n",
		},
		"a replaced condition that has nothing in common": {
			"f.go", "a := n\nif x.y(a, b) && d < e || z {\n\treturn 0\n}\nreturn f(a)\n", "q := 7\nif c {\n\tq = 9\n}\nreturn g(q)\n",
			"q := 7\nif x.y(a, b) && d < e || z {\n\tq = 9\n}\nreturn g(q)\n",
		},
		"a replaced statement in place": {
			"f.go", "a := n\nif a < 0 {\n\treturn 0\n}\nreturn f(a)\n", "q := 7\nif n > 3 {\n\tq = 9\n\tk++\n}\nreturn g(q)\n",
			"q := 7\nif a < 0 {\n\treturn 0\n}\nreturn g(q)\n",
		},
		"a replaced statement before the new one": {
			"f.py", "if x < 0:\n    return 0\nreturn 2 * x\n", "y = 7 * x\nif x > 100:\n    y = 700\nreturn y\n",
			"y = 7 * x\nif x < 0:\n    return 0\nif x > 100:\n    y = 700\nreturn y\n",
		},
		"a replaced statement with another one's indentation": {
			"f.js", "if (a && b) {\n  return 0;\n}\nreturn f(a);\n", "for (;;) {\n  if (c) {\n    k();\n  }\n  h();\n}\nreturn g(a);\n",
			"for (;;) {\n  if (a && b) {\n    return 0;\n  }\n  if (c) {\n    k();\n  }\n  h();\n}\nreturn g(a);\n",
		},
		"a statement with its else": {
			"f.py", "return f(n)\n", "if a:\n    x = 1\nelse:\n    x = 2\nreturn g(n)\n", "return g(n)\n",
		},
		"a guard that stands twice": {
			"f.go", "return f(n)\n", "if n == 0 {\n\treturn 0\n}\n\nif n == 0 {\n\treturn 0\n}\nreturn g(n)\n", "if n == 0 {\n\treturn 0\n}\n\nreturn g(n)\n",
		},
		"a guard of the base that stands twice": {
			"f.py", "if n == 0:\n    return 0\nreturn f(n)\n", "if n == 0:\n    return 0\nif n == 0:  # again\n    return 0\nreturn g(n)\n", "if n == 0:\n    return 0\nreturn g(n)\n",
		},
		"a line that stands twice":  {"f.js", "f();\n", "g();\ng();\nh();\n", "g();\nh();\n"},
		"a factor of a new line":    {"f.go", "return f(n)\n", "y := g(n) * 1\nreturn y\n", "y := g(n)\nreturn y\n"},
		"a first factor":            {"f.c", "return f(n);\n", "y = 1 * g(n);\nreturn y;\n", "y = g(n);\nreturn y;\n"},
		"a summand in brackets":     {"f.py", "return f(n)\n", "y = g(h(n + 0), 2)\nreturn y\n", "y = g(h(n), 2)\nreturn y\n"},
		"a disjunct":                {"f.go", "return f(n)\n", "if n > 3 || false {\n\tn--\n}\nreturn g(n)\n", "if n > 3 {\n\tn--\n}\nreturn g(n)\n"},
		"a conjunct of comparisons": {"f.py", "return f(n)\n", "if a + 1 > b and c == 2 or d:\n    n = 1\nreturn g(n)\n", "if c == 2 or d:\n    n = 1\nreturn g(n)\n"},
		"the last conjunct":         {"f.py", "return f(n)\n", "if a + 1 > b and not c:\n    n = 1\nreturn g(n)\n", "if a + 1 > b:\n    n = 1\nreturn g(n)\n"},
		"an operand of a shell":     {"f.sh", "x=3\n", "x=$(( n * 1 + y ))\nz=2\n", "x=$(( n + y ))\nz=2\n"},
		"a condition in a query":    {"f.sql", "SELECT a FROM b\n", "SELECT c FROM b\nWHERE a = 1 AND b = 2\n", "SELECT c FROM b\nWHERE a = 1\n"},
		"a subtrahend":              {"f.lua", "return f(n)\n", "local y = -g(n) - a.b[2] % 3\nreturn y\n", "local y = -g(n)\nreturn y\n"},
		"one of two replacements":   {"f.lua", "return a + b * 3\n", "return c + b * 4\n", "return a + b * 4\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range pieces(open(t, tt.file, tt.base), tt.base, tt.text) {
				got = append(got, p.Text)
			}
			if !slices.Contains(got, tt.want) {
				t.Errorf("%q is not offered; there are\n%s", tt.want, strings.Join(got, "---\n"))
			}
		})
	}
}

// TestSmallerKeepsNewConditions checks that the removal of a condition that was added
// around new code is not offered unless that code is removed with it. Otherwise the code
// would run where neither text runs it.
func TestSmallerKeepsNewConditions(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"f.go": "a := f(n)\nif n > 0 {\n\ta = g(n)\n}\nreturn a\n",
		"f.py": "a = f(n)\nif n > 0:\n    a = g(n)\nreturn a\n",
	} {
		base := "a = f(n)\nreturn a\n"
		if file == "f.go" {
			base = "a := f(n)\nreturn a\n"
		}
		for _, p := range pieces(open(t, file, base), base, text) {
			if !strings.Contains(p.Text, "if n > 0") && strings.Contains(p.Text, "g(n)") {
				t.Errorf("%s: %q is offered", file, p.Text)
			}
		}
	}
}

// TestSmallerKeepsChangedConditions checks that a condition of the base is not put back
// in front of the condition that replaced it, which has the same body and uses the same
// names.
func TestSmallerKeepsChangedConditions(t *testing.T) {
	t.Parallel()
	base, text := "if n == 0:\n    return 0\nreturn f(n)\n", "if n <= 0:\n    return 0\nif k:\n    n = 1\nreturn g(n)\n"
	for _, p := range pieces(open(t, "f.py", base), base, text) {
		if strings.Contains(p.Text, "n == 0") && strings.Contains(p.Text, "n <= 0") {
			t.Errorf("%q is offered", p.Text)
		}
	}
}

// TestSmallerOrder checks that repeated lines and operands that add nothing come first,
// followed by conditions of the base, and then by everything else.
func TestSmallerOrder(t *testing.T) {
	t.Parallel()
	base := "if n == 0:\n    return 0\nreturn f(n)\n"
	text := "dead = 4\nk = n + 2\nk += 1\nk += 1\nreturn g(k) + 0 * k + dead\n"
	var got []string
	for _, p := range pieces(open(t, "f.py", base), base, text) {
		got = append(got, p.Takes)
	}
	want := []string{"+ k += 1", "+ + 0 * k", "− if n == 0:; return 0"}
	if len(got) < 10 || !slices.Equal(got[:3], want) {
		t.Errorf("%q, want first %q", got, want)
	}
}

// TestSmallerNames checks that a piece names what it reverts.
func TestSmallerNames(t *testing.T) {
	t.Parallel()
	base, text := "if n == 0:\n    return 0\nreturn f(n)\n", "return g(n)\n"
	pieces := pieces(open(t, "f.py", base), base, text)
	if len(pieces) == 0 || pieces[0].Takes != "− if n == 0:; return 0" {
		t.Errorf("the pieces are %q", pieces)
	}
}

// TestSmallerEnds checks that each version offered differs in code and is nearer to the
// base, so reverting always ends.
func TestSmallerEnds(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"if a:", "    b = a + 1", "    b = a * 2", "c = b", "# a", "", "x(a, [b", "])", "return a and b"})
	lines := rapid.SliceOfN(line, 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		base, text := strings.Join(lines.Draw(t, "base"), "\n"), strings.Join(lines.Draw(t, "text"), "\n")
		r, err := New("f.py", base)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces(r, base, text) {
			if !r.Nearer(base, p.Text, text) || r.Normal(p.Text) == r.Normal(text) || p.Takes == "" {
				t.Fatalf("%q is offered for %q, base %q", p.Text, text, base)
			}
		}
	})
}

// TestAlignedLines checks that the steps lead from one text to the other.
func TestAlignedLines(t *testing.T) {
	t.Parallel()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b c", "b d", "", "\tb c"}), 0, 9)
	rapid.Check(t, func(t *rapid.T) {
		base, text := strings.Join(lines.Draw(t, "base"), "\n"), strings.Join(lines.Draw(t, "text"), "\n")
		r, err := New("f.py", base)
		if err != nil {
			t.Fatal(err)
		}
		var old, now []string
		for _, s := range r.align(base, text) {
			if s.was {
				old = append(old, s.old)
			}
			if s.is {
				now = append(now, s.now)
			}
		}
		if strings.Join(old, "\n") != base || strings.Join(now, "\n") != text {
			t.Fatalf("the steps lead from %q to %q", old, now)
		}
	})
}
