package typed

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evolve/gates"
)

// TestExits checks which early exits are found to be missing or changed.
func TestExits(t *testing.T) {
	const zero = "\tif n == 0 {\n\t\treturn 0\n\t}\n"
	check(t, "", func(f Findings) []Finding { return f.Exits }, []probe{
		{"as it was", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(n int) int {\n" + zero + "\treturn n * 2\n}", ""},
		{"a return", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(n int) int {\n\treturn n * 2\n}", "an early exit is missing: the base has if n == 0 { return 0 } (p/p.go:3)"},
		{"a condition", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(n int) int {\n\tif n < 0 {\n\t\treturn 0\n\t}\n\treturn n\n}", "an early exit changed: now if n < 0 { return 0 }; in the base if n == 0 { return 0 } (p/p.go:3)"},
		{"one of two alike", "func f(a, b int) int {\n\tif a > 1 {\n\t\treturn 0\n\t}\n\ta++\n\tif a > 1 {\n\t\treturn 0\n\t}\n\treturn b\n}", "func f(a, b int) int {\n\tif a > 1 {\n\t\treturn 0\n\t}\n\ta++\n\treturn b\n}", "an early exit is missing"},
		{"a body that goes on", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(n int) int {\n\tif n == 0 {\n\t\tn = 1\n\t}\n\treturn n\n}", "an early exit is missing"},
		{"another value", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(n int) int {\n\tif n == 0 {\n\t\treturn 1\n\t}\n\treturn n\n}", ""},
		{"a continue", "func f(l []int) (s int) {\n\tfor _, x := range l {\n\t\tif x < 0 {\n\t\t\tcontinue\n\t\t}\n\t\ts += x\n\t}\n\treturn s\n}", "func f(l []int) (s int) {\n\tfor _, x := range l {\n\t\ts += x\n\t}\n\treturn s\n}", "the base has if x < 0 { continue }"},
		{"a break in place of a continue", "func f(l []int) {\n\tfor _, x := range l {\n\t\tif x < 0 {\n\t\t\tcontinue\n\t\t}\n\t}\n}", "func f(l []int) {\n\tfor _, x := range l {\n\t\tif x < 0 {\n\t\t\tbreak\n\t\t}\n\t}\n}", "if x < 0 { break }; in the base if x < 0 { continue }"},
		{"a panic", "func f(n int) {\n\tif n < 0 {\n\t\tpanic(n)\n\t}\n}", "func f(n int) {}", "if n < 0 { panic(n) }"},
		{"an end", "func f(n int) {\n\tif n < 0 {\n\t\tos.Exit(1)\n\t}\n}", "func f(n int) {}", "if n < 0 { os.Exit(1) }"},
		{"a case", "func f(n int) int {\n\tswitch {\n\tcase n == 0:\n\t\treturn 0\n\t}\n\treturn n\n}", "func f(n int) int { return n }", "if n == 0 { return 0 }"},
		{"a case that becomes a condition", "func f(n int) int {\n\tswitch {\n\tcase n == 0:\n\t\treturn 0\n\t}\n\treturn n\n}", "func f(n int) int {\n" + zero + "\treturn n\n}", ""},
		{"the order", "func f(a, b int) int {\n\tif a > 1 {\n\t\treturn 0\n\t}\n\tif b > 1 {\n\t\treturn 1\n\t}\n\treturn b\n}", "func f(a, b int) int {\n\tif b > 1 {\n\t\treturn 1\n\t}\n\tif a > 1 {\n\t\treturn 0\n\t}\n\treturn b\n}", ""},
		{"another name", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(size int) int {\n\tif size == 0 {\n\t\treturn 0\n\t}\n\treturn size\n}", ""},
		{"another variable", "func f(i, j int) int {\n\tif i == 0 {\n\t\treturn 0\n\t}\n\treturn i + j\n}", "func f(i, j int) int {\n\tif j == 0 {\n\t\treturn 0\n\t}\n\treturn i + j\n}", "an early exit is missing"},
		{"another local variable", "func f(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tfor j := 0; j < n; j++ {\n\t\t\tif i == 3 {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}", "func f(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tfor j := 0; j < n; j++ {\n\t\t\tif j == 3 {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}", "an early exit is missing"},
		{"it moves to a new function", "func f(n int) int {\n" + zero + "\treturn n\n}", "func f(n int) int { return g(n) }\nfunc g(m int) int {\n\tif m == 0 {\n\t\treturn 0\n\t}\n\treturn m\n}", ""},
		{"it moves from a function that goes", "func f(n int) int { return g(n) }\nfunc g(n int) int {\n" + zero + "\treturn n * n * n\n}", "func f(n int) int { return n * n * n }", "an early exit is missing"},
		{"the check of an error", "func a() error { return nil }\nfunc b() error { return nil }\nfunc f() error {\n\tif err := a(); err != nil {\n\t\treturn err\n\t}\n\tif err := b(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}", "func a() error { return nil }\nfunc b() error { return nil }\nfunc f() error {\n\ta()\n\tif err := b(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}", "the base has if err := a(); err != nil { return err } (p/p.go:5)"},
		{"in a literal", "var f = func(n int) int {\n" + zero + "\treturn n\n}", "var f = func(n int) int { return n }", "an early exit is missing"},
		{"a function that goes", "func f(n int) int {\n" + zero + "\treturn n\n}\nfunc g() {}", "func g() {}", ""},
	})
}

// TestGuardsNameWhatTheyCompare checks that the gate's evidence names every kind of guard
// if there is no finding, that a missing early exit is flagged, and that a changed early
// exit appears in the evidence.
func TestGuardsNameWhatTheyCompare(t *testing.T) {
	root := installed(t)
	run := func(was, is string) (string, string) {
		t.Helper()
		v := gates.Run(context.Background(), Gates(Change{Base: lay(t, was), Candidate: lay(t, is), Changed: []string{"p/p.go"}, Root: root})[:1])[0]
		return v.Verdict, v.Evidence
	}
	verdict, evidence := run("package p\n\nvar x = 1\n", "package p\n\nvar x = 2\n")
	if verdict != "passed" || strings.Contains(evidence, "every guard") || !strings.Contains(evidence, "early exits") || !strings.Contains(evidence, "guards of other kinds are not compared") {
		t.Errorf("%s: %s", verdict, evidence)
	}
	for _, r := range rules {
		if !strings.Contains(evidence, r.what) {
			t.Errorf("%q is not named in %s", r.what, evidence)
		}
	}
	verdict, evidence = run("package p\n\nfunc f(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}\n\treturn n\n}\n", "package p\n\nfunc f(n int) int {\n\treturn n\n}\n")
	if verdict != "flagged" || evidence != "p/p.go:3: an early exit is missing: the base has if n == 0 { return 0 } (p/p.go:4)" {
		t.Errorf("%s: %s", verdict, evidence)
	}
}

// TestPlainExits checks the early exits of files in other languages, and of Go files that
// this system does not build.
func TestPlainExits(t *testing.T) {
	const (
		python = "def f(n):\n    if n == 0:\n        return 0\n    return n\n"
		java   = "class A {\n  int f(int n) {\n    if (n < 0) throw new E(\"n\");\n    for (;;) {\n      if (n == 3) { break; }\n      n++;\n    }\n    return n;\n  }\n}\n"
		other  = "//go:build never\n\npackage p\n\nfunc f(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}\n\treturn n\n}\n"
	)
	for name, c := range map[string]struct {
		was, is map[string]string
		want    string // the evidence; "" for a gate that passed
		told    string // part of the evidence
	}{
		"as it was": {was: map[string]string{"a.py": python}, is: map[string]string{"a.py": strings.Replace(python, "return n", "return 2 * n", 1)}, told: "no early exit is missing in a.py"},
		"missing": {
			was: map[string]string{"a.py": python}, is: map[string]string{"a.py": "def f(n):\n    return 2 * n\n"},
			want: "a.py:2: an early exit is missing: the base has if n == 0: return 0 (a.py:2)",
		},
		"changed": {
			was: map[string]string{"a.py": python}, is: map[string]string{"a.py": strings.Replace(python, "n == 0", "n < 0", 1)},
			told: "a.py:2: an early exit changed: now if n < 0: return 0; in the base if n == 0: return 0 (a.py:2); ",
		},
		"a throw and a break": {
			was: map[string]string{"A.java": java}, is: map[string]string{"A.java": "class A {\n  int f(int n) {\n    return n;\n  }\n}\n"},
			want: "A.java:3: an early exit is missing: the base has if (n < 0) throw new E(\"n\"); (A.java:3); A.java:3: an early exit is missing: the base has if (n == 3) { break; } (A.java:5)",
		},
		"moved to another file":      {was: map[string]string{"a.py": python, "b.py": "x = 1\n"}, is: map[string]string{"a.py": "y = 1\n", "b.py": "x = 1\n" + python}},
		"a file by another name":     {was: map[string]string{"a.py": python}, is: map[string]string{"b.py": python}},
		"lost with its file's name":  {was: map[string]string{"a.py": python + "a = 1\nb = 2\nc = 3\n"}, is: map[string]string{"b.py": "def f(n):\n    return n\na = 1\nb = 2\nc = 3\n"}, want: "b.py:2: an early exit is missing: the base has if n == 0: return 0 (a.py:2)"},
		"a file that goes":           {was: map[string]string{"a.py": python}, is: map[string]string{}},
		"another language":           {was: map[string]string{"a.lua": "if n then return end\n"}, is: map[string]string{"a.lua": "x = 1\n"}, told: "not read: a.lua"},
		"Go that is not built":       {was: map[string]string{"p/a.go": other}, is: map[string]string{"p/a.go": strings.Replace(other, "n == 0", "n < 0", 1)}, told: "p/a.go:6: an early exit changed: now if n < 0 { return 0 }; in the base if n == 0 { return 0 } (p/a.go:6); "},
		"tests and their data stay":  {was: map[string]string{"testdata/a.py": python, "p/a_test.go": other}, is: map[string]string{"testdata/a.py": "", "p/a_test.go": "package p\n"}},
		"control characters in text": {was: map[string]string{"a.py": "if x == '\x1b':\n    return 0\n"}, is: map[string]string{"a.py": "y = 1\n"}, want: "a.py:1: an early exit is missing: the base has if x == '\\x1b': return 0 (a.py:1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := Change{Base: t.TempDir(), Candidate: t.TempDir(), Root: installed(t)}
			for dir, files := range map[string]map[string]string{change.Base: c.was, change.Candidate: c.is} {
				for name, text := range files {
					to := filepath.Join(dir, filepath.FromSlash(name))
					if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					change.Changed = append(change.Changed, name)
				}
			}
			slices.Sort(change.Changed)
			change.Changed = slices.Compact(change.Changed)
			for _, g := range []gates.Gate{ExitGate(change), Gates(change)[0]} {
				v := gates.Run(t.Context(), []gates.Gate{g})[0]
				if c.want == "" && v.Verdict != "passed" || c.want != "" && (v.Verdict != "flagged" || v.Evidence != c.want) || !strings.Contains(v.Evidence, c.told) {
					t.Errorf("%s: %s", v.Verdict, v.Evidence)
				}
			}
		})
	}
}
