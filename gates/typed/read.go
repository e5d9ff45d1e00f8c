package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"evolve/runtime/source"
)

// part is a function of a package, or a specification of package variables.
type part struct {
	name string
	node ast.Node
	body *ast.BlockStmt // nil for variables
	decl *ast.FuncDecl
}

// reading is one package of one side with its types.
type reading struct {
	tree  *tree
	pkg   *types.Package
	info  *types.Info
	parts map[string]part
	// order lists the names of the parts in the order of the source.
	order []string
	// defined holds the assignments to local variables.
	defined map[*types.Var][]definition
	// peers holds the changed packages of the same side, by import path.
	peers map[string]*reading
	// fresh are the functions that only this side has: in this package, their bodies
	// are inlined at their calls. unique are those of the candidate whose name the base
	// does not have: functions of other packages are inlined as well if they are
	// unique, because lost guards may have moved there. A base has no unique ones,
	// because the destination of its functions is unknown.
	fresh, unique map[string]bool
	// harmless holds the functions known to only compute, and those known not to.
	harmless map[string]bool
	// files has the paths of its files, from the root of the tree.
	files map[string]bool
}

// definition is one value of a variable: result n of an expression, or the elements of
// a range loop.
type definition struct {
	from   ast.Expr
	result int // from 0 for one of several results, else -1
	ranges bool
}

// read types a package with the bodies of its functions; nil if there is none.
func (t *tree) read(dir string) *reading {
	m, ok := t.moduleOf(dir)
	if !ok {
		return nil
	}
	files, err := t.loader.parse(filepath.Join(t.root, filepath.FromSlash(dir)))
	if err != nil || len(files) == 0 {
		return nil
	}
	r := &reading{
		tree: t, parts: map[string]part{}, defined: map[*types.Var][]definition{}, files: map[string]bool{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}},
	}
	importPath := m.path
	if dir != m.dir {
		importPath += "/" + strings.TrimPrefix(dir, strings.TrimPrefix(m.dir+"/", "./"))
	}
	config := types.Config{Importer: importer{tree: t, from: m}, FakeImportC: true, Sizes: t.loader.sizes, Error: func(error) {}}
	r.pkg, _ = config.Check(importPath, t.loader.set, files, r.info) // errors leave the objects untyped
	for _, f := range files {
		name, _ := r.place(f.Name)
		r.files[name] = true
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				r.add(part{source.FuncName(d), d, d.Body, d})
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						r.add(part{name: "var " + v.Names[0].Name, node: v})
					}
				}
			}
		}
		r.define(f)
	}
	return r
}

// add adds a part. Parts with the same name, such as init, get unique names.
func (r *reading) add(p part) {
	for r.parts[p.name].node != nil {
		p.name += "'"
	}
	r.parts[p.name] = p
	r.order = append(r.order, p.name)
}

// define records the values of variables.
func (r *reading) define(n ast.Node) {
	set := func(to ast.Expr, d definition) {
		id, ok := ast.Unparen(to).(*ast.Ident)
		if !ok {
			return
		}
		if v, ok := r.object(id).(*types.Var); ok {
			r.defined[v] = append(r.defined[v], d)
		}
	}
	assign := func(to, from []ast.Expr) {
		for i, e := range to {
			switch {
			case len(from) == len(to):
				set(e, definition{from: from[i], result: -1})
			case len(from) == 1:
				set(e, definition{from: from[0], result: i})
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt:
			assign(x.Lhs, x.Rhs)
		case *ast.ValueSpec:
			to := make([]ast.Expr, len(x.Names))
			for i, id := range x.Names {
				to[i] = id
			}
			assign(to, x.Values)
		case *ast.RangeStmt:
			for i, e := range []ast.Expr{x.Key, x.Value} {
				if e != nil {
					set(e, definition{from: x.X, result: i, ranges: true})
				}
			}
		case *ast.KeyValueExpr:
			set(x.Key, definition{from: x.Value, result: -1}) // a field of a struct
		}
		return true
	})
}

// object returns the object of an identifier; nil if it is unknown.
func (r *reading) object(id *ast.Ident) types.Object {
	if o := r.info.Uses[id]; o != nil {
		return o
	}
	return r.info.Defs[id]
}

// callee returns the function or method that an expression names; nil for any other
// expression.
func (r *reading) callee(e ast.Expr) types.Object {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return r.object(x)
	case *ast.SelectorExpr:
		return r.object(x.Sel)
	case *ast.IndexExpr:
		return r.callee(x.X)
	case *ast.IndexListExpr:
		return r.callee(x.X)
	}
	return nil
}

// nameOf returns the name of an object of any package: the package's path and the
// object's name, for a method or a field with the name of the type between them.
func nameOf(o types.Object) string {
	if o == nil {
		return ""
	}
	if f, ok := o.(*types.Func); ok {
		o = f.Origin()
		if recv := f.Signature().Recv(); recv != nil {
			t := recv.Type()
			if p, ok := types.Unalias(t).(*types.Pointer); ok {
				t = p.Elem()
			}
			if n, ok := types.Unalias(t).(*types.Named); ok {
				return nameOf(n.Obj()) + "." + f.Name()
			}
			return "." + f.Name()
		}
	}
	if o.Pkg() == nil {
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// fieldName returns the name of a field that is selected from a value.
func (r *reading) fieldName(s *ast.SelectorExpr) (string, bool) {
	sel := r.info.Selections[s]
	if sel == nil || sel.Kind() != types.FieldVal {
		return "", false
	}
	return ownerName(sel.Recv()) + "." + s.Sel.Name, true
}

// ownerName returns the name of a type, or of the type that a pointer points to; "" for
// one without a name.
func ownerName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return nameOf(n.Obj())
	}
	return ""
}

// global reports whether a variable is declared at package level.
func global(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// place returns the file, from the root of the tree, and the line of a node.
func (r *reading) place(n ast.Node) (string, int) {
	at := r.tree.loader.set.Position(n.Pos())
	rel, err := filepath.Rel(r.tree.root, at.Filename)
	if err != nil {
		rel = at.Filename
	}
	return filepath.ToSlash(rel), at.Line
}
