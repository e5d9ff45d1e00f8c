// Package syntax provides functions that several gates use on parsed Go source: they print
// it, search it, and compare two versions of a list. The package does no type checking.
package syntax

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"iter"
	"strings"
)

// Text returns a piece of source code as text, without its layout and comments.
func Text(n any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return ""
	}
	return b.String()
}

// Contains reports whether test returns true for any node in a subtree.
func Contains(n ast.Node, test func(ast.Node) bool) bool {
	for n := range ast.Preorder(n) {
		if test(n) {
			return true
		}
	}
	return false
}

// Mentions reports whether a subtree contains any of the names as an identifier.
func Mentions(n ast.Node, names map[string]bool) bool {
	return Contains(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && names[id.Name]
	})
}

// Functions yields the functions and methods in a file in source order.
func Functions(f *ast.File) iter.Seq[*ast.FuncDecl] {
	return func(yield func(*ast.FuncDecl) bool) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !yield(fn) {
				return
			}
		}
	}
}

// Pair holds the indices of two equal elements, one in each of two lists.
type Pair struct{ Old, New int }

// maxAlign is the maximum product of the lengths of the two lists that Align compares.
const maxAlign = 4 << 20

// Align returns a longest common subsequence of two lists with the given lengths. It
// returns nil if the lists are too long; see maxAlign.
func Align(old, now int, same func(i, j int) bool) []Pair {
	if old*now > maxAlign {
		return nil
	}
	longest := make([][]int, old+1) // longest[i][j] is the length of the longest common subsequence from i and j on
	for i := range longest {
		longest[i] = make([]int, now+1)
	}
	for i := old - 1; i >= 0; i-- {
		for j := now - 1; j >= 0; j-- {
			if same(i, j) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out []Pair
	for i, j := 0, 0; i < old && j < now; {
		switch {
		case same(i, j):
			out = append(out, Pair{i, j})
			i, j = i+1, j+1
		case longest[i][j+1] > longest[i+1][j]:
			j++
		default:
			i++
		}
	}
	return out
}

// Share returns the fraction of the lines in two texts, taken together, that are common
// to both. It ignores blanks around a line.
func Share(a, b []string) float64 {
	count := map[string]int{}
	for _, line := range a {
		count[strings.TrimSpace(line)]++
	}
	same := 0
	for _, line := range b {
		if line = strings.TrimSpace(line); count[line] > 0 {
			count[line]--
			same++
		}
	}
	return 2 * float64(same) / float64(max(1, len(a)+len(b)))
}
