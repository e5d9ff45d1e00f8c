package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// deepest is the maximum depth of new expressions.
const deepest = 3

// grower makes new expressions at a position.
type grower struct {
	v     *view
	sites *sites
	rng   *rand.Rand
	at    token.Pos
	scope *types.Scope
	vars  []variable // that are visible there
	reuse []place    // existing expressions that mean the same at that position
}

// variable is a variable or constant, or a field of a variable.
type variable struct {
	text   string
	typ    types.Type
	object types.Object
	weight int
}

// grower returns a grower for a position.
func (v *view) grower(s *sites, at token.Pos, rng *rand.Rand) *grower {
	g := &grower{v: v, sites: s, rng: rng, at: at}
	g.scope = v.info.Scopes[v.tree]
	if inner := g.scope.Innermost(at); inner != nil {
		g.scope = inner
	}
	g.collect()
	for _, p := range s.reused {
		if v.sameMeaning(p.node, g.scope, at) {
			g.reuse = append(g.reuse, p)
		}
	}
	return g
}

// collect finds the visible variables and constants, innermost first.
func (g *grower) collect() {
	for s := g.scope; s != nil && s != types.Universe; s = s.Parent() {
		for _, name := range s.Names() {
			if _, o := g.scope.LookupParent(name, g.at); o != s.Lookup(name) || name == "_" {
				continue
			}
			o := s.Lookup(name)
			weight := 4
			if s == g.v.pkg.Scope() {
				if weight = 1; g.v.computed[name] {
					continue
				}
			}
			switch o := o.(type) {
			case *types.Var:
				g.vars = append(g.vars, variable{name, o.Type(), o, weight})
				g.fields(o, weight)
			case *types.Const:
				g.vars = append(g.vars, variable{name, o.Type(), o, weight})
			}
		}
	}
}

// fields adds the fields of a variable. Fields reached through a pointer are added only if
// the function already uses such a field, because the pointer is then most likely not nil.
func (g *grower) fields(o *types.Var, weight int) {
	t := o.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		used := slices.ContainsFunc(g.sites.reused, func(r place) bool {
			s, ok := r.node.(*ast.SelectorExpr)
			if !ok {
				return false
			}
			x, ok := s.X.(*ast.Ident)
			return ok && g.v.object(x) == o
		})
		if !used {
			return
		}
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for f := range s.Fields() {
		if f.Name() != "_" && (f.Exported() || f.Pkg() != nil && f.Pkg().Path() == g.v.pkg.Path()) {
			g.vars = append(g.vars, variable{o.Name() + "." + f.Name(), f.Type(), f, weight})
		}
	}
}

// sameMeaning reports whether the names in an expression refer to the same objects at a
// position.
func (v *view) sameMeaning(x ast.Node, scope *types.Scope, at token.Pos) bool {
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ok = ok && v.sameMeaning(n.X, scope, at)
			return false
		case *ast.Ident:
			o := v.object(n)
			_, found := scope.LookupParent(n.Name, at)
			ok = ok && o != nil && o == found
		}
		return ok
	})
	return ok
}

// visible reports whether a predeclared name has its usual meaning at the grower's
// position.
func (g *grower) visible(name string) bool {
	_, o := g.scope.LookupParent(name, g.at)
	return o != nil && o.Parent() == types.Universe
}

// typeName returns the name of a type, and reports whether the name denotes that type at
// the grower's position.
func (g *grower) typeName(t types.Type) (string, bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name(), t.Info()&types.IsUntyped == 0 && g.visible(t.Name())
	case *types.Named:
		_, o := g.scope.LookupParent(t.Obj().Name(), g.at)
		return t.Obj().Name(), o == t.Obj() && t.TypeArgs().Len() == 0
	}
	return "", false
}

// drawn draws a candidate with a probability proportional to its weight.
func drawn[T any](rng *rand.Rand, list []T, weight func(T) int) (T, bool) {
	total := 0
	for _, x := range list {
		total += weight(x)
	}
	var none T
	if total == 0 {
		return none, false
	}
	n := rng.IntN(total)
	for _, x := range list {
		if n -= weight(x); n < 0 {
			return x, true
		}
	}
	return none, false
}

// variable draws an expression of a given type: a variable, a constant, a field, or an
// expression that the function already contains.
func (g *grower) variable(t types.Type) (expr, bool) {
	type candidate struct {
		expr
		weight int
	}
	var list []candidate
	if !known(t) {
		return expr{}, false
	}
	for _, x := range g.vars {
		_, constant := x.object.(*types.Const)
		switch {
		case types.Identical(x.typ, t):
		case constant && numeric(t) && fits(x, t):
		default:
			continue
		}
		list = append(list, candidate{expr{x.text, primary}, x.weight})
	}
	for _, p := range g.reuse {
		if types.Identical(g.v.typeOf(p.node), t) {
			list = append(list, candidate{g.v.expr(p.node), 2})
		}
	}
	c, ok := drawn(g.rng, list, func(c candidate) int { return c.weight })
	return c.expr, ok
}

// fits reports whether x is an untyped constant that can be used as a value of a type.
func fits(x variable, t types.Type) bool {
	b, ok := x.typ.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0 && numeric(b) && (float(t) || integer(b))
}

// converted draws a number of another type and converts it to the given type.
func (g *grower) converted(t types.Type) (expr, bool) {
	name, ok := g.typeName(t)
	if !ok {
		return expr{}, false
	}
	var list []expr
	for _, x := range g.vars {
		if _, constant := x.object.(*types.Const); !constant && numeric(x.typ) && !types.Identical(x.typ, t) {
			list = append(list, expr{x.text, primary})
		}
		if _, slice := x.typ.Underlying().(*types.Slice); slice && g.visible("len") && !types.Identical(t, types.Typ[types.Int]) {
			list = append(list, call("len", expr{x.text, primary}))
		}
	}
	for _, p := range g.reuse {
		if u := g.v.typeOf(p.node); numeric(u) && !types.Identical(u, t) {
			list = append(list, g.v.expr(p.node))
		}
	}
	if len(list) == 0 {
		return expr{}, false
	}
	return call(name, list[g.rng.IntN(len(list))]), true
}

// length returns a call to len whose argument is a slice, string or map drawn at random.
func (g *grower) length() (expr, bool) {
	var list []string
	for _, x := range g.vars {
		switch u := x.typ.Underlying().(type) {
		case *types.Slice, *types.Map:
			list = append(list, x.text)
		case *types.Basic:
			if _, constant := x.object.(*types.Const); u.Info()&types.IsString != 0 && !constant {
				list = append(list, x.text)
			}
		}
	}
	if len(list) == 0 || !g.visible("len") {
		return expr{}, false
	}
	return call("len", expr{list[g.rng.IntN(len(list))], primary}), true
}

// wholeNumbers and realNumbers are the numbers that new code may contain.
var (
	wholeNumbers = []int64{1, 2, 2, 3, 4, 5, 10, 100}
	realNumbers  = []float64{0.5, 0.1, 1, 2, 3, 10, 100}
)

// literal draws a number.
func (g *grower) literal(t types.Type) expr {
	if n := len(g.sites.literals); n > 0 && g.rng.IntN(3) == 0 {
		p := g.sites.literals[g.rng.IntN(n)]
		if lit, ok := p.node.(*ast.BasicLit); ok && (lit.Kind == token.INT || float(t)) {
			if f, err := strconv.ParseFloat(lit.Value, 64); err == nil && f != 0 && f == math.Trunc(f) == (lit.Kind == token.INT) {
				return number(f, t)
			}
		}
	}
	if integer(t) {
		return number(float64(wholeNumbers[g.rng.IntN(len(wholeNumbers))]), t)
	}
	x := realNumbers[g.rng.IntN(len(realNumbers))]
	if g.rng.IntN(3) == 0 {
		x = rounded(x * math.Exp(g.rng.NormFloat64()))
	}
	return number(x, t)
}

// number returns a number as a literal of a type. Float literals have a point or an
// exponent, so that the type of a variable does not depend on the value.
func number(x float64, t types.Type) expr {
	prec := primary
	if x < 0 {
		prec = unary
	}
	if integer(t) {
		return expr{strconv.FormatFloat(math.Round(x), 'f', -1, 64), prec}
	}
	form := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e9) {
		form = 'e'
	}
	s := strconv.FormatFloat(x, form, -1, 64)
	if form == 'f' && x == math.Trunc(x) {
		s += ".0"
	}
	return expr{s, prec}
}

// isNumber reports whether an expression is a numeric literal.
func isNumber(e expr) bool {
	_, err := strconv.ParseFloat(e.text, 64)
	return err == nil
}

// rounded rounds a number to three significant digits.
func rounded(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	return r
}

// terminal draws an expression that has no operator.
func (g *grower) terminal(t types.Type) (expr, bool) {
	if !numeric(t) {
		return g.variable(t)
	}
	for range 4 {
		switch n := g.rng.IntN(10); {
		case n < 6:
			if e, ok := g.variable(t); ok {
				return e, true
			}
		case n < 8:
			if e, ok := g.converted(t); ok {
				return e, true
			}
		case n < 9 && types.Identical(t, types.Typ[types.Int]):
			if e, ok := g.length(); ok {
				return e, true
			}
		default:
			return g.literal(t), true
		}
	}
	return g.literal(t), true
}

// value grows an expression of a type.
func (g *grower) value(t types.Type, depth int) (expr, bool) {
	if truth(t) {
		return g.condition(t, depth)
	}
	if depth <= 0 || !numeric(t) || g.rng.IntN(4) == 0 {
		return g.terminal(t)
	}
	if g.rng.IntN(5) == 0 {
		if e, ok := g.called(t, nil, depth-1); ok {
			return e, true
		}
	}
	a, ok := g.value(t, depth-1)
	if !ok {
		return expr{}, false
	}
	return g.operation(a, t, depth-1)
}

// operation grows an operation with the given left operand.
func (g *grower) operation(a expr, t types.Type, depth int) (expr, bool) {
	ops := []token.Token{token.ADD, token.SUB, token.MUL, token.MUL, token.QUO}
	op := ops[g.rng.IntN(len(ops))]
	if integer(t) && op == token.QUO {
		if g.rng.IntN(3) == 0 {
			op = token.REM
		}
		return binary(a, op, g.literal(t)), true
	}
	b, ok := g.value(t, depth)
	if isNumber(a) && isNumber(b) {
		if x, has := g.variable(t); has {
			b = x
		}
	}
	return binary(a, op, b), ok
}

// called grows a call whose result has type t. If the parameter given is not nil, it is
// one of the arguments.
func (g *grower) called(t types.Type, given *expr, depth int) (expr, bool) {
	type function struct {
		name string
		args []types.Type
	}
	var list []function
	two := []types.Type{t, t}
	if numeric(t) && (g.v.r.version == "" || newer(g.v.r.version, 21)) {
		for _, name := range []string{"max", "min"} {
			if g.visible(name) {
				list = append(list, function{name, two}, function{name, two})
			}
		}
	}
	if m := g.v.r.math; m != "" && types.Identical(t, types.Typ[types.Float64]) {
		if _, o := g.scope.LookupParent(m, g.at); o != nil {
			if _, isPackage := o.(*types.PkgName); isPackage {
				for n := 1; n <= 2; n++ {
					for _, name := range grownMath[n] {
						list = append(list, function{m + "." + name, two[:n]})
					}
				}
			}
		}
	}
	scope := g.v.pkg.Scope()
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok {
			continue
		}
		s, ok := f.Type().(*types.Signature)
		if _, o := g.scope.LookupParent(name, g.at); o != f || !ok || s.Variadic() || s.Results().Len() != 1 || !types.Identical(s.Results().At(0).Type(), t) || !g.v.pure(name) {
			continue
		}
		c := function{name: name}
		for p := range s.Params().Variables() {
			c.args = append(c.args, p.Type())
		}
		for range 4 {
			list = append(list, c)
		}
	}
	if given != nil {
		list = slices.DeleteFunc(list, func(f function) bool {
			return !slices.ContainsFunc(f.args, func(a types.Type) bool { return types.Identical(a, t) })
		})
	}
	if len(list) == 0 {
		return expr{}, false
	}
	f := list[g.rng.IntN(len(list))]
	var args []expr
	for _, a := range f.args {
		if given != nil && types.Identical(a, t) {
			args, given = append(args, *given), nil
			continue
		}
		var e expr
		var ok bool
		if handled(a) {
			e, ok = g.value(a, depth)
		} else {
			e, ok = g.variable(a)
		}
		if !ok {
			return expr{}, false
		}
		args = append(args, e)
	}
	return call(f.name, args...), true
}

// newer reports whether a language version is go1.minor or later.
func newer(version string, minor int) bool {
	if len(version) < 5 || version[:4] != "go1." {
		return true
	}
	n := 0
	for _, c := range version[4:] {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n >= minor
}

var orders = []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}

// condition grows a condition.
func (g *grower) condition(t types.Type, depth int) (expr, bool) {
	plain := types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.UntypedBool])
	if !plain {
		return g.variable(t)
	}
	if depth > 1 && g.rng.IntN(3) == 0 {
		a, ok := g.condition(t, depth-2)
		b, both := g.condition(t, depth-2)
		op := token.LAND
		if g.rng.IntN(2) == 0 {
			op = token.LOR
		}
		return binary(a, op, b), ok && both
	}
	if g.rng.IntN(5) == 0 {
		if e, ok := g.variable(types.Typ[types.Bool]); ok {
			if g.rng.IntN(2) == 0 {
				e = negated(e)
			}
			return e, true
		}
	}
	of, ok := g.compared()
	if !ok {
		return expr{}, false
	}
	a, ok := g.variable(of)
	if ok && depth > 1 && g.rng.IntN(3) == 0 {
		a, ok = g.operation(a, of, 0)
	}
	if !ok {
		return expr{}, false
	}
	b, ok := g.value(of, max(0, depth-1))
	op := orders[g.rng.IntN(len(orders))]
	if integer(of) && g.rng.IntN(6) == 0 {
		op = token.EQL
	}
	return binary(a, op, b), ok
}

// compared draws the numeric type of the operands of a new comparison. It draws from the
// types of the variables and expressions that new code may use.
func (g *grower) compared() (types.Type, bool) {
	var list []types.Type
	for _, x := range g.vars {
		if _, constant := x.object.(*types.Const); !constant && numeric(x.typ) {
			for range x.weight {
				list = append(list, x.typ)
			}
		}
	}
	for _, p := range g.reuse {
		if t := g.v.typeOf(p.node); numeric(t) {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	return list[g.rng.IntN(len(list))], true
}
