package scan

import (
	"go/ast"
	"go/token"
	"path"
	"slices"

	"evolve/gates/syntax"
	"evolve/runtime/source"
)

// pkg is the part of a patch in one package: the files with the same folder and package
// clause.
type pkg struct {
	files []*file
	// The set had contains the imports in the base's files.
	had map[string]bool
	// early holds the nodes that run before main and before any test: initialisers of
	// package-level variables, init functions, and the functions that they call.
	early map[ast.Node]bool
	// constants maps the names of the package's text constants to their values.
	constants map[string]string
	// lost counts the guards that the patch removes, keyed by kind.
	lost map[string]int
}

// packages groups files by package and finds their changed declarations. A declaration that
// is only moved to another file of its package counts as unchanged.
func packages(files []*file) {
	type key struct{ dir, name string }
	found := map[key]*pkg{}
	for _, f := range files {
		k := key{path.Dir(f.Path), f.now.Name.Name}
		if found[k] == nil {
			found[k] = &pkg{had: map[string]bool{}, early: map[ast.Node]bool{}}
		}
		f.pkg = found[k]
		f.pkg.files = append(f.pkg.files, f)
	}
	for _, p := range found {
		p.compare()
		p.findConstants()
		p.findEarly()
		p.findLost()
	}
}

// compare finds the units of the package's files.
func (p *pkg) compare() {
	had := map[string]int{}
	before := map[string]*ast.FuncDecl{}
	for _, f := range p.files {
		if f.was == nil || f.was.Name.Name != f.now.Name.Name {
			continue
		}
		nodes, kinds := declarations(f.was)
		for i, n := range nodes {
			had[kinds[i].String()+" "+f.tokens(f.Old, n)]++
			if fn, ok := n.(*ast.FuncDecl); ok {
				before[source.FuncName(fn)] = fn
			}
		}
		for _, i := range f.was.Imports {
			p.had[importPath(i)] = true
		}
	}
	for _, f := range p.files {
		nodes, kinds := declarations(f.now)
		for i, n := range nodes {
			key := kinds[i].String() + " " + f.tokens(f.New, n)
			if had[key] > 0 {
				had[key]--
				continue
			}
			u := &unit{node: n}
			if fn, ok := n.(*ast.FuncDecl); ok {
				u.before = before[source.FuncName(fn)]
			}
			f.units = append(f.units, u)
		}
	}
}

// findEarly marks the nodes that run early. A function that a changed initialiser calls
// becomes a unit even if its text is unchanged, because running early is itself a change.
func (p *pkg) findEarly() {
	type place struct {
		f  *file
		fn *ast.FuncDecl
	}
	functions := map[string]place{}
	for _, f := range p.files {
		for fn := range syntax.Functions(f.now) {
			if fn.Recv == nil && fn.Name.Name != "init" {
				functions[fn.Name.Name] = place{f, fn}
			}
		}
	}
	reached := map[string]bool{}
	var run func(n ast.Node, changed bool)
	run = func(n ast.Node, changed bool) {
		running(n, func(n ast.Node) {
			p.early[n] = true
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return
			}
			id, ok := ast.Unparen(call.Fun).(*ast.Ident)
			if !ok {
				return
			}
			to, ok := functions[id.Name]
			if known, been := reached[id.Name]; !ok || to.fn.Body == nil || (been && (known || !changed)) {
				return
			}
			reached[id.Name] = changed
			if changed && !to.f.changes(to.fn) {
				to.f.units = append(to.f.units, &unit{node: to.fn, before: to.fn})
			}
			run(to.fn.Body, changed)
		})
	}
	for _, f := range p.files {
		nodes, kinds := declarations(f.now)
		for i, n := range nodes {
			fn, ok := n.(*ast.FuncDecl)
			switch {
			case ok && fn.Recv == nil && fn.Name.Name == "init" && fn.Body != nil:
				run(fn.Body, f.changes(fn))
			case kinds[i] == token.VAR:
				run(n, f.changes(n))
			}
		}
	}
}

func (f *file) changes(n ast.Node) bool {
	return slices.ContainsFunc(f.units, func(u *unit) bool { return u.node == n })
}

// running visits the nodes that run when a given node runs. It skips the bodies of function
// literals, unless they are called immediately, and the code that a goroutine runs.
func running(n ast.Node, visit func(ast.Node)) {
	called := map[ast.Node]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case nil:
			return false
		case *ast.GoStmt:
			visit(n)
			return false
		case *ast.CallExpr:
			called[ast.Unparen(x.Fun)] = true
		case *ast.FuncLit:
			if !called[x] {
				return false
			}
		}
		visit(n)
		return true
	})
}
