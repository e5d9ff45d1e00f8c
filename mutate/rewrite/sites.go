package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// list is a list of statements, or the part of the list that is in the text.
type list struct {
	stmts      []ast.Stmt
	open, shut int  // offsets of the part of the list between its brackets
	top        bool // whether this is the list to which the text belongs
	parents    []ast.Node
}

// sites are the places in a text that operators can change.
type sites struct {
	literals   []place // numbers
	values     []place // numbers, strings and conditions that can be replaced by others
	conditions []place // the values that are conditions
	reused     []place // values and indices that new code may repeat
	binaries   []place // operations among the values
	calls      []place // calls whose arguments can be exchanged
	targets    []place // left sides of assignments
	assigns    []*ast.AssignStmt
	ifs        []*ast.IfStmt
	lists      []list
}

// role describes how an expression is used, which determines what may replace it.
type role int

const (
	replaceable role = iota
	constant         // a number that only another number may replace
	fixed
)

// roleOf determines the role of an expression from its ancestors.
func (v *view) roleOf(outer ast.Node, parents []ast.Node) role {
	found := replaceable
	child := outer
	for i := len(parents) - 1; i >= 0; i-- {
		switch up := parents[i].(type) {
		case *ast.ForStmt:
			if child != up.Body {
				return fixed
			}
		case *ast.RangeStmt:
			if child != up.Body {
				return fixed
			}
		case *ast.IndexExpr:
			if child == up.Index {
				return fixed
			}
		case *ast.SliceExpr:
			if child != up.X {
				return fixed
			}
		case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.Field:
			return fixed
		case *ast.CaseClause:
			for _, x := range up.List {
				if child == x {
					found = max(found, constant)
				}
			}
		case *ast.KeyValueExpr:
			if child == up.Key {
				return fixed
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(up.Fun).(*ast.Ident); ok && id.Name == "make" || child == up.Fun {
				return fixed
			}
		case *ast.AssignStmt:
			for _, x := range up.Lhs {
				if child == x {
					return fixed
				}
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.CommClause, *ast.LabeledStmt:
			if _, labelled := up.(*ast.LabeledStmt); !labelled {
				return fixed
			}
		case *ast.UnaryExpr:
			if up.Op == token.AND || up.Op == token.ARROW {
				return fixed
			}
		case *ast.BinaryExpr:
			if (up.Op == token.SHL || up.Op == token.SHR) && child == up.Y {
				return fixed
			}
		case *ast.GenDecl:
			if up.Tok != token.VAR {
				return max(found, constant)
			}
			if i == 0 {
				return max(found, constant) // at package level
			}
		case *ast.FuncDecl:
			if v.still[up] {
				return fixed
			}
			return found
		}
		child = parents[i]
	}
	return found
}

// sites finds the sites of a text.
func (v *view) sites() *sites {
	s := &sites{}
	if v.r.statements {
		v.topList(s)
	}
	v.walk(func(n ast.Node, parents []ast.Node) bool {
		switch n := n.(type) {
		case ast.Expr:
			v.addExpr(s, n, parents)
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok != token.DEFINE && v.roleOf(n, parents) == replaceable {
				s.assigns = append(s.assigns, n)
			}
		case *ast.IfStmt:
			if v.roleOf(n, parents) == replaceable {
				s.ifs = append(s.ifs, n)
			}
		case *ast.BlockStmt:
			switch parents[len(parents)-1].(type) {
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			default:
				s.lists = append(s.lists, list{n.List, v.offset(n.Lbrace) + 1, v.offset(n.Rbrace), false, clone(parents, n)})
			}
		case *ast.CaseClause:
			shut := v.offset(n.End())
			if body, ok := parents[len(parents)-1].(*ast.BlockStmt); ok {
				shut = v.offset(body.Rbrace)
				for i, c := range body.List {
					if c == ast.Stmt(n) && i+1 < len(body.List) {
						shut = v.offset(body.List[i+1].Pos())
					}
				}
			}
			s.lists = append(s.lists, list{n.Body, v.offset(n.Colon) + 1, shut, false, clone(parents, n)})
		}
		return true
	})
	return s
}

func clone(parents []ast.Node, n ast.Node) []ast.Node {
	return append(append(make([]ast.Node, 0, len(parents)+1), parents...), n)
}

// topList adds the list of statements to which the text belongs.
func (v *view) topList(s *sites) {
	var parents []ast.Node
	l := list{open: v.at, shut: v.end, top: true}
	take := func(body []ast.Stmt) {
		for _, x := range body {
			if v.covers(x) {
				l.stmts = append(l.stmts, x)
			}
		}
		l.parents = clone(parents[:len(parents)-1], parents[len(parents)-1])
	}
	ast.Inspect(v.tree, func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return false
		}
		parents = append(parents, n)
		switch n := n.(type) {
		case *ast.BlockStmt:
			if v.offset(n.Lbrace) == v.r.open {
				take(n.List)
			}
		case *ast.CaseClause:
			if v.offset(n.Colon) == v.r.open {
				take(n.Body)
			}
		}
		return true
	})
	if l.parents != nil {
		s.lists = append(s.lists, l)
	}
}

// addExpr adds an expression to the lists of sites to which it belongs.
func (v *view) addExpr(s *sites, x ast.Expr, parents []ast.Node) {
	if _, paren := x.(*ast.ParenExpr); paren {
		return // its operand is added instead
	}
	tv, ok := v.info.Types[x]
	if !ok || !tv.IsValue() {
		if id, isName := x.(*ast.Ident); !isName || v.info.Uses[id] == nil {
			return
		}
	}
	outer, above := x, parents
	for len(above) > 0 {
		up, ok := above[len(above)-1].(*ast.ParenExpr)
		if !ok {
			break
		}
		outer, above = up, above[:len(above)-1]
	}
	p := place{x, outer, append([]ast.Node(nil), above...)}
	if a, ok := above[len(above)-1].(*ast.AssignStmt); ok && a.Tok != token.DEFINE {
		for _, l := range a.Lhs {
			if l == outer && handled(v.typeOf(x)) {
				s.targets = append(s.targets, p)
			}
		}
	}
	if !handled(tv.Type) {
		return
	}
	role := v.roleOf(outer, above)
	if lit, ok := x.(*ast.BasicLit); ok && role <= constant && (lit.Kind == token.INT || lit.Kind == token.FLOAT) && numeric(tv.Type) {
		s.literals = append(s.literals, p)
	}
	if v.r.incomplete && v.unknown(x, above) {
		return // the type needed there may be a different one
	}
	if v.repeatable(x) {
		s.reused = append(s.reused, p)
	}
	if role == replaceable {
		s.values = append(s.values, p)
		if truth(tv.Type) {
			s.conditions = append(s.conditions, p)
		}
	}
	if b, ok := x.(*ast.BinaryExpr); ok && (role == replaceable || role == constant && tv.Value == nil) && b.Op != token.SHL && b.Op != token.SHR {
		s.binaries = append(s.binaries, p)
	}
	if c, ok := x.(*ast.CallExpr); ok && role == replaceable && len(c.Args) > 1 && !c.Ellipsis.IsValid() {
		s.calls = append(s.calls, p)
	}
}

// unknown reports whether the statement around an expression contains anything of unknown
// type, in which case the type of the expression may be wrong.
func (v *view) unknown(x ast.Expr, parents []ast.Node) bool {
	whole := ast.Node(x)
	for i := len(parents) - 1; i >= 0; i-- {
		switch up := parents[i].(type) {
		case *ast.ReturnStmt:
			for _, f := range slices.Backward(parents[:i]) {
				switch f := f.(type) {
				case *ast.FuncLit:
					return v.invalid(f.Type) || v.invalid(up)
				case *ast.FuncDecl:
					return v.invalid(f.Type) || v.invalid(up)
				}
			}
		case ast.Expr, *ast.AssignStmt, *ast.ValueSpec, *ast.SendStmt, *ast.ExprStmt:
			whole = up
			continue
		}
		break
	}
	return v.invalid(whole)
}

// known reports whether no part of a type is unknown. All unknown types look the same.
func known(t types.Type) bool {
	return !strings.Contains(types.TypeString(t, nil), types.Typ[types.Invalid].Name())
}

// invalid reports whether a node contains names or expressions of unknown type.
func (v *view) invalid(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch o := v.object(n).(type) {
			case nil:
			case *types.PkgName:
				found = found || !o.Imported().Complete()
			default:
				found = found || o.Type() == types.Typ[types.Invalid]
			}
		case ast.Expr:
			found = found || v.info.TypeOf(n) == types.Typ[types.Invalid]
		}
		return !found
	})
	return found
}

// repeatable reports whether new code may repeat an expression: it is small, not constant,
// and has no side effects.
func (v *view) repeatable(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit, *ast.CompositeLit:
		return false // identifiers are drawn from their scopes instead
	}
	if v.info.Types[x].Value != nil {
		return false
	}
	nodes, ok := 0, true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.CallExpr:
			ok = ok && v.harmlessCall(n)
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr, *ast.StarExpr:
			ok = false
		}
		nodes++
		return ok
	})
	return ok && nodes <= 9
}

// typeOf returns the type of an expression, which may be a name on the left side of an
// assignment.
func (v *view) typeOf(x ast.Expr) types.Type {
	if t := v.info.TypeOf(x); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// basic returns the basic type that underlies a type.
func basic(t types.Type) (*types.Basic, bool) {
	if t == nil {
		return nil, false
	}
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return nil, false
	}
	b, ok := t.Underlying().(*types.Basic)
	return b, ok
}

// handled reports whether operators change values of a type. They change numbers,
// conditions and strings.
func handled(t types.Type) bool {
	b, ok := basic(t)
	return ok && b.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean|types.IsString) != 0 && b.Kind() != types.UntypedRune
}

func numeric(t types.Type) bool { return is(t, types.IsInteger|types.IsFloat) }
func integer(t types.Type) bool { return is(t, types.IsInteger) }
func float(t types.Type) bool   { return is(t, types.IsFloat) }
func truth(t types.Type) bool   { return is(t, types.IsBoolean) }

func is(t types.Type, info types.BasicInfo) bool {
	b, ok := basic(t)
	return ok && b.Info()&info != 0
}

func itoa(n int) string { return strconv.Itoa(n) }
