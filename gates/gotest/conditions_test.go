package gotest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/gates/syntax"
)

func TestOperands(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"none", "return a == b", ""},
		{"two", "return a == b || c", "|| a == b; || c"},
		{"three of a kind", "return a || b || c()", "|| a; || b; || c()"},
		{"mixed, in the order of their texts", "return a || b && c", "|| b && c; && b; && c; || a"},
		{"brackets", "return (a || b) && c", "&& (a || b); || a; || b; && c"},
		{"brackets that make no difference", "return a && (b && c)", "&& a; && b; && c"},
		{"within a call", "return f(a && b) || c", "|| c; || f(a && b); && a; && b"},
		{"a function", "g(func() bool { return a && b })", "&& a; && b"},
		{"the head of a loop", "for a && b {\n}", "&& a; && b"},
		{"constants", "const x = true || false\n_ = a || b", "|| a; || b"},
	} {
		var got []string
		file := parseFolder(map[string][]byte{"x.go": []byte("package p\nfunc f() {\n" + c.body + "\n}")}).files["x.go"]
		for _, o := range operands(file) {
			got = append(got, o.op.String()+" "+syntax.Text(o.expr))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestKnownConditions(t *testing.T) {
	known := knownConditions("func f() bool { return a == b && c || d > 0 }")
	for _, c := range []struct {
		now string
		new string
	}{
		{"a == b && c || d > 0", ""},
		{"0 < d || b == a && c", ""},
		{"a == b || c", "|| a == b; || c"},
		{"a == b && c || d >= 0", "|| d >= 0"},
		{"a == b && c || d > 0 || e", "|| e"},
		{"!c || a == b && c", "|| !c"},
	} {
		file := parseFolder(map[string][]byte{"x.go": []byte("package p\nfunc f() bool { return " + c.now + " }")}).files["x.go"]
		list := slices.DeleteFunc(operands(file), func(c decision) bool { return known[c.key()] })
		var got []string
		for _, o := range list {
			if o.expr.Pos() == o.expr.End() {
				t.Fatal("an operand without text")
			}
			got = append(got, o.op.String()+" "+syntax.Text(o.expr))
		}
		// a == b && c is an unchanged operand of ||, or is represented by its parts.
		if diff := cmp.Diff(c.new, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", c.now, diff)
		}
	}
}
