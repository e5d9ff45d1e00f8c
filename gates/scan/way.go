package scan

import (
	"go/ast"
	"slices"
	"strings"

	"evolve/gates/syntax"
	"evolve/runtime/source"
)

// stoodExits returns the exits in changed functions that the base's version of the same
// function has too, with the same arguments and under the same conditions. An exit that
// occurs several times in the base counts at most that many times.
func (f *file) stoodExits() map[ast.Node]bool {
	out := map[ast.Node]bool{}
	for _, u := range f.units {
		fn, ok := u.node.(*ast.FuncDecl)
		home := f.pkg.home(u.before)
		if !ok || home == nil {
			continue
		}
		had := map[string]int{}
		home.eachWay(u.before, func(_ ast.Node, way string) { had[way]++ })
		f.eachWay(fn, func(n ast.Node, way string) {
			out[n] = had[way] > 0
			had[way]--
		})
	}
	return out
}

// home returns the base's file that declares a function of the package; the patch may have
// moved the function to another file. It returns nil if no file declares the function, or
// if the package now has several functions with its name.
func (p *pkg) home(fn *ast.FuncDecl) *file {
	var home *file
	more := 0
	count := func(a *ast.File, by int) {
		for other := range syntax.Functions(a) {
			if fn != nil && source.FuncName(other) == source.FuncName(fn) {
				more += by
			}
		}
	}
	for _, f := range p.files {
		count(f.now, 1)
		if f.was == nil {
			continue
		}
		count(f.was, -1)
		if slices.Contains(f.was.Decls, ast.Decl(fn)) {
			home = f.before()
		}
	}
	if more > 0 {
		return nil
	}
	return home
}

// eachWay visits the exits in a function, each with the source text of the conditions under
// which control reaches it.
func (f *file) eachWay(fn *ast.FuncDecl, visit func(n ast.Node, way string)) {
	ast.PreorderStack(fn, nil, func(n ast.Node, above []ast.Node) bool {
		if _, ends := f.exiting(n); ends {
			var way strings.Builder
			for i, outer := range above {
				inner := n
				if i+1 < len(above) {
					inner = above[i+1]
				}
				way.WriteString(f.turn(outer, inner) + "\n")
			}
			visit(n, way.String())
		}
		return true
	})
}

// turn returns what a statement or call around an exit (outer) contributes to the path to
// the node inside it (inner), as source text. This is the condition under which inner
// runs, or a call with its arguments. It is "" if outer contributes nothing.
func (f *file) turn(outer, inner ast.Node) string {
	words := func(kind string, list ...ast.Node) string {
		for _, n := range list {
			kind += " " + f.tokens(f.New, n)
		}
		return kind
	}
	some := func(n ast.Node, present bool) []ast.Node {
		if !present {
			return nil
		}
		return []ast.Node{n}
	}
	switch x := outer.(type) {
	case *ast.CallExpr:
		return words("call", x)
	case *ast.IfStmt:
		if inner == x.Else {
			return words("else", append(some(x.Init, x.Init != nil), x.Cond)...)
		}
		return words("if", append(some(x.Init, x.Init != nil), x.Cond)...)
	case *ast.SwitchStmt:
		return words("switch", append(some(x.Init, x.Init != nil), some(x.Tag, x.Tag != nil)...)...)
	case *ast.TypeSwitchStmt:
		return words("switch", x.Assign)
	case *ast.CaseClause:
		list := make([]ast.Node, 0, len(x.List))
		for _, e := range x.List {
			list = append(list, e)
		}
		return words("case", list...)
	case *ast.CommClause:
		return words("case", some(x.Comm, x.Comm != nil)...)
	case *ast.ForStmt:
		return words("for", some(x.Cond, x.Cond != nil)...)
	case *ast.RangeStmt:
		return words("range", x.X)
	case *ast.FuncLit:
		return "func"
	case *ast.GoStmt:
		return "go"
	case *ast.DeferStmt:
		return "defer"
	}
	return ""
}
