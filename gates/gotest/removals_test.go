package gotest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTakenAway(t *testing.T) {
	for _, c := range []struct{ name, was, is, want string }{
		{"nothing", "func f() { g() }", "func f() { g() }", ""},
		{"layout", "func f() { g() }", "func f() {\n\n\tg()\n}", ""},
		{"more", "func f() { g() }", "func f() {\n g()\n h()\n}", ""},
		{"a check", "func f() {\n if a {\n  return\n }\n g()\n}", "func f() {\n g()\n}", "2 if a; 3 return"},
		{"one of two alike", "func f() {\n if a {\n  return\n }\n g()\n if a {\n  return\n }\n}", "func f() {\n g()\n if a {\n  return\n }\n}", "2 if a; 3 return"},
		{"it moves", "func f() {\n if a {\n  return\n }\n g()\n}", "func f() {\n h()\n g()\n}\nfunc h() {\n if a {\n  return\n }\n}", ""},
		{"another one", "func f() {\n g()\n}", "func f() {\n h()\n}", "2 g()"},
		{"a function", "func f() {\n g()\n}\nfunc g() {\n x = 1\n}", "func f() {\n}", "2 g(); 5 x = 1"},
		{"an operand", "func f() {\n if a || b {\n  g()\n }\n}", "func f() {\n if a {\n  g()\n }\n}", "2 if a || b; 2 || a; 2 || b"},
		{"operands in another order", "func f() {\n h(a || b)\n}", "func f() {\n h(b || a)\n}", "2 h(a || b)"},
		{"another name", "func f() {\n g()\n}", "func h() {\n g()\n}", ""},
	} {
		list := removedStmts(
			parseFolder(map[string][]byte{"x.go": []byte("package p;" + c.was)}),
			parseFolder(map[string][]byte{"x.go": []byte("package p\n\n" + c.is)}))
		var got []string
		for _, g := range list {
			got = append(got, fmt.Sprintf("%d %s", g.line, g.text))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
