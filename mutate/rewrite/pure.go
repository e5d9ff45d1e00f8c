package rewrite

import (
	"go/ast"
	"go/token"
)

// functions holds the names that the bodies of functions and methods mention, by the name
// of the function. Methods with the same name count as one function. A mentioned name may
// refer to something other than a function, so functions may be related although neither
// calls the other.
type functions struct {
	own   map[string]map[string]bool
	outer *functions // the functions of the enclosing set; nil if there are none
}

// functionsIn returns the functions in declarations, linked to those in outer.
func functionsIn(decls []ast.Decl, outer *functions) *functions {
	f := &functions{map[string]map[string]bool{}, outer}
	for _, d := range decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		names := f.own[fn.Name.Name]
		if names == nil {
			names = map[string]bool{}
			f.own[fn.Name.Name] = names
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
	}
	return f
}

// closure adds a function, and all functions that it may call, to a set.
func (f *functions) closure(name string, to map[string]bool) {
	if to[name] {
		return
	}
	for g := f; g != nil; g = g.outer {
		if mentioned, ok := g.own[name]; ok {
			to[name] = true
			for n := range mentioned {
				f.closure(n, to)
			}
		}
	}
}

// recursive reports whether a function may call itself, directly or indirectly.
func (f *functions) recursive(name string) bool {
	reached := map[string]bool{}
	for g := f; g != nil; g = g.outer {
		if g.own[name][name] {
			return true
		}
		for n := range g.own[name] {
			if n != name {
				f.closure(n, reached)
			}
		}
	}
	return reached[name]
}

// functionsOf returns those functions in declarations that have a body and are neither
// methods nor generic.
func functionsOf(decls []ast.Decl) []*ast.FuncDecl {
	var list []*ast.FuncDecl
	for _, d := range decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Body != nil && f.Type.TypeParams == nil {
			list = append(list, f)
		}
	}
	return list
}

// builtins are the predeclared functions without side effects.
var builtins = map[string]bool{"len": true, "cap": true, "min": true, "max": true, "make": true, "append": true, "abs": true}

// conversions are the basic types to which functions without side effects may convert.
var conversions = map[string]bool{
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true, "uint16": true,
	"uint32": true, "uint64": true, "float32": true, "float64": true, "byte": true, "rune": true, "string": true,
}

// purity records which functions have no side effects: those that assign only to their own
// variables, and call only each other, functions of package math and certain predeclared
// functions.
type purity struct {
	// calls maps each harmless function to the functions that it calls; effects holds the
	// functions that are not harmless.
	calls   map[string][]string
	effects map[string]bool
	outer   *purity
}

// purityOf determines which functions in list have side effects and which functions they
// call, and returns the result. The functions in outer have already been examined.
func purityOf(list []*ast.FuncDecl, math string, values func(string) bool, outer *purity) *purity {
	p := &purity{map[string][]string{}, map[string]bool{}, outer}
	for _, f := range list {
		called, ok := harmless(f, math, values)
		if name := f.Name.Name; ok && name != "init" && name != "main" && name != "_" {
			p.calls[name] = called
		} else {
			p.effects[name] = true
		}
	}
	return p
}

// pure reports whether a function has no side effects and neither the function itself nor
// any function that it calls uses a name that is in without.
func (p *purity) pure(name string, mentions *functions, without map[string]bool) bool {
	seen := map[string]bool{}
	var check func(name string) bool
	check = func(name string) bool {
		if seen[name] {
			return true
		}
		seen[name] = true
		for q := p; q != nil; q = q.outer {
			called, ok := q.calls[name]
			switch {
			case q.effects[name]:
				return false
			case !ok:
				continue
			}
			for g := mentions; g != nil; g = g.outer {
				for n := range g.own[name] {
					if without[n] {
						return false
					}
				}
			}
			for _, c := range called {
				if !check(c) {
					return false
				}
			}
			return true
		}
		return false
	}
	return check(name)
}

// harmless reports whether a function has no side effects, on the assumption that the
// functions that it calls in its own package have none.
func harmless(f *ast.FuncDecl, math string, values func(string) bool) (called []string, ok bool) {
	own := declared(f) // true for a variable whose values were made in the function, so that its elements may be assigned
	for name := range own {
		if builtins[name] || conversions[name] || values(name) || name == math {
			return nil, false // the name may refer to either of two objects
		}
	}
	ok = true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt, *ast.FuncLit, *ast.TypeSpec:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.BranchStmt:
			ok = ok && n.Tok != token.GOTO
		case *ast.IncDecStmt:
			ok = ok && assignable(n.X, own)
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				ok = ok && assignable(x, own)
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				ok = ok && (x == nil || assignable(x, own))
			}
		case *ast.CallExpr:
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				switch {
				case fun.Name == "append":
					ok = ok && len(n.Args) > 0 && appendable(n.Args[0], f)
				case builtins[fun.Name] || conversions[fun.Name]:
				case values(fun.Name):
					called = append(called, fun.Name)
				default:
					ok = false
				}
			case *ast.SelectorExpr:
				x, isName := fun.X.(*ast.Ident)
				ok = ok && isName && math != "" && x.Name == math
			case *ast.ArrayType:
				ok = ok && fun.Len == nil
			default:
				ok = false
			}
		}
		return ok
	})
	return called, ok
}

// assignable reports whether an assignment changes only a function's own variables.
func assignable(x ast.Expr, own map[string]bool) bool {
	element := false
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			made, ok := own[y.Name]
			return y.Name == "_" || ok && (made || !element)
		case *ast.IndexExpr:
			x, element = y.X, true
		case *ast.SelectorExpr:
			x, element = y.X, true
		default:
			return false
		}
	}
}

// appendable reports whether an expression is a variable that is not a parameter. Appending
// to a parameter could write into the caller's memory.
func appendable(x ast.Expr, f *ast.FuncDecl) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			if n.Name == id.Name {
				return false
			}
		}
	}
	return true
}

// declared returns the variables of a function. The value is true for variables that only
// ever hold new values, from make or from a composite literal without pointers.
func declared(f *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	for _, list := range []*ast.FieldList{f.Type.Params, f.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, n := range field.Names {
				own[n.Name] = false
			}
		}
	}
	note := func(x ast.Expr, made bool) {
		if id, ok := x.(*ast.Ident); ok {
			if before, known := own[id.Name]; known {
				made = made && before
			}
			own[id.Name] = made
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && (n.Tok == token.DEFINE || hasKey(own, id.Name)) {
					note(x, len(n.Lhs) == len(n.Rhs) && makes(n.Rhs[i]))
				}
			}
		case *ast.ValueSpec:
			for i, x := range n.Names {
				note(x, len(n.Names) == len(n.Values) && makes(n.Values[i]))
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if n.Tok == token.DEFINE && x != nil {
					note(x, false)
				}
			}
		case *ast.LabeledStmt:
			own[n.Label.Name] = false
		}
		return true
	})
	return own
}

func hasKey(m map[string]bool, key string) bool { _, ok := m[key]; return ok }

// makes reports whether an expression is a new slice, map or array of numbers.
func makes(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "make"
	case *ast.CompositeLit:
		a, ok := x.Type.(*ast.ArrayType)
		if !ok {
			return false
		}
		id, ok := a.Elt.(*ast.Ident)
		return ok && conversions[id.Name]
	}
	return false
}
