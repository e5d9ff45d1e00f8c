package rewrite

import (
	"regexp"
	"strings"
	"testing"
)

// TestNeverChanged checks that every chain of mutants keeps certain code and never adds
// certain other code.
func TestNeverChanged(t *testing.T) {
	for name, c := range map[string]struct {
		fixture
		kept  []string // present in every mutant, unless all loops and recursion are gone
		never string   // a pattern that matches in no mutant
	}{
		"a loop with a counter": {block("package p\n\n", `func f(n int, x float64) float64 {
	for i := 0; i < n; i++ {
		x += float64(i) * 2
	}
	return x + 1
}
`, ""), []string{"for i := 0; i < n; i++ {"}, `\bi (=|[-+*/]=) `},
		"a search": {block("package p\n\n", `func f(a []int, x int) int {
	lo, hi := 0, len(a)
	for lo < hi {
		mid := (lo + hi) / 2
		if a[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo + x*2
}
`, ""), []string{"lo, hi := 0, len(a)", "for lo < hi {", "mid := (lo + hi) / 2", "if a[mid] < x {", "lo = mid + 1", "hi = mid\n"}, "continue|goto"},
		"a step": {block("package p\n\n", `const stride = 2

func f(n int, x float64) float64 {
	step := 3
	for i := 0; i < n; i += step * stride {
		x *= 1.5
	}
	return x
}
`, ""), []string{"const stride = 2\n", "step := 3\n", "i += step * stride {"}, `step (=|[-+*/]=)`},
		"a helper": {block("package p\n\n", `func next(n int) int {
	return n - 1
}

func f(n int, x float64) float64 {
	for n > 0 {
		n = next(n)
		x *= 1.5
	}
	return x
}
`, ""), []string{"return n - 1\n", "for n > 0 {", "n = next(n)\n"}, "continue"},
		"an endless loop": {block("package p\n\n", `func f(x float64) float64 {
	n := 10
	for {
		x *= 1.5
		if n--; n < 0 {
			return x
		}
	}
}
`, ""), []string{"n := 10\n", "for {", "if n--; n < 0 {", "return "}, "continue"},
		"a pointer": {block("package p\n\nfunc set(p *int) { *p++ }\n\n", `func f(x float64) float64 {
	i := 0
	p := &i
	for i < 3 {
		set(p)
		x++
	}
	return x
}

func g(x float64) float64 { return x * 2 }
`, ""), []string{"p := &i\n", "for i < 3 {\n\t\tset(p)\n\t\tx++\n"}, "continue"},
		"recursion": {block("package p\n\n", `func f(n int) int {
	if n < 2 {
		return n
	}
	return f(n-1) + f(n-2)
}

func g(n int) int { return f(n) * 2 }
`, "\nfunc h(n int) int { return g(n) }\n"), []string{"if n < 2 {\n\t\treturn n\n\t}\n\treturn f(n-1) + f(n-2)\n"}, `h\(`},
		"initialisation": {block("package p\n\nvar table [9]int\n\n", `func init() {
	for i := range table {
		table[i] = i * 2
	}
}

func g(n int) int { return n * 2 }
`, ""), []string{"func init() {\n\tfor i := range table {\n\t\ttable[i] = i * 2\n\t}\n}\n"}, `init\(\);`},
		"side effects": {block("package p\n\nimport \"os\"\n\nvar count int\n\nfunc ping(x float64) float64 { count++; return x }\n\nfunc fill(xs []float64) float64 { xs[0] = 1; return 2 }\n\nfunc stop(x float64) float64 { os.Exit(2); return x }\n\nfunc more(x float64) float64 { return ping(x) }\n\nvar hook = func(x float64) float64 { return x }\n\nfunc hooked(x float64) float64 { return hook(x) }\n\n", `func f(x float64, xs []float64) float64 {
	if x > 2 {
		return x * 3
	}
	return x + xs[0]
}
`, ""), nil, `ping|fill|stop|more|hook|count (=|[-+*/]=)|\tgo |defer|select`},
		"effects once": {block("package p\n\nfunc ping(x float64) float64 { println(x); return x }\n\n", `func f(x float64) float64 {
	go ping(x)
	defer ping(x)
	x = ping(x)
	if x > 2 {
		x *= 2
	}
	return x
}
`, ""), nil, `(?s)ping.*ping.*ping.*ping`},
		"imports": {block("package p\n\nimport \"math\"\n\n", `func f(x float64) float64 { return math.Sqrt(x) + 1 }
`, ""), []string{"math."}, `$.^`},
		"an initialisation cycle": {block("package p\n\nvar best = score(1)\n\nfunc other() float64 { return best }\n\n", `func score(x float64) float64 { return x*2 + 1 }
`, ""), nil, `best|other`},
		"exports": {block("package p\n\n", `const a, b = 2, 3.5

func f(x float64) float64 { return x * a }

func g(x float64) float64 { return x * b }
`, ""), []string{"const a, b = ", "func f(x float64) float64 {", "func g(x float64) float64 {"}, `$.^`},
		"jumps": {block("package p\n\n", `func f(n int) int {
again:
	n--
	if n > 2 {
		goto again
	}
	return n
}

func g(n int) int { return n * 2 }
`, ""), []string{"again:\n\tn--\n\tif n > 2 {\n\t\tgoto again\n\t}\n\treturn n\n"}, `$.^`},
	} {
		t.Run(name, func(t *testing.T) {
			r, base := c.open(t)
			never, changed := regexp.MustCompile(c.never), map[string]bool{}
			for seed := range uint64(15) {
				text, rng := base, random(seed)
				for range 12 {
					m, ok := r.Mutate(text, rng)
					if !ok {
						break
					}
					text = m.Text
					changed[text] = true
					gone := false
					for _, sign := range []string{"for ", "f(n-"} {
						gone = gone || strings.Contains(base, sign) && !strings.Contains(text, sign)
					}
					for _, k := range c.kept {
						if !strings.Contains(text, k) && !gone {
							t.Fatalf("%s lacks %q:\n%s", m.Describes, k, text)
						}
					}
					if found := never.FindString(text); found != "" {
						t.Fatalf("%s adds %q:\n%s", m.Describes, found, text)
					}
				}
			}
			if len(changed) < 20 {
				t.Errorf("only %d mutants", len(changed))
			}
		})
	}
}
