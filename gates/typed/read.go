package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"evolve/runtime/source"
)

// part is a function in a package, or a specification of package-level variables.
type part struct {
	name string
	node ast.Node
	body *ast.BlockStmt // nil for variables
	decl *ast.FuncDecl
}

// reading is one package on one side of the patch, with its type information.
type reading struct {
	tree  *tree
	pkg   *types.Package
	info  *types.Info
	parts map[string]part
	// order lists the names of the parts in source order.
	order []string
	// defined maps variables and fields to the values that are assigned to them.
	defined map[*types.Var][]definition
	// peers holds the changed packages on the same side, keyed by import path.
	peers map[string]*reading
	// fresh holds the functions that only this side of the patch has. In this package,
	// their bodies are inlined where they are called. unique holds the candidate's
	// functions whose names the base does not have. In other packages, only these are
	// inlined, because lost guards may have moved there. The base has no unique functions,
	// because it is not known where its functions went.
	fresh, unique map[string]bool
	// harmless maps each function that has been examined to whether it only computes.
	harmless map[string]bool
	// files holds the paths of the package's files, relative to the root of the tree.
	files map[string]bool
}

// definition is one value that a variable gets: the value of an expression, one of the
// several results of an expression, or the elements over which a range loop iterates.
type definition struct {
	from   ast.Expr
	result int // index of one of several results, from 0; -1 for a single value
	ranges bool
}

// read type-checks a package, including the bodies of its functions; it returns nil if
// there is no package.
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

// add adds a part. Parts that share a name, such as init, get unique names.
func (r *reading) add(p part) {
	for r.parts[p.name].node != nil {
		p.name += "'"
	}
	r.parts[p.name] = p
	r.order = append(r.order, p.name)
}

// define records the values that variables and fields get.
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

// object returns the object to which an identifier refers; nil if it is unknown.
func (r *reading) object(id *ast.Ident) types.Object {
	if o := r.info.Uses[id]; o != nil {
		return o
	}
	return r.info.Defs[id]
}

// callee returns the object that an expression names, such as the function of a call; nil
// for any other expression.
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

// nameOf returns the full name of an object: the path of its package and its name. For a
// method or a field, the name of its type stands between the two.
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

// fieldName returns the full name of the field that a selector expression selects from a
// value; see nameOf.
func (r *reading) fieldName(s *ast.SelectorExpr) (string, bool) {
	sel := r.info.Selections[s]
	if sel == nil || sel.Kind() != types.FieldVal {
		return "", false
	}
	return ownerName(sel.Recv()) + "." + s.Sel.Name, true
}

// ownerName returns the name of a type, or of the type to which a pointer points; "" for a
// type without a name.
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

// place returns the file that contains a node, relative to the root of the tree, and the
// node's line.
func (r *reading) place(n ast.Node) (string, int) {
	at := r.tree.loader.set.Position(n.Pos())
	rel, err := filepath.Rel(r.tree.root, at.Filename)
	if err != nil {
		rel = at.Filename
	}
	return filepath.ToSlash(rel), at.Line
}
