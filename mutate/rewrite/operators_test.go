package rewrite

import (
	"strings"
	"testing"
)

// applied applies one operator repeatedly until a result is valid.
func applied(t *testing.T, r *Rewriter, text, name string, seed uint64) Change {
	t.Helper()
	v := r.read(text)
	if v == nil {
		t.Fatalf("invalid: %s", text)
	}
	m := &mutation{v, v.sites(), random(seed)}
	for _, o := range operators {
		if o.name != name {
			continue
		}
		for range 100 {
			if c, ok := o.apply(m); ok {
				if out, ok := v.finish(c, []traits{v.traits()}); ok {
					return Change{out, name, v.describe(c)}
				}
			}
		}
	}
	t.Fatalf("%s finds nothing in %s", name, text)
	return Change{}
}

// TestOperators shows what each operator does to a function for a fixed seed.
func TestOperators(t *testing.T) {
	const before = "package p\n\nimport \"math\"\n\nvar limit = math.Pi\n\nfunc half(x float64) float64 { return x / 2 }\n\n"
	for _, c := range []struct {
		operator, body string
		seed           uint64
		want           string
		describes      string
	}{
		{"constant", "return a * 3", 1, "\treturn a * -3.0", "line 2: return a * 3 → return a * -3.0"},
		{"arithmetic", "return a / b", 1, "\treturn a + b", "line 2: return a / b → return a + b"},
		{"arithmetic", "a += b\nreturn a", 3, "\ta /= b\n\treturn a", "line 2: a += b → a /= b"},
		{"comparison", "if a > b {\nreturn a\n}\nreturn b", 1, "\tif a <= b {\n\t\treturn a\n\t}\n\treturn b", "line 2: a > b → a <= b"},
		{"connective", "if a > b && n > 2 {\nreturn a\n}\nreturn b", 1, "\tif a > b || n > 2 {\n\t\treturn a\n\t}\n\treturn b", "line 2: a > b && n > 2 → a > b || n > 2"},
		{"variable", "return a", 2, "\treturn b", "line 2: return a → return b"},
		{"grow", "return a", 4, "\treturn a + a", "line 2: return a → return a + a"},
		{"drop", "return (a + 1) * b", 1, "\treturn b", "line 2: return (a + 1) * b → return b"},
		{"drop", "return -a", 1, "\treturn a", "line 2: return -a → return a"},
		{"drop", "unused := a * 2\nreturn b + unused", 5, "\tunused := a * 2\n\treturn unused", "line 3: return b + unused → return unused"},
		{"subtree", "return a", 3, "\treturn a + 3.0", "line 2: return a → return a + 3.0"},
		{"hoist", "return (a + 1) * (b - a)", 1, "\treturn b", "line 2: return (a + 1) * (b - a) → return b"},
		{"condition-grow", "if a > b {\nreturn a\n}\nreturn b", 2, "\tif a > b || a >= b {\n\t\treturn a\n\t}\n\treturn b", "line 2: a > b → a > b || a >= b"},
		{"condition-drop", "if a > b && n > 2 {\nreturn a\n}\nreturn b", 1, "\tif a > b {\n\t\treturn a\n\t}\n\treturn b", "line 2: a > b && n > 2 → a > b"},
		{"condition-drop", "if a > b {\na = b // comment\n}\nreturn a", 1, "\ta = b // comment\n\treturn a", "line 2: if a > b { a = b } → a = b // comment"},
		{"negate", "if a > b {\nreturn a\n}\nreturn b", 1, "\tif a <= b {\n\t\treturn a\n\t}\n\treturn b", "line 2: a > b → a <= b"},
		{"negate", "if !(a > b || n == 1) {\nreturn a\n}\nreturn b", 3, "\tif !(a <= b || n == 1) {\n\t\treturn a\n\t}\n\treturn b", "line 2: !(a > b || n == 1) → !(a <= b || n == 1)"},
		{"guard", "return a", 6, "\tif n < n*n {\n\t\tb += b\n\t}\n\treturn a", "line 2: insert if n < n * n { b += b }"},
		{"insert", "return a", 2, "\ta = limit\n\treturn a", "line 2: insert a = limit"},
		{"delete", "a = 2 // two\nreturn a", 1, "\treturn a", "line 2: delete a = 2"},
		{"duplicate", "a += b\nreturn a", 1, "\ta += b\n\ta += b * min(limit, b)\n\treturn a", "line 3: insert a += b * min(limit, b)"},
		{"swap", "a += b\nb = 2\nreturn a + b", 1, "\tb = 2\n\ta += b\n\treturn a + b", "line 2: a += b; b = 2 → b = 2; a += b"},
		{"call", "return a", 2, "\treturn math.Cbrt(a)", "line 2: return a → return math.Cbrt(a)"},
		{"call", "return a", 8, "\treturn half(a)", "line 2: return a → return half(a)"},
		{"arguments", "return math.Pow(a, b)", 1, "\treturn math.Pow(b, a)", "line 2: return math.Pow(a, b) → return math.Pow(b, a)"},
		{"arguments", "return a - b", 1, "\treturn b - a", "line 2: return a - b → return b - a"},
	} {
		text := "func f(a, b float64, n int) float64 {\n" + c.body + "\n}\n"
		r, text := block(before, text, "").open(t)
		got := applied(t, r, text, c.operator, c.seed)
		body := strings.TrimSuffix(strings.TrimPrefix(got.Text, "func f(a, b float64, n int) float64 {\n"), "\n}\n")
		if body != c.want || got.Describes != c.describes {
			t.Errorf("{%q, %q, %d, %q, %q},", c.operator, c.body, c.seed, body, got.Describes)
		}
	}
}
