package gotest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/gates/syntax"
)

func TestDecisions(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"an if", "if x {\n}", "x"},
		{"a loop", "for i := 0; i < n; i++ {\n}", "i < n"},
		{"operands", "if b && a {\n}", "b && a; && a; && b"},
		{"a comparison anywhere", "return f(a > b)", "a > b"},
		{"not", "return !(a || b)", "!(a || b); || a; || b"},
		{"cases", "switch x {\ncase 1, 2:\n}", "case x 1; case x 2"},
		{"conditions as cases", "switch {\ncase a, b > c:\n}", "a; b > c"},
		{"types", "switch x.(type) {\ncase int, nil:\n}", "case x.(type) int; case x.(type) nil"},
		{"a choice", "return cmp.Or(a, b)", "choice cmp.Or a; choice cmp.Or b"},
		{"the least", "return min(a, 3)", "choice min a; choice min 3"},
		{"constants", "const x = 1 > 2\nreturn [2]int{}", ""},
		{"within a function", "f(func() { if a {\n} })", "a"},
	} {
		file := parseFolder(map[string][]byte{"x.go": []byte("package p\nfunc f() {\n" + c.body + "\n}")}).files["x.go"]
		var got []string
		for _, d := range decisions(file) {
			if d.call == nil && d.clause == nil {
				got = append(got, strings.TrimPrefix(d.op.String()+" ", "ILLEGAL ")+syntax.Text(d.expr))
			} else {
				got = append(got, d.key())
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestFreshDecisions checks that decisions in the same order are not new, whatever their
// lines, and that changed, added or moved decisions are new.
func TestFreshDecisions(t *testing.T) {
	const old = "func f() {\nif a > 1 {\ng()\n}\nif b {\nh()\n}\nswitch x {\ncase 1:\n}\n}"
	for _, c := range []struct {
		now, values, want string
	}{
		{"if a > 1 { g() }; if b { h() }; switch x { case 1: }", "", ""},
		{"if (1 < a) { g() }; if b { h() }; switch x { case 1: }", "", ""},
		{"if a > 10 { g() }; if b { h() }; switch x { case 1: }", "", "a > 10"},
		{"if b { g() }; if a > 1 { h() }; switch x { case 1: }", "", "a > 1"},
		{"if a > 1 { g() }; if b { h() }; switch x { case 1, 2: }", "", "2"},
		{"if a > 1 { g() }; if b { h() }; switch x { case 1: }", "a", "a > 1"},
	} {
		file := parseFolder(map[string][]byte{"x.go": []byte("package p\nfunc f() {\n" + c.now + "\n}")}).files["x.go"]
		list := decisions(file)
		var got []string
		values := map[string]bool{}
		if c.values != "" {
			values[c.values] = true
		}
		for i, fresh := range freshDecisions(old, list, values) {
			if fresh {
				got = append(got, syntax.Text(list[i].expr))
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", c.now, diff)
		}
	}
}

func TestRenames(t *testing.T) {
	body := "if a > 1 {\nreturn g()\n}\nh()\nreturn 2\n"
	was := folder("package p\nfunc f() int {\n" + body + "}\nfunc stays() {}\nfunc goes() { x() }\n")
	is := folder("package p\nfunc better() int {\nlog()\n" + body + "}\nfunc stays() {}\nfunc other() { y() }\n")
	if diff := cmp.Diff(map[string]string{"better": "f"}, renames(was, is)); diff != "" {
		t.Error(diff)
	}
}

// conditioned returns a module whose tests cover much of it, but not all.
func conditioned() map[string][]byte {
	return map[string][]byte{
		"go.mod": []byte("module example.org/c\n\ngo 1.24\n"),
		"c.go": []byte(`package c

import "cmp"

const most = 5

func Kind(n int, name string) string {
	if n > most {
		return "large"
	}
	switch name {
	case "a", "b":
		return "known"
	}
	switch {
	case n < 0:
		return "below"
	}
	return cmp.Or(name, "none")
}

func Least(n int) int {
	return n
}

func Is(x any) bool {
	switch x.(type) {
	case int:
		return true
	}
	return false
}
`),
		"c_test.go": []byte(`package c

import "testing"

func TestKind(t *testing.T) {
	for _, c := range []struct {
		n          int
		name, want string
	}{{9, "x", "large"}, {1, "a", "known"}, {1, "b", "known"}, {-1, "x", "below"}, {1, "x", "x"}, {1, "", "none"}, {3, "d", "d"}} {
		if got := Kind(c.n, c.name); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
	if Least(3) != 3 || Least(4) != 4 || !Is(1) || Is("") {
		t.Error("the least")
	}
}
`),
	}
}

// TestConditionsDecide checks that a new or changed condition has to be seen both true and
// false, and that a test has to fail when the condition is forced to one of them.
func TestConditionsDecide(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates many times")
	}
	t.Parallel()
	l := newLab(t)
	type edit struct{ from, to, says string }
	for name, edits := range map[string][]edit{
		"they decide": {{"n > most", "n > most+1", ""}, {"return n\n", "return max(n, 3)\n", ""}, {"const most = 5", "const most = 7", ""}},
		"never so": {
			{"return \"known\"", "if n > 4000 {\n\t\t\treturn name\n\t\t}\n\t\treturn \"known\"", `"n > 4000" is never true (c.go:13)`},
			{"\"a\", \"b\"", "\"a\", \"b\", \"q\"", `"case \"q\"" is never matched (c.go:12)`},
			{"case n < 0:", "case n < 0, n == 4000:", `"n == 4000" is never true`},
			{"return n\n", "if n == 3 {\n\t\tn += 0\n\t}\n\treturn n\n", `without failing a test, "n == 3" can be forced to true or false`},
		},
		"never chosen": {
			{"cmp.Or(name, \"none\")", "cmp.Or(name, \"none\", \"other\")", `"\"other\" of cmp.Or" is never chosen (c.go:19)`},
			{"return n\n", "for n < 4000 {\n\t\treturn min(n, 4000)\n\t}\n\treturn 7\n", `"4000 of min" is never chosen`},
			{"case int:", "case int, uint:", `"case uint" is never matched`},
			{"", "", `"n < 4000" is never false`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, candidate := conditioned(), conditioned()
			text, wanted := string(base["c.go"]), false
			for _, e := range edits {
				if !strings.Contains(text, e.from) {
					t.Fatal("there is no " + e.from)
				}
				text = strings.Replace(text, e.from, e.to, 1)
				wanted = wanted || e.says != ""
			}
			candidate["c.go"] = []byte(text)
			_, verdicts, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate))
			if want := map[bool]string{true: "flagged", false: "passed"}[wanted]; verdicts[Coverage] != want {
				t.Errorf("%s, want %s\n%s", verdicts[Coverage], want, said)
			}
			for _, e := range edits {
				if !strings.Contains(said, e.says) {
					t.Errorf("want %q\n%s", e.says, said)
				}
			}
		})
	}
}
