package scan

import (
	"fmt"
	"strings"
	"testing"
)

// many returns n copies of a line that contain increasing numbers.
func many(n int, line string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, line, i+2, i*7)
	}
	return out.String()
}

func TestTables(t *testing.T) {
	cases := func(n int) string {
		return "func f(n int) int { switch n {\n" + many(n, "case %d: return %d\n") + "}\nreturn g(n) }"
	}
	chain := func(n int) string {
		return "func f(n int) int {\n" + many(n, "if n == %d { return %d }\n") + "return g(n) }"
	}
	table := func(n int) string {
		return "func f(n int) int { return map[int]int{\n" + many(n, "%d: %d,\n") + "}[n] }"
	}
	check(t, "table", []probe{
		{name: "a switch", now: cases(fewArms), want: "flag"},
		{name: "a short switch", now: cases(fewArms - 1)},
		{name: "it had most of them", old: cases(20), now: cases(20 + fewArms - 1)},
		{name: "it had some", old: cases(2), now: cases(2 + fewArms), want: "flag"},
		{name: "a chain of ifs", now: chain(fewArms), want: "flag"},
		{name: "several at once", now: "func f(s string) string { switch s { case \"aa\", \"bb\", \"cc\": return \"x\" }; return s }", want: "flag"},
		{name: "with errors", now: "func f(n int) (int, error) { switch n {\n" + many(fewArms, "case %d: return %d, nil\n") + "}\nreturn 0, nil }", want: "flag"},
		{name: "conditions of two", now: "func f(a, b int) int { switch {\n" + many(fewArms, "case a == %d && b == 9: return %d\n") + "}\nreturn a+b }", want: "flag"},
		{name: "lists", now: "func f(a []int) []int {\n" + many(fewArms, "if slices.Equal(a, []int{%d}) { return []int{%d} }\n") + "return g(a) }", want: "flag"},
		{name: "a map in a function", now: table(fewEntries), want: "flag"},
		{name: "a short one", now: table(fewEntries - 1)},
		{name: "a map of the package", now: "var t = map[int]int{\n" + many(manyEntries, "%d: %d,\n") + "}", want: "flag"},
		{name: "a short one of the package", now: "var t = map[int]int{\n" + many(manyEntries-1, "%d: %d,\n") + "}"},
		{name: "names for constants", now: "func (k Kind) String() string { switch k { case A: return \"a\"; case B: return \"b\"; case C: return \"c\"; case D: return \"d\" }; return \"\" }"},
		{name: "it computes", now: "func f(n int) int { switch n {\n" + many(20, "case %d: return g(%d)\n") + "}\nreturn 0 }"},
		{name: "edges", now: "func f(n int) int { if n == 0 { return 1 }; if n == 1 { return 1 }; if s == \"\" { return 2 }; if x == 0 { return 3 }; return 4 }"},
		{name: "in a test", path: "p/x_test.go", now: cases(50)},
	})
}
